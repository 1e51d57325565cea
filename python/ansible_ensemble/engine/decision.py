"""Whether a planned operation runs when it is due, by its guard and the job's history."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from enum import Enum
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.guard import Branch, Guard
from ansible_ensemble.planning.planned_operation import PlannedOperation


class Verdict(Enum):
    """What is decided about an operation.

    It runs; the workflow takes another branch, which holds for all that wait for it; its step's condition is not met,
    which holds for the whole step; or it alone has nothing to do.
    """

    RUN = "run"
    OTHER_BRANCH = "other branch"
    CONDITION_NOT_MET = "condition not met"
    NOT_NEEDED = "not needed"


class Decision(Struct, frozen=True):
    """A verdict, with the reason if the operation does not run."""

    verdict: Verdict
    reason: str = ""


RUN = Decision(Verdict.RUN)
_OTHER_BRANCH = Decision(Verdict.OTHER_BRANCH, "workflow took another branch")


class History(Struct):
    """What guards need of the job's history.

    Attributes:
        passed_over: keys of operations of branches that were not taken.
        left_out: keys of operations whose step's condition is not met.
        unchanged: keys of operations that succeeded and reported no change.
        new_values: refs of attributes that got another value.
        brought_up, made_anew: names of instances, see `Guard.unless_ok` and `Guard.only_if_absent`.
    """

    passed_over: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    unchanged: set[str] = field(default_factory=set)
    new_values: set[str] = field(default_factory=set)
    brought_up: set[str] = field(default_factory=set)
    made_anew: set[str] = field(default_factory=set)

    def note(self, planned: PlannedOperation, decision: Decision) -> None:
        """Note what was decided about an operation."""
        guard = planned.guard
        match decision.verdict:
            case Verdict.OTHER_BRANCH:
                self.passed_over.add(planned.key)
            case Verdict.CONDITION_NOT_MET:
                self.left_out.add(planned.key)
            case Verdict.RUN if guard.unless_ok or guard.only_if_absent:
                self.brought_up.add(planned.instance)
                self.made_anew.update([planned.instance] if guard.only_if_absent else ())

    def note_values(self, instance: Instance | None, patch: Mapping[str, Any]) -> None:
        """Note the attributes that a patch gives another value than the instance has; None if it is new."""
        for name, value in patch.get("attributes", {}).items():
            if instance is None or instance.attributes.get(name) != value:
                self.new_values.add(f"::{patch['name']}::{name}")


class Present(Struct, frozen=True):
    """What guards need of the present.

    Attributes:
        failed: keys of those operations of the guard's branch that failed, or are blocked by one that did.
        status: of the operation's instance; None if it is not there.
        unmet: says why the guard's condition is not met, None if it is.
        reads_changed: says whether a value that the instance read the last time is another now.
    """

    failed: Set[str]
    status: Status | None
    unmet: Callable[[], str | None]
    reads_changed: Callable[[], bool]


def decide(planned: PlannedOperation, happened: History, present: Present) -> Decision:
    """Whether an operation runs now."""
    guard = planned.guard
    if not happened.passed_over.isdisjoint(planned.waits_for) or not _is_taken(guard.branch, happened, present.failed):
        return _OTHER_BRANCH
    if guard.condition_of in happened.left_out:
        return Decision(Verdict.CONDITION_NOT_MET, "step skipped")
    if guard.condition is not None and (fault := present.unmet()) is not None:
        return Decision(Verdict.CONDITION_NOT_MET, f"step skipped: {fault}")
    reason = _reported(guard, planned.instance, happened, present.status) or _unchanged(guard, happened, present)
    return Decision(Verdict.NOT_NEEDED, reason) if reason else RUN


def _is_taken(branch: Branch | None, happened: History, failed: Set[str]) -> bool:
    """Whether a workflow takes a branch [TOSCA 1.3, 3.6.26]."""
    if branch is None or not failed.isdisjoint(branch.failed):
        return True
    return bool(branch.succeeded) and (failed | happened.passed_over).isdisjoint(branch.succeeded)


def _reported(guard: Guard, instance: str, happened: History, status: Status | None) -> str | None:
    """Why an operation is not needed after what a check reported; the first of a chain decides for all of it."""
    first = instance not in happened.brought_up
    if guard.unless_ok and first and status is Status.OK:
        return "check reported ok"
    if guard.only_if_absent and first and status is not Status.ABSENT:
        return "check did not report absent"
    if guard.unless_absent and (status is Status.ABSENT or instance in happened.made_anew):
        return "check reported absent"
    if guard.only_if_brought_up not in (None, *happened.brought_up):
        return f"check of {guard.only_if_brought_up} reported ok"
    if guard.only_if_made_anew not in (None, *happened.made_anew):
        return f"check of {guard.only_if_made_anew} did not report absent"
    return None


def _unchanged(guard: Guard, happened: History, present: Present) -> str | None:
    """Why an operation is not needed where nothing is another than before."""
    if guard.unless_unchanged in happened.unchanged:
        return "nothing it applies has changed"
    if guard.only_if_reads_changed and not present.reads_changed():
        return "no value it reads has changed"
    target = guard.only_if_attributes_changed
    if target is not None and not any(ref.startswith(f"::{target}::") for ref in happened.new_values):
        return f"no attribute of {target} has changed"
    return None
