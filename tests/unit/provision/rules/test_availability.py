"""Which objects may be stored and used, and why not."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain
from ansible_ensemble.provision.objects.content import Stage, Task, Workflow
from ansible_ensemble.provision.rules.availability import refuse_errors, refuse_flawed, validated
from tests.unit.provision.rules.world import assert_refused, shelf, table

CONTENT, CASES = table("availability")


def _syntax(text, meta):
    return "line 1: broken" if text == "BROKEN" else ""


@pytest.mark.parametrize("case", CASES)
def test_validated(case):
    given = from_plain(KINDS[case["kind"]], case["fields"])
    checked = validated(given, shelf(CONTENT), _syntax)
    flaws, lacks = case.get("flaws", []), case.get("lacks", [])
    assert checked.errors == [*flaws, *lacks]
    assert (checked.validated, checked.available) == (not flaws, not flaws and not lacks)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_that_lacks_nothing_is_available(kind):
    uuid = "bbbbbbbb-0000-4000-8000-000000000000"
    fields = {"Name": "ab", "ID": "ab", "Uuid": uuid, "State": "created", "Arch": "amd64"}
    checked = validated(from_plain(KINDS[kind], fields), shelf())
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


def test_flaws_are_refused_and_lacks_are_not():
    refuse_flawed(validated(Stage(name="ss", tasks=["absent"]), shelf()))
    expected = {
        "Code": 422,
        "Type": "ValidationError",
        "Model": "stages",
        "Key": "x",
        "Messages": ["x: Invalid Name `x`"],
    }
    assert_refused(expected, lambda: refuse_flawed(validated(Stage(name="x"), shelf())))


def test_errors_that_were_there_before_are_not_refused_again():
    before = Stage(name="ss", errors=["a"])
    refuse_errors(before, before)
    assert_refused({"Messages": ["b"]}, lambda: refuse_errors(before, before.replaced(errors=["a", "b"])))
    assert_refused({"Messages": ["a"]}, lambda: refuse_errors(None, before))
