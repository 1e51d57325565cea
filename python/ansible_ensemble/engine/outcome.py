"""The outcome of a job, from the entries of its journal."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from ansible_ensemble.core.errors import Locked
from ansible_ensemble.engine.journal_entries import Blocked, Cancelled, Entry, Finished, Mended, Skipped, Started
from ansible_ensemble.execution.states import State
from ansible_ensemble.instances.lifecycle import only_looks

KILLED = "the job was killed"
#: Ends the key of the entry by which an operation failed for what it reported: that cannot be planned.
REPORTED = ">plan"
_WELL = (State.SUCCEEDED, State.SKIPPED)


class JobOutcome(Struct, frozen=True):
    """How a job ended. Exit code, text, report, record and the playbook's result only say it in their ways.

    Attributes:
        job: its change id.
        ok: the job did what it is for: all that counts succeeded, or had nothing to do.
        changed: whether an operation changed something or, in a dry run, would; one counts of which
            nobody knows, because it was interrupted or a dry run left it out.
        counts: operations by the state they ended in; sub-tasks are their operation's business.
        failing: of these, the ones for which it is not ok.
        errors: why those of them failed that did, by key.
        excused: operations that failed or were blocked, which does not count: key -> why.
        stopped: why the job was stopped before its end, or None.
        signal: the number of the signal that stopped it, or None.
        lost_lock: whether it was stopped because its lock was lost.
    """

    job: str
    ok: bool
    changed: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    failing: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    excused: Mapping[str, str] = field(default_factory=dict)
    stopped: str | None = None
    signal: int | None = None
    lost_lock: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ran it."""
        return Locked.exit_code if self.lost_lock else exit_code(self.ok, self.signal)

    @property
    def word(self) -> str:
        """It in a word: `ok`, `failed`, `stopped`, or `interrupted` where it was killed."""
        if self.ok:
            return "ok"
        if self.stopped is None:
            return "failed"
        return "interrupted" if self.stopped == KILLED else "stopped"

    @property
    def reason(self) -> str:
        """The reason if it is not ok."""
        if self.signal is not None:
            return f"the job was stopped by {signal.Signals(self.signal).name}"
        if self.stopped:
            return self.stopped if self.stopped == KILLED else f"the job was stopped: {self.stopped}"
        return f"the job failed: {', '.join(f'{count} {name}' for name, count in self.failing.items())}"


def exit_code(ok: bool, number: int | None) -> int:
    """The exit code for a job that is ok, or was stopped by the signal of a number; one that came too late is none."""
    if ok:
        return 0
    return 128 + number if number is not None else 1


class _Ending(Struct, frozen=True):
    """How an operation ended: how, whether that does not count by its priority, what blocked it, and why it failed."""

    how: State
    optional: bool = False
    by: tuple[str, ...] = ()
    error: str = ""


class Endings:
    """The endings of a job's operations, gathered from its entries in their order.

    Args:
        job: the job's change id.
    """

    def __init__(self, job: str) -> None:
        self._job = job
        self._open: dict[str, Started] = {}
        self._endings: dict[str, _Ending] = {}
        self._mended: set[str] = set()
        self._changed = False

    def take(self, entry: Entry) -> None:
        """Take in an entry of the journal."""
        match entry:
            case Mended(keys=keys):
                self._mended.update(keys)
            case Started(key=key) if not _is_of_sub_task(entry):
                self._open[key] = entry
                self._endings.pop(key, None)
                self._endings.pop(key + REPORTED, None)
            case Finished() if not _is_of_sub_task(entry):
                self._end(entry.key, _Ending(_how(entry), entry.optional, error=entry.error or ""))
                self._changed |= entry.changed is not False
            case Blocked(key=key, by=by, optional=optional):
                self._end(key, _Ending(State.BLOCKED, optional, by))
            case Skipped(key=key):
                self._end(key, _Ending(State.SKIPPED))
            case Cancelled(key=key):
                self._end(key, _Ending(State.CANCELLED))

    def _end(self, key: str, ending: _Ending) -> None:
        self._open.pop(key, None)
        self._endings[key] = ending

    def outcome(self, stopped: str | None = None, signal: int | None = None, *, lost_lock: bool = False) -> JobOutcome:
        """The outcome of a job that came to its end, or was stopped for a reason, by a signal or for its lost lock."""
        cut_off = [entry for entry in self._open.values() if entry.implementation]  # other steps run nothing
        ways = {key: ending.how for key, ending in self._endings.items()}
        ways |= dict.fromkeys((entry.key for entry in cut_off), State.INTERRUPTED)
        excused = self._excused()
        failing = {key: way for key, way in ways.items() if way not in _WELL and key not in excused}
        return JobOutcome(
            job=self._job,
            ok=stopped is None and not failing,
            changed=self._changed or not all(only_looks(entry.operation) for entry in cut_off),
            counts=_counted(ways.values()),
            failing=_counted(failing.values()),
            errors={key: self._endings[key].error for key, way in failing.items() if way is State.FAILED},
            excused=excused,
            stopped=stopped,
            signal=signal,
            lost_lock=lost_lock,
        )

    def _excused(self) -> dict[str, str]:
        """Failures that do not count, and what was blocked by nothing else.

        A failure that on_failure leads from is seen to by the steps that it leads to [TOSCA 1.3, 3.6.26].
        """
        found: dict[str, str] = {}
        for key, ending in self._endings.items():
            if ending.how is State.FAILED and key.removesuffix(REPORTED) in self._mended:
                found[key] = "on_failure"
            elif ending.optional and ending.how in (State.FAILED, State.BLOCKED):
                found[key] = "priority"
        causes = {key.removesuffix(REPORTED): why for key, why in found.items()}
        for key, ending in self._endings.items():
            if ending.how is State.BLOCKED and ending.by and causes.keys() >= set(ending.by):
                causes[key] = found.setdefault(key, causes[ending.by[0]])
        return found


def _counted(ways: Iterable[State]) -> dict[str, int]:
    counts = Counter(ways)
    return {state.value: counts[state] for state in State if counts[state]}


def _how(entry: Finished) -> State:
    if entry.ok:
        return State.SUCCEEDED
    return State.INTERRUPTED if entry.result.get("cancelled") else State.FAILED


def _is_of_sub_task(entry: Started | Finished) -> bool:
    """Whether an entry is of a part of another operation, which answers for it."""
    return ">" in entry.key and entry.implementation is not None
