"""Patches of documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.provision.objects.codec import same
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.patch import parsed, patched

DOCUMENT = {"Name": "m1", "Runnable": True, "CurrentTask": 1, "Tasks": ["a", "b"], "Meta": {"a/b": "c"}}


def apply(*operations: dict[str, Any]) -> Any:
    body = json.dumps(operations).encode()
    return patched(json.loads(json.dumps(DOCUMENT)), parsed(body, "machines", "m1"), "machines", "m1")


@pytest.mark.parametrize(
    ("operations", "changes"),
    [
        ([], {}),
        ([{"op": "test", "path": "/CurrentTask", "value": 1.0}], {}),
        ([{"op": "test", "path": "", "value": DOCUMENT}], {}),
        ([{"op": "test", "path": "/Meta/a~1b", "value": "c"}], {}),
        ([{"op": "replace", "path": "/Runnable", "from": "", "value": False}], {"Runnable": False}),
        ([{"op": "remove", "path": "/Tasks/0", "from": "", "value": None}], {"Tasks": ["b"]}),
        ([{"op": "add", "path": "/Meta/d", "value": "e"}], {"Meta": {"a/b": "c", "d": "e"}}),
        ([{"op": "copy", "from": "/Name", "path": "/Pool", "value": None}], {"Pool": "m1"}),
        ([{"op": "move", "from": "/Tasks/1", "path": "/Tasks/0"}], {"Tasks": ["b", "a"]}),
        ([{"op": "add", "path": "/Tasks/-", "value": "c"}], {"Tasks": ["a", "b", "c"]}),
        ([{"op": "add", "path": "/New", "value": [1]}, {"op": "add", "path": "/New/-", "value": 2}], {"New": [1, 2]}),
    ],
)
def test_operations(operations: list[dict[str, Any]], changes: dict[str, Any]) -> None:
    assert apply(*operations) == DOCUMENT | changes


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/Runnable", "value": 1},
        {"op": "test", "path": "/CurrentTask", "value": True},
        {"op": "test", "path": "/CurrentTask", "value": "1"},
        {"op": "test", "path": "", "value": {**DOCUMENT, "Runnable": 1}},
        {"op": "test", "path": "/Missing", "value": None},
        {"op": "test", "path": "/Tasks", "value": ["a"]},
        {"op": "replace", "path": "/Missing", "value": 1},
        {"op": "remove", "path": "/Missing"},
        {"op": "remove", "path": "/Tasks/7"},
        {"op": "add", "path": "/Tasks/7", "value": 1},
        {"op": "add", "path": "/Tasks/x", "value": 1},
        {"op": "add", "path": "/Name/x", "value": 1},
        {"op": "add", "path": "/Missing/x", "value": 1},
        {"op": "copy", "from": "/Missing", "path": "/Pool"},
        {"op": "move", "from": "/Tasks", "path": "/Tasks/0"},
    ],
    ids=lambda operation: f"{operation['op']} {operation['path']} {operation.get('value')!r:.20}",
)
def test_failures(operation: dict[str, Any]) -> None:
    first = {"op": "test", "path": "/Name", "value": "m1"}
    with pytest.raises(Refused) as refused:
        apply(first, operation)
    error = refused.value.error
    assert (error.code, error.type, error.model, error.key) == (409, "PATCH", "machines", "m1")
    assert error.messages[0] == f"Patch error at line 1: {operation['op'].capitalize()} op failed."
    assert json.loads(error.messages[1].removeprefix("Patch: ")) == [first, operation]
    assert '[\n  {\n    "op": "test"' in error.messages[1]


def test_values_that_are_secret_are_not_repeated() -> None:
    operations = [{"op": "test", "path": "/Secret", "value": "s3cret"}]
    with pytest.raises(Refused) as refused:
        patched({"Secret": "other"}, operations, "machines", "m1", is_secret=lambda one: one["path"] == "/Secret")
    assert "s3cret" not in str(refused.value)
    assert "(hidden)" in str(refused.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "truncated"),
        (b'{"op": "test"}', "A patch is a list of operations"),
        (b"[1]", "line 0: It is no operation"),
        (b'[{"op": "spin", "path": ""}]', "line 0: It has no known op"),
        (b'[{"op": [], "path": ""}]', "line 0: It has no known op"),
        (b'[{"op": "remove"}]', "line 0: It has no path"),
        (b'[{"op": "add", "path": "/a"}]', "line 0: It has no value"),
        (b'[{"op": "move", "path": "/a"}]', "line 0: It has no from"),
        (b'[{"op": "remove", "path": 1}]', "line 0: It has no path of the form /a/b"),
        (b'[{"op": "remove", "path": "a"}]', "line 0: It has no path of the form /a/b"),
    ],
)
def test_what_is_no_patch(body: bytes, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        parsed(body, "machines", "m1")
    assert refused.value.error.code == 400
    assert refused.value.error.type == "PATCH"


@pytest.mark.parametrize(
    ("one", "other"), [(1, True), (0, False), (None, 0), ("1", 1), ([1], [True]), ({}, []), ("", None)]
)
def test_what_differs_as_json(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same({"a": [one]}, {"a": [other]})


def test_copies_of_copies_come_to_an_end() -> None:
    copies = [{"op": "copy", "from": "/Meta", "path": f"/Meta/{number}"} for number in range(60)]
    with pytest.raises(Refused, match="copies too much") as refused:
        apply(*copies)
    assert refused.value.error.code == 413


@pytest.mark.parametrize("depth", [99, 10_000])
def test_what_is_nested_step_by_step_is_refused_as_what_comes_nested(depth: int) -> None:
    inward = [{"op": "move", "from": "/Deep", "path": "/Into"}, {"op": "add", "path": "/Deep", "value": {}},
              {"op": "move", "from": "/Into", "path": "/Deep/a"}]  # fmt: skip
    begun = {"op": "add", "path": "/Deep", "value": {}}
    assert apply(begun, *inward * 90)["Deep"]["a"]
    with pytest.raises(Refused, match="nested too deep") as refused:
        apply(begun, *inward * depth)
    assert refused.value.error.code == 406
