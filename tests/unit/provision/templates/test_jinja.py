from __future__ import annotations

import contextlib
import os
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml

from ansible_ensemble.core.budget import Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates import jinja
from ansible_ensemble.provision.templates.render_data import RenderData
from tests.unit.provision.templates.sources import Known

#: Those on templates of projects, before trust: the bounds are the same.
_ATTACKS: dict[str, list[Any]] = yaml.load(
    (Path(__file__).parents[2] / "expressions" / "attacks.yaml").read_text(), yaml.CSafeLoader
)
_SOON = 20  # seconds: without a bound it would be minutes


def render(text: str) -> str:
    return jinja.render("t", text, RenderData(Known(words=[["b", "a"]]), {"lib": "lib {{ machine.Name }}"}, Limits()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ machine.Name }} {{ env.OS.Name }} {{ stage.Name }}", "m1.example.com ubuntu-22.04 prepare"),
        ("{{ param('console') }} {{ param_exists('q') }}", "tty0 False"),
        ("{% for w in param('words') | sort %}{{ loop.index }}{{ w }}{% endfor %}", "1a2b"),
        ("{% set n = namespace(x=1) %}{% for i in range(3) %}{% set n.x = n.x * 2 %}{% endfor %}{{ n.x }}", "8"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m('a' ~ 1) }}", "<a1>"),
        ("{% include 'lib' %}\n", "lib m1.example.com\n"),
        ("{{ {'b': 1, 'a': [none]} | tojson }} {{ 'a,b'.split(',') | join('-') }}", '{"a":[null],"b":1} a-b'),
        ("{{ 'a\nb' | indent(2) }} {{ 'aXa' | replace('X', 'y') }} {{ 2.567 | round(1) }}", "a\n  b aya 2.6"),
        ("{{ generate_token() }} {{ api_url() }}", "token  2000 https://10.0.0.1:8092"),
    ],
)
def test_what_is_rendered(text: str, expected: str) -> None:
    assert render(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n{{ nope }}", "template: t:2: 'nope' is undefined"),
        ("\n\n{% if %}", "template: t:3: "),
        ("\n{{ param('q') }}", "template: t:2: No such machine parameter q"),
        ("{{ machine.Secret }}", "no attribute 'Secret'"),
        ("{% include 'no' %}", "template: t:1: no"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ param.__globals__ }}", "unsafe"),
        ("{{ self.__init__.__globals__ }}", "unsafe"),
        ("{{ cycler }}", "undefined"),
        ("{{ [1].append(2) }}", "unsafe"),
        ("{{ ('a' | attr('__class__')) }}", "No filter named 'attr'"),
        ("{{ namespace(x=1) }}", "is no value"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        render(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        "{% for x in range(5) recursive %}{{ loop(range(99999)) }}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 'a' * 999999999 }}",
        "{{ [1] * 999999999 }}",
        "{{ 10 ** 9999 }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ 'a'.ljust(999999999) }}",
        "{{ 'a' | center(999999999) }}",
        "{{ 'a' | indent(999999999, true) }}",
        "{{ ('a' * 99999) | replace('a', 'b' * 99999) }}",
        "{{ range(99999) | join('a' * 9999) }}",
        "{{ 1.5 | round(999999999) }}",
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
        "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{% set n = namespace(x=1) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
        "{% set n = namespace(x=1) %}{% for i in range(60) %}{% set n.x = {'a': n.x, 'b': n.x} %}{% endfor %}{{ n.x }}",
        "{% set x %}{% for i in range(99999) %}" + "y" * 1000 + "{% endfor %}{% endset %}",
        "{% for i in range(99999) %}" + "y" * 1000 + "{% endfor %}",
    ],
)
def test_no_template_goes_on_without_end(text: str) -> None:
    with pytest.raises(TemplateError, match=r"steps|characters|deeply|too large|unsafe|No filter|formatted"):
        render(text)


@pytest.mark.parametrize("text", _ATTACKS["leave"])
def test_no_template_leaves_the_sandbox(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "hunter2")
    try:
        given = render(text)
    except TemplateError as error:
        given = str(error)
    else:
        assert not any(word in given for word in ("<class", "<module", "frame", "environ(", "builtin", "<bound"))
    assert " at 0x" not in given, "a place in memory"
    assert "hunter2" not in given
    assert os.environ["PATH"] not in given


@pytest.mark.parametrize("text", _ATTACKS["endless"])
def test_what_hangs_a_look_at_a_project_does_not_hang_the_server(text: str) -> None:
    begun = process_time()
    with contextlib.suppress(TemplateError):
        assert len(render(text)) <= Limits().output
    assert process_time() - begun < _SOON
