from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.engine.decision import Decision, History, Present, Verdict, decide
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.guard import Branch, Guard
from ansible_ensemble.planning.planned_operation import PlannedOperation

ERR, OK, GONE = Status.ERROR, Status.OK, Status.ABSENT
OTHER, LEFT_OUT, NOT_NEEDED = Verdict.OTHER_BRANCH, Verdict.CONDITION_NOT_MET, Verdict.NOT_NEEDED


def operation(key: str = "a", *waits_for: str, **guard: Any) -> PlannedOperation:
    return PlannedOperation(
        key, "n", "n", "Tool", "say", Reason.RUN, "go", waits_for=list(waits_for), guard=Guard(**guard)
    )


def decided(planned: PlannedOperation, happened: History, **present: Any) -> Decision:
    facts = {"failed": set(), "status": None, "unmet": lambda: None, "reads_changed": lambda: True} | present
    return decide(planned, happened, Present(**facts))


BRANCHES = {
    "no branch": (None, "", "", True),
    "for failure, and there is one": (Branch((), ("try",)), "try", "", True),
    "for failure, and there is none": (Branch((), ("try",)), "", "", False),
    "both ways lead to it, after a success": (Branch(("try",), ("try",)), "", "", True),
    "both ways lead to it, after a failure": (Branch(("try",), ("try",)), "try", "", True),
    "one of several successes is missing": (Branch(("a", "b"), ("c",)), "b", "", False),
    "a success that leads to it was passed over": (Branch(("a", "b"), ("c",)), "", "b", False),
    "steps without operations lead to it": (Branch((), ()), "", "", False),
}


@pytest.mark.parametrize(("branch", "failed", "passed_over", "runs"), BRANCHES.values(), ids=BRANCHES)
def test_the_branches_of_a_workflow(branch: Branch | None, failed: str, passed_over: str, runs: bool) -> None:
    happened = History(passed_over={passed_over})
    found = decided(operation(branch=branch), happened, failed={failed})
    assert found == (Decision(Verdict.RUN) if runs else Decision(OTHER, "workflow took another branch"))


def test_all_behind_a_branch_that_is_not_taken_are_passed_over() -> None:
    happened = History()
    first = operation("ill", branch=Branch((), ("try",)))
    happened.note(first, decided(first, happened))
    assert decided(operation("later", "ill"), happened).verdict is OTHER


def test_a_condition_that_is_not_met_leaves_out_its_whole_step_and_not_the_next() -> None:
    happened = History()
    gate = operation("gate", condition=[{"size": 1}])
    found = decided(gate, happened, unmet=lambda: "its size is 2")
    assert found == Decision(LEFT_OUT, "step skipped: its size is 2")
    happened.note(gate, found)
    part = operation("part", "gate", condition_of="gate")
    assert decided(part, happened) == Decision(LEFT_OUT, "step skipped")
    assert decided(operation("next", "part"), happened).verdict is Verdict.RUN


#: The guard, what happened, how things are, and why the operation is not needed; empty if it runs.
CASES: list[tuple[dict[str, Any], History, dict[str, Any], str]] = [
    ({}, History(), {"status": OK}, ""),
    ({"unless_ok": True}, History(), {"status": OK}, "check reported ok"),
    ({"unless_ok": True}, History(), {"status": ERR}, ""),
    ({"unless_ok": True}, History(brought_up={"n"}), {"status": OK}, ""),
    ({"only_if_absent": True}, History(), {"status": OK}, "check did not report absent"),
    ({"only_if_absent": True}, History(), {"status": None}, "check did not report absent"),
    ({"only_if_absent": True}, History(), {"status": GONE}, ""),
    ({"only_if_absent": True}, History(brought_up={"n"}), {"status": OK}, ""),
    ({"unless_absent": True}, History(), {"status": OK}, ""),
    ({"unless_absent": True}, History(), {"status": GONE}, "check reported absent"),
    ({"unless_absent": True}, History(made_anew={"n"}), {"status": OK}, "check reported absent"),
    ({"only_if_brought_up": "db"}, History(), {}, "check of db reported ok"),
    ({"only_if_brought_up": "db"}, History(brought_up={"db"}), {}, ""),
    ({"only_if_made_anew": "db"}, History(brought_up={"db"}), {}, "check of db did not report absent"),
    ({"only_if_made_anew": "db"}, History(made_anew={"db"}), {}, ""),
    ({"unless_unchanged": "configure"}, History(), {}, ""),
    ({"unless_unchanged": "configure"}, History(unchanged={"configure"}), {}, "nothing it applies has changed"),
    ({"only_if_reads_changed": True}, History(), {"reads_changed": lambda: True}, ""),
    ({"only_if_reads_changed": True}, History(), {"reads_changed": lambda: False}, "no value it reads has changed"),
    ({"only_if_attributes_changed": "db"}, History(new_values={"::dbs::port"}), {}, "no attribute of db has changed"),
    ({"only_if_attributes_changed": "db"}, History(new_values={"::db::port"}), {}, ""),
    ({"branch": Branch((), ()), "unless_ok": True}, History(), {"status": OK}, "workflow took another branch"),
    ({"unless_ok": True, "only_if_reads_changed": True}, History(), {"status": OK}, "check reported ok"),
]


@pytest.mark.parametrize(("guard", "happened", "present", "reason"), CASES)
def test_what_is_not_needed_and_why(
    guard: dict[str, Any], happened: History, present: dict[str, Any], reason: str
) -> None:
    found = decided(operation(**guard), happened, **present)
    assert found.reason == reason
    assert (found.verdict is Verdict.RUN) == (not reason)


@pytest.mark.parametrize(
    ("guard", "brought_up", "made_anew"),
    [
        ({}, set(), set()),
        ({"unless_ok": True}, {"n"}, set()),
        ({"only_if_absent": True}, {"n"}, {"n"}),
    ],
)
def test_what_runs_behind_a_check_brings_its_instance_up(
    guard: dict[str, bool], brought_up: set[str], made_anew: set[str]
) -> None:
    for decision in (Decision(NOT_NEEDED, "check reported ok"), Decision(Verdict.RUN)):
        happened = History()
        happened.note(operation(**guard), decision)
        runs = decision.verdict is Verdict.RUN
        assert happened == (History(brought_up=brought_up, made_anew=made_anew) if runs else History())


def test_values_are_new_where_they_are_another() -> None:
    happened, known = History(), Instance("n", "n", local=OK, attributes={"port": 80})
    happened.note_values(known, {"name": "n", "attributes": {"port": 80}})
    assert happened == History()
    happened.note_values(known, {"name": "n", "attributes": {"port": 81}})
    happened.note_values(None, {"name": "other", "attributes": {"port": 1}})
    assert happened.new_values == {"::n::port", "::other::port"}
