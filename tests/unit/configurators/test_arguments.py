"""Arguments of modules are held against their spec as Ansible holds them, with the name that was meant."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.arguments import argument_faults
from ansible_ensemble.configurators.module_spec import ModuleSpec, Option
from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.yaml import parse_yaml

SPEC = ModuleSpec(
    {
        "path": Option("path", required=True, aliases=("dest",)),
        "state": Option(choices=("present", "absent")),
        "size": Option("int"),
        "ratio": Option("float"),
        "force": Option("bool"),
        "when": Option(choices=("yes", "no")),
        "newline": Option(choices=(r"\n", r"\r\n")),
        "mode": Option("raw"),
        "names": Option("list", elements="str", choices=("a", "b")),
        "numbers": Option("list", elements="int"),
        "settings": Option("dict"),
        "code": Option("int", secret=True),
        "parts": Option("list", elements="dict", options={"name": Option(required=True), "size": Option("int")}),
    }
)

TAKEN = [
    "{path: /a}",
    "{dest: /a}",
    "{path: '{{ x }}', state: {get_input: x}, size: '{{ y }}'}",
    "{path: /a, state: absent, size: 3, ratio: 2, force: yes, names: [a, b]}",
    "{path: /a, size: '3', ratio: '2.5', force: 'on', names: 'a, b', numbers: '1,2'}",
    "{path: /a, numbers: [1, '2', '{{ x }}'], names: a}",
    "{path: /a, when: true, mode: '0644', settings: 'a=b', state: null}",
    "{path: /a, when: no, mode: u=rw, settings: {a: 1}, _raw_params: x}",
    "{path: /a, parts: [{name: x, size: 3}, '{{ y }}']}",
    r"{path: /a, newline: '\r\n'}",
    r'{path: /a, newline: "\r\n"}',
]

REFUSED = [
    ("{}", "x lacks the argument 'path'"),
    ("{path: null}", "x lacks the argument 'path'"),
    ("{pth: /a, path: /b}", "x has no argument 'pth' (did you mean path?)"),
    ("{path: [/a]}", "argument 'path' of x is a list, which is not of type path"),
    (
        "{path: /a, state: presnt}",
        "argument 'state' of x is 'presnt', which is none of its choices (did you mean present?)",
    ),
    (
        "{path: /a, state: gone}",
        "argument 'state' of x is 'gone', which is none of its choices (known are present, absent)",
    ),
    ("{path: /a, size: big}", "argument 'size' of x is 'big', which is not of type int"),
    ("{path: /a, size: 1.5}", "argument 'size' of x is 1.5, which is not of type int"),
    ("{path: /a, size: true}", "argument 'size' of x is true, which is not of type int"),
    ("{path: /a, ratio: x}", "argument 'ratio' of x is 'x', which is not of type float"),
    ("{path: /a, mode: '0999'}", "argument 'mode' of x is '0999', which is not octal"),
    ("{path: /a, force: maybe}", "argument 'force' of x is 'maybe', which is not of type bool"),
    ("{path: /a, names: [a, c]}", "argument 'names' of x is 'c', which is none of its choices (known are a, b)"),
    ("{path: /a, names: {a: b}}", "argument 'names' of x is a map, which is not of type list"),
    ("{path: /a, numbers: [1, x]}", "argument 'numbers' of x has 'x', which is not of type int"),
    ("{path: /a, settings: [a]}", "argument 'settings' of x is a list, which is not of type dict"),
    ("{path: /a, mode: 0755}", "argument 'mode' of x is a number, which is not octal (put it in quotes: '0755')"),
    ("{path: /a, mode: 493}", "argument 'mode' of x is a number, which is not octal (put it in quotes: '0755')"),
    ("{path: /a, code: s3cret}", "argument 'code' of x is <<REDACTED>>, which is not of type int"),
    ("{path: /a, parts: [{size: 3}]}", "argument 'parts' of x lacks the argument 'name'"),
    ("{path: /a, parts: [{name: x, sise: 3}]}", "argument 'parts' of x has no argument 'sise' (did you mean size?)"),
]


def faults(text: str, **options: Any) -> list[str]:
    args = parse_yaml(text, "s.yaml").data
    found = argument_faults(SPEC, args, "x", Place("s.yaml", 1, 1), **options)
    return [str(one).partition(": ")[2] for one in found]


@pytest.mark.parametrize("text", TAKEN)
def test_taken(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refused(text: str, message: str) -> None:
    assert faults(text) == [message]


def test_a_fault_says_where() -> None:
    args = parse_yaml("path: /a\nstate: x\nsise: 3\n", "s.yaml").data
    places = [one.place for one in argument_faults(SPEC, args, "x", None)]
    assert [(one.line, one.column) for one in places if one is not None] == [(2, 8), (3, 1)]


def test_where_others_are_taken_only_a_slip_is_wrong() -> None:
    assert faults("{path: /a, other: 1}", others=True) == []
    assert faults("{path: /a, stat: absent}", others=True) == ["x has no argument 'stat' (did you mean state?)"]
