"""Templates are read without rendering them."""

from __future__ import annotations

import pytest

from ansible_ensemble.configurators.jinja_texts import expression_fault, needed_names, syntax_fault

NEEDED = {
    "{{ a }}\n{{ b.c[d] }}": {"a": 1, "b": 2, "d": 2},
    "{{ a | default(b) }}{{ c is defined }}{{ d and e }}": {"d": 1},
    "{% if a %}{{ b }}{% endif %}{% for c in d %}{{ c }}{{ e }}{% endfor %}": {"a": 1, "d": 1},
    "{% set a = b %}{{ a }}{% macro m(c) %}{{ e }}{% endmacro %}{{ m(f) }}": {"b": 1, "f": 1},
    "{{ ansible_host }}{{ inventory_hostname }}{{ lookup('env', 'A') }}{{ range(a) }}{{ omit }}": {"a": 1},
    "#jinja2: variable_start_string: '[%', variable_end_string: '%]'\n[% a %]{{ b }}": {"a": 2},
    "{{ a": {},
}


@pytest.mark.parametrize(("text", "wanted"), NEEDED.items())
def test_what_a_template_needs(text: str, wanted: dict[str, int]) -> None:
    assert needed_names(text) == wanted


def test_signs_of_the_module() -> None:
    signs = {"variable_start_string": "<<", "variable_end_string": ">>", "trim_blocks": True}
    assert needed_names("<< a >>{{ b }}", signs) == {"a": 1}


@pytest.mark.parametrize(("text", "line"), [("a\n{% fi %}", 2), ("{{ a", 1), ("{{ a }}", None), ("a", None)])
def test_a_template_that_cannot_be_read(text: str, line: int | None) -> None:
    found = syntax_fault(text)
    assert (found[1] if found is not None else None) == line


@pytest.mark.parametrize(
    ("text", "is_good"),
    [
        ("a == 'b'", True),
        ("a ==\n 'b'", True),
        ("{{ a }}", True),
        ("a ==", False),
        ("a == 'b", False),
        ("a) or (b", False),
    ],
)
def test_an_expression(text: str, is_good: bool) -> None:
    assert (expression_fault(text) is None) == is_good
