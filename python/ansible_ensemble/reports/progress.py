"""The progress of a job: its journal's events as lines, one when an operation starts and one when it ended."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.journal_kinds import EntryKind
from ansible_ensemble.core.regex import regex
from ansible_ensemble.reports.dependants import Dependants
from ansible_ensemble.reports.drift_text import is_not_checked
from ansible_ensemble.reports.names import event_title, key_title
from ansible_ensemble.reports.plan_words import running
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import clip, pad
from ansible_ensemble.reports.values import clean

#: Seconds after which an operation that still runs is named again; after that, each time it has run twice as long.
FIRST_REMINDER = 10.0
#: A task of a play, told in a line, up to the word for how it ended.
_TASK = regex(r"^(TASK \[.*?\] )(ok|changed|skipped|ignored|failed|unreachable)(?=: \[)")
#: How many of the operations that wait for one are named.
_NAMED = 5


class Running(Struct):
    """An operation that runs.

    Attributes:
        title: `<instance>: <operation>`.
        number: its number in the job, in order of starting.
        since: when it started, in seconds of the clock that `Progress.tick` is asked with.
        host: where it runs; empty if not shown.
        reminder: how many seconds it has run when it is named again.
    """

    title: str
    number: int
    since: float
    host: str = ""
    reminder: float = FIRST_REMINDER

    @property
    def named(self) -> str:
        """Its title, and where it runs."""
        return f"{self.title} on {self.host}" if self.host else self.title


class Progress(Struct):
    """Turns events into lines, and knows what runs. Steps that run nothing are not shown.

    Attributes:
        style: how to emphasise.
        total: number of operations, 0 where it is not known.
        silent: keys of the steps that run nothing.
        numbers: the number of each operation that was named, by key; one that is tried again keeps its own.
        running: the operations that run, by key.
        failed: keys of those that failed, and are not tried again.
        dependants: what waits for what; None if it is not shown.
        hosts: whether to tell where each operation runs.
    """

    style: Style = field(default_factory=Style)
    total: int = 0
    silent: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    dependants: Dependants | None = None
    hosts: bool = False

    @classmethod
    def of_plan(cls, plan: dict[str, Any], style: Style | None = None, *, verbosity: int = 0) -> Progress:
        """The progress of executing a plan: from verbosity 1 on with each host, from 2 on with what waits for what."""
        shown = running(plan)
        silent = {operation["key"] for operation in plan["operations"]} - shown.keys()
        dependants = Dependants(plan) if verbosity > 1 else None
        return cls(style or Style(), total=len(shown), silent=silent, dependants=dependants, hosts=verbosity > 0)

    def lines(self, event: dict[str, Any], now: float) -> list[str]:
        """The lines for an event of the journal, none if users need not see it; `now` is in seconds of a clock."""
        kind = event.get("event")
        if kind == EntryKind.JOB_STARTED:
            self.total = self.total or int(event.get("total") or 0)
            return []
        if kind == EntryKind.STOPPING:
            names = ", ".join(one.title for one in self.running.values())
            head = f"Stopping, {clean(str(event['reason']))};" if event.get("reason") else "Stopping:"
            return [f"{head} waiting for {names}" if names else head.rstrip(":;")]
        if kind == EntryKind.WAITING:
            return self._waiting(event)
        if kind == EntryKind.PROGRESSED:
            return self._progressed(event)
        if kind not in _TOLD:
            return []
        if self.dependants is not None:
            self.dependants.end(event["key"])
        if self._is_silent(event):
            return []
        if kind == EntryKind.STARTED:
            return self._started(event, now)
        return self._finished(event, now) if kind == EntryKind.FINISHED else self._not_run(event, kind)

    def tick(self, now: float) -> list[str]:
        """Lines that name long-running operations, each at growing intervals."""
        lines = []
        for key, one in self.running.items():
            seconds = now - one.since
            if seconds >= one.reminder:
                while one.reminder <= seconds:
                    one.reminder *= 2
                running = f"{one.named} still running ({seconds:.0f}s)"
                lines.append(f"{self._count(one.number)} {running}{self._held_up(key)}")
        return lines

    def _held_up(self, key: str) -> str:
        behind = self.dependants.of(key) if self.dependants is not None else []
        if not behind:
            return ""
        names = [clean(key_title(other)) for other in behind[:_NAMED]]
        more = [f"{len(behind) - _NAMED} more"] if len(behind) > _NAMED else []
        return f"; {', '.join(names + more)} {'waits' if len(behind) == 1 else 'wait'} for it"

    def _waiting(self, event: dict[str, Any]) -> list[str]:
        if self.dependants is None:
            return []
        causes = ", ".join(key_title(str(item)) for item in event.get("for") or [])
        return [clean(f"{key_title(event['key'])} waits for {causes}")] if causes else []

    def _progressed(self, event: dict[str, Any]) -> list[str]:
        """The progress message of a running operation; that of a sub-task counts for its operation."""
        one = self.running.get(event["key"].partition(">")[0])
        if one is None:
            return []
        text, tasks = _TASK.subn(
            lambda found: found[1] + self.style.status(found[2]), clean(str(event["text"])), count=1
        )
        title = one.title if tasks else one.named  # a task names its host itself
        return [f"{self._count(one.number)} {title}: {text}"]

    def _is_silent(self, event: dict[str, Any]) -> bool:
        if event["key"] in self.silent:
            return not self._failed(event)
        return event.get("implementation") == "" and not self._failed(event)

    @staticmethod
    def _failed(event: dict[str, Any]) -> bool:
        return event["event"] == EntryKind.FINISHED and not event.get("ok")

    def _begin(self, event: dict[str, Any], now: float) -> Running:
        number = self.numbers.setdefault(event["key"], len(self.numbers) + 1)
        self.total = max(self.total, number)
        return Running(clean(event_title(event)), number, now, self._host(event))

    def _host(self, event: dict[str, Any]) -> str:
        return clean(str(event.get("node") or event.get("host") or "")) if self.hosts else ""

    def _started(self, event: dict[str, Any], now: float) -> list[str]:
        one = self.running.pop(event["key"], None) or self._begin(event, now)
        self.running[event["key"]] = one
        self.failed.discard(event["key"])
        attempt = int(event.get("attempt") or 1)
        again = f" (attempt {attempt})" if attempt > 1 else ""
        return [f"{self._count(one.number)} {one.named} ...{again}"]

    def _finished(self, event: dict[str, Any], now: float) -> list[str]:
        one = self.running.pop(event["key"], None) or self._begin(event, now)
        seconds = event.get("seconds")
        took = now - one.since if seconds is None else float(seconds)
        one.host = self._host(event) or one.host
        head = f"{self._count(one.number)} {one.named}"
        if event.get("ok"):
            return [f"{head} {self._came_of(event)} ({took:.1f}s)"]
        self.failed.add(event["key"])
        error = clean(str(event.get("error") or "")).strip().split("\n", maxsplit=1)[0]
        return [self._fit(f"{head} {self.style.bad('failed')} ({took:.1f}s){f': {error}' if error else ''}")]

    def _came_of(self, event: dict[str, Any]) -> str:
        """The result of an operation that succeeded; a check or discover operation says what it found."""
        if event.get("basis") == "not-run":
            return self.style.skipped("not checked" if is_not_checked(event) else "not run")
        found = next((patch.get("status") for patch in event.get("patches") or () if patch.get("status")), None)
        if found and str(event.get("operation")).endswith((".check", ".discover")):
            return f"found {self.style.status(found)}"
        if event.get("basis") == "predicted":
            return self.style.changed("would change") if event.get("changed") else self.style.good("would not change")
        return self.style.changed("changed") if event.get("changed") else self.style.good("ok")

    def _not_run(self, event: dict[str, Any], kind: str) -> list[str]:
        one = self.running.pop(event["key"], None) or self._begin(event, 0.0)
        return [self._fit(f"{self._count(one.number)} {one.title} {self.style.status(kind)}{_because(event)}")]

    def _fit(self, line: str) -> str:
        """A line cut to the width of the terminal; the rest is shown at the end."""
        return line if self.style.columns is None else clip(line, self.style.columns)

    def _count(self, number: int) -> str:
        total = str(self.total or "?")
        return self.style.faint(f"[{pad(str(number), len(total), right=True)}/{total}]")


_TOLD = (EntryKind.STARTED, EntryKind.FINISHED, EntryKind.BLOCKED, EntryKind.SKIPPED, EntryKind.CANCELLED)


def _because(event: dict[str, Any]) -> str:
    if event["event"] == EntryKind.BLOCKED:
        causes = [event_title({"key": key}) for key in event.get("by") or []]
        return clean(f": needs {', '.join(causes)}") if causes else ""
    reason = event.get("reason")
    return f": {clean(str(reason))}" if reason else ""
