"""The course of a job: which of its operations turn out to run once their turn has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.plan import PlannedOperation


class Course:
    """How the operations went so far, and what that means for those that follow."""

    def __init__(self) -> None:
        self._failed: set[str] = set()
        self._passed_over: set[str] = set()
        self._left_out: set[str] = set()
        self._unchanged: set[str] = set()
        self._new_values: set[str] = set()
        self._brought_up: set[str] = set()
        self._made_anew: set[str] = set()

    def failed(self, key: str) -> None:
        """Note that an operation failed, or is blocked by one that did."""
        self._failed.add(key)

    def succeeded(self, planned: PlannedOperation) -> set[str]:
        """Note that an operation succeeded, perhaps after it failed.

        Returns:
            The failed operations that it sees to: those that lead to its step by `on_failure`.
        """
        self._failed.discard(planned.key)
        return self._failed.intersection(planned.details.get("after", {}).get("failed", ()))

    def note_unchanged(self, key: str) -> None:
        """Note that an operation succeeded and said that it changed nothing."""
        self._unchanged.add(key)

    def note_values(self, instance: Instance | None, patch: dict[str, Any]) -> None:
        """Note the attributes that a patch gives another value than the instance has; None if it is new."""
        for name, value in patch.get("attributes", {}).items():
            if instance is None or instance.attributes.get(name) != value:
                self._new_values.add(f"::{patch['name']}::{name}")

    def needless(self, planned: PlannedOperation, unmet: Callable[[], str | None]) -> str | None:
        """Why an operation of an imperative workflow does not run, or None [TOSCA 1.3, 3.6.26].

        Args:
            planned: the operation. Its `details` may hold `after` (keys `succeeded` and `failed`: it runs if all of
                the former succeeded, or one of the latter failed), `filter` (a condition of its step), and `with`
                (the operation whose filter holds for it as well).
            unmet: why the filter is not met, None if it is.
        """
        if not self._is_led_to(planned):
            self._passed_over.add(planned.key)
            return "the workflow took another way"
        if planned.details.get("with") in self._left_out:
            self._left_out.add(planned.key)
            return "its step is left out"
        fault = unmet() if "filter" in planned.details else None
        if fault is not None:
            self._left_out.add(planned.key)
            return f"its step is left out: {fault}"
        return None

    def pointless(
        self, planned: PlannedOperation, instance: Instance | None, has_changed: Callable[[], bool]
    ) -> str | None:
        """Why an operation has nothing to do after what others found and did, or None.

        Args:
            planned: the operation. Its `details` may hold `unless_ok`, `only_if_absent` (what a check found decides
                for the whole chain, which changes the status), `unless_absent`, `unless_unchanged` (a key),
                `only_if_changed`, `only_if_made` and `only_if_anew` (an instance that a check decides about), and
                `only_if_target_changed` with its `target`.
            instance: its instance, as it is now.
            has_changed: whether what the operation reads has changed since it ran.
        """
        details = planned.details
        absent = instance is not None and instance.status is Status.ABSENT
        brought_up = planned.instance in self._brought_up
        if details.get("unless_ok") and not brought_up and instance is not None and instance.status is Status.OK:
            return "the check found it well"
        if details.get("only_if_absent") and not brought_up and not absent:
            return "the check found that it is there"
        if details.get("unless_absent") and (absent or planned.instance in self._made_anew):
            return "the check found it gone"
        if details.get("unless_ok") or details.get("only_if_absent"):
            self._brought_up.add(planned.instance)
        if details.get("only_if_absent"):
            self._made_anew.add(planned.instance)
        for condition, met in (("only_if_made", self._brought_up), ("only_if_anew", self._made_anew)):
            if details.get(condition) is not None and details[condition] not in met:
                return f"the check found that {details[condition]} is there"
        if details.get("unless_unchanged") in self._unchanged:
            return "nothing has changed that it would take over"
        if details.get("only_if_changed") and not has_changed():
            return "what it reads has not changed"
        if details.get("only_if_target_changed"):
            target = details["target"]
            if not any(ref.startswith(f"::{target}::") for ref in self._new_values):
                return f"no attribute of {target} has changed"
        return None

    def _is_led_to(self, planned: PlannedOperation) -> bool:
        if not self._passed_over.isdisjoint(planned.waits_for):
            return False
        after = planned.details.get("after")
        if after is None or not self._failed.isdisjoint(after["failed"]):
            return True
        before = set(after["succeeded"])
        return bool(before) and before.isdisjoint(self._failed | self._passed_over)
