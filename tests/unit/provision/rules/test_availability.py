"""Which objects may be stored and used, and why not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain
from ansible_ensemble.provision.objects.content import Param, Stage, Task, Workflow
from ansible_ensemble.provision.rules.availability import looks_alike, refuse_errors, refuse_invalid, validated
from ansible_ensemble.provision.rules.machine_state import settled
from tests.unit.provision.rules.world import assert_refused, machine_of, shelf, table

CONTENT, CASES = table("availability")


def _syntax(text, meta):
    return "line 1: broken" if text == "BROKEN" else ""


@pytest.mark.parametrize("case", CASES)
def test_validated(case):
    given = from_plain(KINDS[case["kind"]], case["fields"])
    checked = validated(given, shelf(CONTENT), _syntax)
    problems, lacks = case.get("problems", []), case.get("lacks", [])
    assert checked.errors == [*problems, *lacks]
    assert (checked.validated, checked.available) == (not problems, not problems and not lacks)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_that_lacks_nothing_is_available(kind):
    uuid = "bbbbbbbb-0000-4000-8000-000000000000"
    fields = {"Name": "ab", "ID": "ab", "Uuid": uuid, "State": "created", "Arch": "amd64", "Addr": "192.0.2.7"}
    fields["Provider"] = "of-plugins"
    checked = validated(from_plain(KINDS[kind], fields), shelf({"plugin_providers": {"of-plugins": {}}}))
    assert (checked.validated, checked.available, checked.errors) == (True, True, [])


def test_availability_follows_what_appears_and_goes():
    known = shelf({"stages": {"ss": {"Tasks": ["tt"]}}, "workflows": {"ww": {"Stages": ["ss"]}}})
    assert known.get(Workflow, "ww").errors == ["Stage ss is not available"]
    known.put(Task(name="tt"))
    known.settle()
    assert known.get(Workflow, "ww").available
    del known[Task, "tt"]
    known.settle()
    assert known.get(Stage, "ss").errors == ["Task tt does not exist"]
    assert not known.get(Workflow, "ww").available


def test_problems_are_refused_and_lacks_are_not():
    refuse_invalid(validated(Stage(name="ss", tasks=["absent"]), shelf()))
    expected = {
        "Code": 422,
        "Type": "ValidationError",
        "Model": "stages",
        "Key": "x",
        "Messages": ["x: Invalid Name `x`"],
    }
    assert_refused(expected, lambda: refuse_invalid(validated(Stage(name="x"), shelf())))


def test_errors_that_were_there_before_are_not_refused_again():
    before = Stage(name="ss", errors=["a"])
    refuse_errors(before, before)
    assert_refused({"Messages": ["b"]}, lambda: refuse_errors(before, before.replaced(errors=["a", "b"])))
    assert_refused({"Messages": ["a"]}, lambda: refuse_errors(None, before))


NAMED = {
    "bootenvs": {"bb": {}},
    "params": {"pp": {"Schema": {"type": "integer"}}},
    "profiles": {"ff": {}},
    "roles": {"rr": {}},
    "stages": {"ss": {}},
    "tasks": {"tt": {}},
    "templates": {"xx": {}},
    "workflows": {"ww": {}},
}
_TEMPLATES = [{"Name": "a", "ID": "xx", "Path": "p"}]
NAMING = {
    "bootenvs": {"b2": {"Templates": _TEMPLATES}},
    "profiles": {"f2": {"Profiles": ["ff"], "Params": {"pp": 1}}},
    "stages": {
        "s2": {
            "BootEnv": "bb", "Tasks": ["tt", "stage:ss"], "Profiles": ["ff"], "Params": {"pp": 1},
            "Templates": _TEMPLATES,
        }
    },
    "tasks": {"t2": {"Prerequisites": ["tt"], "Templates": _TEMPLATES}},
    "users": {"uu": {"Roles": ["rr"]}},
    "workflows": {"w2": {"Stages": ["ss"]}},
}  # fmt: skip
MACHINE = {"Stage": "ss", "BootEnv": "bb", "Workflow": "ww", "Profiles": ["ff"], "Params": {"pp": 1}, "Tasks": ["tt"]}
OTHER: dict[Any, Any] = {
    str: ["other"], bool: [True, False], list: [["b2", "f2", "s2", "t2"]], dict: [{"feature-flags": "flag"}]
}  # fmt: skip


def _changed(one):
    """The object with another value in each of its fields but the key, in turn."""
    for field in msgspec.structs.fields(one):
        kind = getattr(field.type, "__origin__", field.type)
        for value in OTHER.get(kind, [{"type": "string"}] if kind is Any else []):
            if field.name != one.KEY:
                yield one.replaced(**{field.name: value})


def _assessed(known):
    machine = settled(machine_of(MACHINE), known)
    return [machine, *(validated(one, known) for one in known.values() if one.key.endswith("2") or one.key == "uu")]


@pytest.mark.parametrize("prefix", NAMED)
def test_who_names_an_object_that_looks_alike_is_as_sound_as_before(prefix):
    known = shelf(NAMED, NAMING)
    expected, (key,) = _assessed(known), NAMED[prefix]
    one, alike = known.get(KINDS[prefix], key), 0
    for changed in _changed(one):
        if looks_alike(one, changed):
            known.put(changed)
            assert _assessed(known) == expected, changed
            alike += 1
    assert alike


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Task(name="tt"), Task(name="tt", available=True)),
        (Stage(name="ss"), Stage(name="ss", meta={"feature-flags": "new"})),
        (Param(name="pp", schema={"enum": [1]}), Param(name="pp", schema={"enum": [True]})),
    ],
)
def test_what_looks_otherwise(before, after):
    assert not looks_alike(before, after)
