from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput

ARGS = {"dest": "{{ place }}/{{ item.name }}", "content": "{{ base | default('none') }}"}
VARS = {"base": "/srv", "place": "{{ base }}/www", "item": {"name": "a"}}


@pytest.fixture
def page(empty: Any) -> Any:
    empty.type("ansible.Root")
    empty.type("ansible.Resource", "ansible.Root")
    empty.node("page", {"args": ARGS, "keywords": {"vars": VARS}}, type="ansible.Resource")
    empty.node("circle", {"keywords": {"vars": {"round": "{{ round }}"}}}, type="ansible.Resource")
    empty.node("other", {"keywords": {"vars": VARS}})
    empty.instance("page")
    empty.instance("circle")
    empty.instance("other")
    return empty


VALUES = [
    ("dest", {}, "/srv/www/a"),
    ("content", {}, "/srv"),
    ("dest", {"base": "/mine"}, "/mine/www/a"),  # as with -e, which goes before all
]


@pytest.mark.parametrize(("name", "given", "value"), VALUES)
def test_arguments_see_the_variables_of_their_node(page: Any, name: str, given: dict[str, Any], value: str) -> None:
    page.environment.variables = given
    assert page.evaluate({"get_property": ["SELF", "args", name]}, "page") == value


def test_a_variable_that_needs_itself_is_refused(page: Any) -> None:
    with pytest.raises(InvalidInput, match="round"):
        page.evaluate("{{ round }}", "circle")


def test_nodes_of_other_types_have_none(page: Any) -> None:
    assert page.evaluate("{{ base | default('none') }}", "other") == "none"
