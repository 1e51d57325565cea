"""Operations as tasks: what callback plugins of Ansible are told of a job's entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.orders import Host
from ansible_ensemble.engine.journal_entries import Entry, Finished, Skipped, Started
from ansible_ensemble.lanes.core_callbacks import TaskEvent
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.reports.names import event_title, key_title

#: Keys of a result that callbacks get in other ways, or that core makes of its own objects.
_OTHERWISE = frozenset({"changed", "failed", "skipped", "unreachable", "diff", "warnings", "deprecations", "exception"})
#: Keys of the journal's entry that callbacks get as `ensemble`.
_ENTRY_KEYS = ("instance", "template", "operation", "relationship", "task", "seconds", "lane", "messages")


class CallbackEvents(Struct):
    """An observer of a job that tells of each operation that runs something, as of a task.

    Attributes:
        send: takes an event.
        planned: the plan's operations by key, for those that do not run and for retries.
        place_of: where a node template is written, by its name.
        diff: whether differences are shown.
        attempts: how often an operation was begun, by key.
    """

    send: Callable[[TaskEvent], None]
    planned: Mapping[str, PlannedOperation]
    place_of: Callable[[str | None], Place | None]
    diff: bool = False
    attempts: dict[str, int] = field(default_factory=dict)

    def __call__(self, entry: Entry) -> None:
        """Tell of the entry, if an operation that runs something begins or ends by it."""
        match entry:
            case Started() if entry.implementation:
                self.attempts[entry.key] = entry.attempt
                if entry.attempt == 1:
                    self.send(self._event(entry))
            case Finished() if entry.implementation != "":
                self.send(self._ended(entry))
            case Skipped():
                self._skip(entry)

    def _event(self, entry: Started | Finished) -> TaskEvent:
        return TaskEvent(
            id=entry.task,
            name=event_title(entry.to_json()),
            action=entry.implementation or entry.operation,
            host=entry.host or Host().name,
            place=self.place_of(entry.template),
            diff=self.diff,
        )

    def _ended(self, entry: Finished) -> TaskEvent:
        result, ending = result_of(entry), self._ending(entry)
        if ending == "retry":
            result |= {"attempts": self.attempts[entry.key], "retries": self._retries(entry.key) + 1}
        return replace(
            self._event(entry), ending=ending, result=result, no_log="censored" in result, ignored=entry.optional
        )

    def _ending(self, entry: Finished) -> str:
        if entry.ok:
            was_skipped = entry.basis is Basis.NOT_RUN or (entry.result.get("result") or {}).get("skipped")
            return "skipped" if was_skipped else "ok"
        if entry.result.get("cancelled") or entry.key not in self.attempts:
            return "failed"
        if self.attempts[entry.key] <= self._retries(entry.key):
            return "retry"
        return "unreachable" if entry.result.get("unreachable") else "failed"

    def _retries(self, key: str) -> int:
        return self.planned[key].retry.retries if key in self.planned else 0

    def _skip(self, entry: Skipped) -> None:
        planned = self.planned.get(entry.key)
        if planned is None or not planned.implementation:
            return
        event = TaskEvent(
            id=entry.key,
            name=key_title(entry.key),
            action=planned.implementation,
            host=planned.host,
            place=self.place_of(planned.template),
            ending="skipped",
            result={"changed": False, "skipped": True, "skip_reason": entry.reason},
        )
        self.send(event)


def result_of(entry: Finished) -> dict[str, Any]:
    """The result of an operation as that of a task, in which no secret is; `ensemble` says what it was."""
    fields, returned = entry.to_json(), entry.result.get("result") or {}
    result = {name: value for name, value in returned.items() if name not in _OTHERWISE}
    for name in ("stdout", "stderr", "rc"):
        if entry.result.get(name) not in (None, ""):
            result.setdefault(name, entry.result[name])
    result |= {"changed": bool(entry.changed), "failed": not entry.ok}
    if not entry.ok:
        result["msg"] = entry.error or result.get("msg") or "it failed"
    if entry.result.get("unreachable"):
        result["unreachable"] = True
    if entry.basis is Basis.NOT_RUN or returned.get("skipped"):
        result["skipped"] = True
        result["skip_reason"] = "; ".join(entry.messages) or str(returned.get("skip_reason") or "it does not run")
    if entry.diff:
        result["diff"] = list(entry.diff)
    result["ensemble"] = {name: fields[name] for name in _ENTRY_KEYS if fields.get(name)}
    return result
