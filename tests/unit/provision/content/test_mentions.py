"""What templates name."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.content.mentions import Mention, defined, mentions

JINJA = {"engine": "jinja"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{.Param "a/b"}}', [("params", "a/b", 1)]),
        ('x\n{{if $.ParamExists "a"}}{{end}}', [("params", "a", 2)]),
        ('{{range .ComposeParam "a"}}{{.Name}}{{$.Param "b"}}{{end}}', [("params", "a", 1), ("params", "b", 1)]),
        ("{{with .Machine}}{{.Name}}{{else}}{{.Nmae}}{{end}}", [("members", "Nmae", 1)]),
        ("{{.Machine.Nmae}}\n{{$.Env.Kernl}}", [("members", "Machine.Nmae", 1), ("members", "Env.Kernl", 2)]),
        ("{{.Machine.Params.any}}{{.Task.Meta.any}}", []),
        ('{{define "own"}}{{.Any}}{{end}}{{template "own" .}}', [("templates", "own", 1)]),
        ('{{.CallTemplate "other" .}}{{.CallTemplate .Machine.Name .}}', [("templates", "other", 1)]),
        ("{{", []),
    ],
)
def test_a_template_of_go(text: str, expected: list[tuple[str, str, int]]) -> None:
    assert sorted(mentions(text, {}), key=str) == sorted([Mention(*one) for one in expected], key=str)


def test_a_template_of_jinja() -> None:
    text = "{{ param('a') }}\n{% if param_exists('b') %}{% include 'other' %}{% endif %}{{ param(machine.Name) }}"
    assert {*mentions(text, JINJA)} == {
        Mention("params", "a", 1),
        Mention("params", "b", 2),
        Mention("templates", "other", 2),
    }
    assert mentions("{% include 'other' ignore missing %}", JINJA) == []


def test_what_a_template_defines() -> None:
    assert defined('{{define "one"}}{{end}}{{block "two" .}}x{{end}}', {}) == {"one", "two"}
    assert defined('{{define "one"}}{{end}}', JINJA) == set()
    assert defined("{{", {}) == set()
