"""Input (events) and output (instructions) of the scheduler. Plain data."""

from __future__ import annotations

from msgspec import Struct


class ScheduledOperation(Struct, frozen=True):
    """An operation as the scheduler sees it.

    Attributes:
        key: its name, unique in the job.
        waits_for: keys of operations that must have succeeded (or been skipped) before it. A key that is not known
            (yet) counts as not ended.
        waits_end: keys of operations that must have ended, with whatever result, before it.
        groups: serial groups; of each group one operation runs at a time. Which else it takes and on which host it
            runs is reported by `Placed`.
        critical: once it has failed, nothing new is started.
        optional: its failure does not block others: dependents run anyway.
        instances: the instances that it is about, its own first. What is about an optional one that failed is blocked
            with it, and as little of a failure.
        retries: how many times it is tried again after a failure or a timeout.
        backoff: seconds before the first retry; doubled with each further one, up to `MAX_BACKOFF`.
        nodes: a pattern of the nodes of a mesh of which one runs it; None if it runs here.
    """

    key: str
    waits_for: tuple[str, ...] = ()
    waits_end: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    critical: bool = False
    optional: bool = False
    instances: tuple[str, ...] = ()
    retries: int = 0
    backoff: float = 1.0
    nodes: str | None = None


#: The longest pause between two attempts, in seconds.
MAX_BACKOFF = 300.0


class OperationsAdded(Struct, frozen=True):
    """Operations to run: the plan at first, those of new instances while the job runs."""

    operations: tuple[ScheduledOperation, ...]


class _OfOperation(Struct, frozen=True):
    """What is about one operation, by its key."""

    key: str


class Started(_OfOperation, frozen=True):
    """The operation is rendered and goes to its worker now."""


class Placed(_OfOperation, frozen=True):
    """The operation is rendered, so its host and its serial groups are known now.

    If a slot is taken, it releases its own, is ready again and is run once there is one; as `Run` of the same attempt.
    The sender of the event continues if the operation is `running` afterwards.

    Attributes:
        host: where it runs, for the limit per host; None counts for no host.
        groups: instead of `ScheduledOperation.groups`.
    """

    host: str | None
    groups: tuple[str, ...] = ()


class NodesKnown(Struct, frozen=True):
    """The nodes that a pattern means and that can take operations now; an empty one means that it is not known.

    What is ready and may run on one of them is given the one that has the least to do, and waits while all are full.
    """

    pattern: str
    nodes: tuple[str, ...]


class Misplaced(_OfOperation, frozen=True):
    """The operation's node cannot take it any more, or it was given none, for none was known.

    It is given another one, or is ready again, as after `Placed`.
    """


class NodeLeft(Struct, frozen=True):
    """A node has one operation less that was given it by `Scheduler.take`."""

    node: str


class Succeeded(_OfOperation, frozen=True):
    """The operation did what it is for."""


class Failed(_OfOperation, frozen=True):
    """The operation failed.

    Attributes:
        error: the reason in words.
        final: trying again can't help (its inputs are wrong, say).
    """

    error: str = ""
    final: bool = False


class TimedOut(_OfOperation, frozen=True):
    """The operation took longer than it may, and was ended."""

    error: str = "it took too long"


class Interrupted(_OfOperation, frozen=True):
    """The operation's worker died under it, or it was ended midway: started, outcome unknown."""

    error: str = "it was interrupted"


class Cancelled(_OfOperation, frozen=True):
    """The operation was cancelled, before it began or at the job's wish. As an instruction: record it."""

    reason: str = "it was cancelled"


class Skipped(_OfOperation, frozen=True):
    """There is nothing to do for the operation."""

    reason: str = ""


class Deferred(_OfOperation, frozen=True):
    """The operation needs values that others have to set; it releases its slot and is run again then.

    Attributes:
        references: their names.
    """

    references: tuple[str, ...]


class Provided(Struct, frozen=True):
    """References that deferred operations may wait for are there now."""

    references: tuple[str, ...]


class RetryDue(_OfOperation, frozen=True):
    """The pause before an operation's next attempt is over."""


class StopRequested(Struct, frozen=True):
    """Start nothing new, let end what runs (the first SIGINT or SIGTERM, a lost lock)."""

    reason: str = "the job was told to stop"


class KillRequested(Struct, frozen=True):
    """Start nothing new, end what runs (the second signal)."""

    reason: str = "the job was told to stop at once"


class Blocked(_OfOperation, frozen=True):
    """The operation ends without a run, for one that it needs did not succeed. An instruction: record it.

    Attributes:
        by: the operations (or references) that are to blame: what failed first, not what was blocked in between; of
            operations that wait in a ring or for something that never comes, what each waits for.
        lost: the optional instances that it is blocked with, see `ScheduledOperation.optional`; empty for a failure.
    """

    by: tuple[str, ...]
    lost: frozenset[str] = frozenset()


#: Events about one operation.
OperationEvent = (
    Placed
    | Misplaced
    | Started
    | Succeeded
    | Failed
    | TimedOut
    | Interrupted
    | Cancelled
    | Skipped
    | Deferred
    | RetryDue
)
Event = OperationEvent | OperationsAdded | Provided | NodesKnown | NodeLeft | StopRequested | KillRequested


#: Events after which an operation has ended.
Ending = Succeeded | Failed | TimedOut | Interrupted | Cancelled | Skipped | Blocked


class Run(_OfOperation, frozen=True):
    """Render and run the operation.

    Attributes:
        attempt: counts from 1; it is the same again after `Deferred` and `Placed`.
    """

    attempt: int


class CancelRunning(Struct, frozen=True):
    """End these running operations; each still has to be reported."""

    keys: tuple[str, ...]


class RetryAfter(_OfOperation, frozen=True):
    """Send `RetryDue` for the operation after so many seconds."""

    seconds: float


class Done(Struct, frozen=True):
    """Every operation has ended. The last instruction.

    Attributes:
        stopped: why the job was stopped before its end, or None.
    """

    stopped: str | None


Instruction = Run | Blocked | Cancelled | CancelRunning | RetryAfter | Done
