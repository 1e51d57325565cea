from __future__ import annotations

import pytest

from ansible_ensemble.core.budget import Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates import jinja
from ansible_ensemble.provision.templates.render_data import RenderData
from tests.unit.provision.templates.sources import Known


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
