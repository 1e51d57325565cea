"""What the scheduler is told (events) and what it asks for (instructions). Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ansible_ensemble.execution.states import State


@dataclass(frozen=True, slots=True)
class ScheduledOperation:
    """An operation as the scheduler sees it.

    Attributes:
        key: its name, unique in the job.
        waits_for: keys of operations that must have succeeded (or been skipped) before it. A key that is not known
            (yet) counts as not ended.
        waits_end: keys of operations that must have ended, with whatever result, before it.
        groups: serial groups; of each group at most one operation runs at a time, unless the limits say more.
        host: where it runs, for the limit per host; None counts for no host. What is known only once the operation is
            rendered, is told by `Placed`.
        weight: its expected duration, in any unit; the longest path by weight goes first.
        critical: once it has failed, nothing new is started.
        optional: its failure is no failure for others: who needs it runs all the same.
        instances: the instances that it is about, its own first. What is about an optional one that failed is blocked
            with it, and as little of a failure.
        retries: how many times it is tried again after a failure or a timeout.
        backoff: seconds before the first retry; doubled with each further one, up to `MAX_BACKOFF`.
        timeout: seconds an attempt may take, handed to the worker.
        parent: the operation whose sub-task this is. When the job stops, the sub-tasks of what is under way still run.
    """

    key: str
    waits_for: tuple[str, ...] = ()
    waits_end: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    host: str | None = None
    weight: float = 1.0
    critical: bool = False
    optional: bool = False
    instances: tuple[str, ...] = ()
    retries: int = 0
    backoff: float = 1.0
    timeout: float | None = None
    parent: str | None = None


#: The longest pause between two attempts, in seconds.
MAX_BACKOFF = 300.0


@dataclass(frozen=True, slots=True)
class OperationsAdded:
    """Operations to run: the plan at first; sub-tasks and operations of new instances while the job runs."""

    operations: tuple[ScheduledOperation, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """The operation is rendered and goes to its worker now."""

    key: str


@dataclass(frozen=True, slots=True)
class Placed:
    """The operation is rendered, so its host and its serial groups are known now.

    If there is no room, it gives its place free, is ready again and is run once there is; as `Run` of the same attempt.
    Whoever sends the event goes on if the operation is `running` afterwards.

    Attributes:
        host: in the place of `ScheduledOperation.host`.
        groups: in the place of `ScheduledOperation.groups`.
    """

    key: str
    host: str | None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The operation did what it is for."""

    key: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The operation failed.

    Attributes:
        error: the reason in words.
        final: trying again can't help (its inputs are wrong, say).
    """

    key: str
    error: str = ""
    final: bool = False


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The operation took longer than it may, and was ended."""

    key: str
    error: str = "it took too long"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The operation's worker died under it, or it was ended midway: started, outcome unknown."""

    key: str
    error: str = "it was interrupted"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The operation was cancelled, before it began or at the job's wish."""

    key: str
    reason: str = "it was cancelled"


@dataclass(frozen=True, slots=True)
class Skipped:
    """There is nothing to do for the operation."""

    key: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Deferred:
    """The operation can't go on before something else is done; it gives its place free and is run again then.

    Attributes:
        waits_for: keys of operations that must have succeeded; if one does not, the operation is blocked.
        waits_end: keys of operations that must have ended; a sub-task, whose result the operation handles itself.
        references: names of other things (an attribute, say) that somebody has to provide.
    """

    key: str
    waits_for: tuple[str, ...] = ()
    waits_end: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provided:
    """References that deferred operations may wait for are there now."""

    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetryDue:
    """The pause before an operation's next attempt is over."""

    key: str


@dataclass(frozen=True, slots=True)
class LockLost:
    """The ensemble's lock is gone: nothing new may start, what runs ends."""

    reason: str = "the lock was lost"


@dataclass(frozen=True, slots=True)
class StopRequested:
    """Start nothing new, let end what runs (the first SIGINT or SIGTERM)."""

    reason: str = "the job was told to stop"


@dataclass(frozen=True, slots=True)
class KillRequested:
    """Start nothing new, end what runs (the second signal)."""

    reason: str = "the job was told to stop at once"


@dataclass(frozen=True, slots=True)
class Blocked:
    """The scheduler's own finding: one that the operation needs did not succeed.

    Attributes:
        by: the operations (or references) that are to blame: what failed first, not what was blocked in between; of
            operations that wait in a ring or for something that never comes, what each waits for.
        lost: the optional instances that it is blocked with, see `ScheduledOperation.optional`; empty for a failure.
    """

    key: str
    by: tuple[str, ...]
    lost: frozenset[str] = frozenset()


#: Events about one operation.
OperationEvent = (
    Placed | Started | Succeeded | Failed | TimedOut | Interrupted | Cancelled | Skipped | Deferred | RetryDue
)
Event = OperationEvent | OperationsAdded | Provided | LockLost | StopRequested | KillRequested


#: Events after which an operation has ended.
Ending = Succeeded | Failed | TimedOut | Interrupted | Cancelled | Skipped | Blocked


@dataclass(frozen=True, slots=True)
class Run:
    """Render and run the operation.

    Attributes:
        attempt: counts from 1.
        timeout: seconds it may take, or None.
        resumed: it goes on where it was deferred, or had no room on its host, in the same attempt.
    """

    key: str
    attempt: int
    timeout: float | None = None
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Persist:
    """Write the event to the journal; instructions that follow rely on its being there."""

    event: Started | Ending


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell observers that an operation changed its state."""

    key: str
    state: State
    cause: str = ""


@dataclass(frozen=True, slots=True)
class CancelRunning:
    """End these running operations; each still has to be reported."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """Send `RetryDue` for the operation after so many seconds."""

    key: str
    seconds: float


@dataclass(slots=True)
class Summary:
    """How a job went.

    Attributes:
        counts: number of operations by the state they ended in.
        blocked: of each blocked operation, what is to blame.
        stuck: of each operation that nothing could bring on (a ring, a reference nobody provided, an operation that
            never came), what it waited for; these are among the blocked.
        stopped: why the job was stopped before its end, or None.
    """

    counts: dict[State, int] = field(default_factory=dict)
    blocked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stuck: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Every operation has ended. The last instruction."""

    summary: Summary


Instruction = Run | Persist | Notify | CancelRunning | RetryAfter | Done
