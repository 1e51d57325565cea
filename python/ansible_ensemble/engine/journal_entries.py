"""The entries of a job's journal: one type a kind, from which they are written and strictly read again."""

from __future__ import annotations

from collections.abc import Mapping
from signal import Signals
from typing import Annotated, Any, ClassVar, get_args

from msgspec import Struct, field
from msgspec.structs import asdict

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.journal_kinds import EntryKind
from ansible_ensemble.core.texts import MAX_NESTING, deeper_than
from ansible_ensemble.documents.typed import ALWAYS, Typed
from ansible_ensemble.instances.patch import PATCH, Patch
from ansible_ensemble.projects.process import Process

_OPTIONS = {"inputs?": dict, "variables?": dict}
_TEXT = (str, None)
_RESULT = {"result?": (dict, None), "stdout?": _TEXT, "stderr?": _TEXT}
#: Maps and lists of an entry around what an operation returned.
_AROUND = 20


class _Entry(Typed, frozen=True):
    """What all entries have in common."""

    kind: ClassVar[EntryKind]

    def to_json(self) -> dict[str, Any]:
        """The entry as it stands in the journal."""
        return {"event": self.kind.value, **super().to_json()}


class StartingPoint(Struct, frozen=True, kw_only=True):
    """What a job starts from in git; nothing where git has no part in it.

    Attributes:
        lock: the commits of the repositories, as the `lock` section of an ensemble has them.
        commit: of the ensemble's own repository.
        dirty: by repository, the files that were dirty before.
    """

    lock: Mapping[str, Any] | None = None
    commit: str | None = None
    dirty: Mapping[str, list[str]] | None = None


class JobStarted(StartingPoint, _Entry, frozen=True, kw_only=True):
    """A job begins.

    Attributes:
        job: its change id.
        workflow: its workflow.
        ensemble: the ensemble's file.
        options: those that are not at their defaults.
        base: digests of what the plan was made from.
        summary: the plan's.
        total: number of operations that run something.
        time: seconds since the epoch.
        process: who carries it out; None if that is not known any more.
        version: of the product.
        approved_by: who approved it; empty where nobody had to, or that is not known.
        plan_digest: of the saved plan that it executes; empty where none is saved, or that is not known.
    """

    kind = EntryKind.JOB_STARTED
    job: str
    workflow: str
    ensemble: str
    options: Annotated[Mapping[str, Any], _OPTIONS]
    base: Mapping[str, str]
    summary: Mapping[str, Any]
    total: int
    time: float
    process: Annotated[Mapping[str, Any] | None, ({"Pid": int}, None)] = None
    version: str = ""
    approved_by: str = ""
    plan_digest: str = ""

    @property
    def carried_out_by(self) -> Process | None:
        """The process that carries the job out, or did; None if the journal's beginning was lost."""
        return None if self.process is None else Process.from_json(self.process)


class OperationEntry(_Entry, frozen=True, kw_only=True):
    """What entries of an operation that runs have in common.

    Attributes:
        key: the operation's key in the plan; of a sub-task, after its operation's and `>`.
        task: change id.
        instance: its instance.
        operation: `<Interface>.<operation>`.
        relationship: key of the relationship that it is of, or None.
        reason: why it was planned.
        time: seconds since the epoch.
        patches: what it changes in instances.
        optional: whether its failure is none of the job's, by its instance's priority.
    """

    key: str
    task: str
    instance: str
    operation: str
    relationship: str | None
    reason: Reason
    time: float
    patches: tuple[Annotated[Patch, PATCH], ...]
    optional: bool = False

    @property
    def own_patch(self) -> Patch:
        """The patch of the operation's own instance; an empty one if there is none."""
        return next((patch for patch in self.patches if patch["name"] == self.instance), {})


class Started(OperationEntry, frozen=True, kw_only=True):
    """An operation goes to its worker.

    Attributes:
        template: the instance's template.
        implementation: what runs; empty for a step that runs nothing.
        host: name of the inventory host that it runs on; None if it runs nothing.
        node: the node of a mesh from which it does; None if that is this machine.
        ordered_as: begins the names of the orders that it gets there: a dot and a number from 1 follow.
        attempt: counts from 1.
    """

    kind = EntryKind.STARTED
    template: str
    implementation: str
    host: str | None = None
    node: str | None = None
    ordered_as: str | None = None
    attempt: Annotated[int, ALWAYS] = 1

    def interrupted(self) -> Finished:
        """How it ended if nothing else tells: with an outcome that is unknown."""
        shared = {name: value for name, value in asdict(self).items() if name not in ("attempt", "ordered_as")}
        return Finished(**shared, ok=False, changed=None, error="interrupted", seconds=None)


class Finished(OperationEntry, frozen=True, kw_only=True):
    """An operation that ran ended, or could not be begun.

    Attributes:
        template: the instance's template; None if it could not be begun.
        implementation: what ran; None if it could not be begun.
        ok: whether it did what it is for.
        basis: what its result rests on.
        changed: whether it changed something, or would; None if that is not known.
        stays: whether it was to take away what was made, and nothing of that was there, or its own to take.
        error: the reason if it failed.
        seconds: how long it took.
        reads: digests of what decides whether it has to run again, by reference.
        values: of these what may be shown and is short: a plan tells what it was.
        inputs: as it had them.
        wrote: references to what it wrote.
        outputs: by name.
        drift: attributes that were found to be others than recorded.
        messages: for people.
        lane: what carried it out.
        host: name of the inventory host that it ran on; None if it did not run.
        node: the node of a mesh from which it did; None if that is this machine.
        result: what that returned: `rc`, `stdout`, `stderr`, `cancelled`, ...
        diff: as Ansible's modules give them.
    """

    kind = EntryKind.FINISHED
    template: str | None = None
    implementation: str | None = None
    ok: bool
    basis: Annotated[Basis, ALWAYS] = Basis.REAL
    changed: bool | None
    error: str | None
    seconds: float | None
    reads: Annotated[Mapping[str, str], ALWAYS] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    inputs: Annotated[Mapping[str, Any], ALWAYS] = field(default_factory=dict)
    stays: bool = False
    wrote: Annotated[tuple[str, ...], ALWAYS] = ()
    outputs: Annotated[Mapping[str, Any], ALWAYS] = field(default_factory=dict)
    drift: tuple[Annotated[Mapping[str, Any], {"name": str}], ...] = ()
    messages: tuple[str, ...] = ()
    lane: str | None = None
    host: str | None = None
    node: str | None = None
    result: Annotated[Mapping[str, Any], _RESULT] = field(default_factory=dict)
    diff: tuple[Any, ...] = ()


class Skipped(_Entry, frozen=True, kw_only=True):
    """An operation has nothing to do; in a dry run, perhaps because it needs what only a real run gives.

    Attributes:
        key: the operation's key.
        reason: why.
        basis: `predicted` if a dry run found so, `not-run` else.
    """

    kind = EntryKind.SKIPPED
    key: str
    reason: str
    basis: Basis = Basis.NOT_RUN


class Blocked(_Entry, frozen=True, kw_only=True):
    """An operation cannot run, for others failed.

    Attributes:
        key: the operation's key.
        by: keys of those, or what it waited for.
        optional: whether only operations of optional instances are to blame.
    """

    kind = EntryKind.BLOCKED
    key: str
    by: tuple[str, ...]
    optional: Annotated[bool, ALWAYS] = False


class Cancelled(_Entry, frozen=True, kw_only=True):
    """An operation did not begin, for the job was stopped."""

    kind = EntryKind.CANCELLED
    key: str
    reason: str | None


class Waiting(_Entry, frozen=True, kw_only=True):
    """An operation waits for a value or a slot."""

    kind = EntryKind.WAITING
    key: str
    for_: Annotated[tuple[str, ...], ALWAYS] = ()


class Progressed(_Entry, frozen=True, kw_only=True):
    """An operation that runs tells how far it is.

    Attributes:
        key: the operation's key; of a sub-task, that of its operation.
        text: a line for people.
    """

    kind = EntryKind.PROGRESSED
    key: str
    text: str


class Noted(_Entry, frozen=True, kw_only=True):
    """An operation that runs has it noted what it made.

    Attributes:
        key: the operation's key; of a sub-task, that of its operation.
        patches: what it changes in instances.
    """

    kind = EntryKind.NOTED
    key: str
    patches: tuple[Annotated[Patch, PATCH], ...]


class JobStopping(_Entry, frozen=True, kw_only=True):
    """A job begins nothing more.

    Attributes:
        reason: why, in words; None for a signal.
        signal: the signal's number.
        running: keys of the operations that still run.
    """

    kind = EntryKind.STOPPING
    reason: str | None = None
    signal: int | None = None
    running: tuple[str, ...]


class OperationsPlanned(_Entry, frozen=True, kw_only=True):
    """Operations came up on the way: those of instances that an operation reported."""

    kind = EntryKind.PLANNED
    instances: tuple[str, ...]
    operations: tuple[str, ...]


class Mended(_Entry, frozen=True, kw_only=True):
    """An operation that `on_failure` leads to has seen to the failures of others."""

    kind = EntryKind.MENDED
    by: Annotated[str, ALWAYS] = ""
    keys: tuple[str, ...]


class JobFinished(_Entry, frozen=True, kw_only=True):
    """A job came to its end; one that was killed has no such entry.

    Attributes:
        ok: whether it did what it is for.
        counts: operations by the state they ended in.
        stopped: why it was stopped before its end, or None.
        signal: the signal that stopped it, or None.
        lost_lock: whether it was stopped because its lock was lost.
        seconds: how long it took.
        time: seconds since the epoch.
    """

    kind = EntryKind.JOB_FINISHED
    ok: bool
    counts: Mapping[str, Any]
    stopped: str | None
    signal: Signals | None
    lost_lock: Annotated[bool, ALWAYS] = False
    seconds: float
    time: float


#: How an operation ends.
Ending = Finished | Skipped | Blocked | Cancelled
#: Entries that tell when they were written.
Timed = JobStarted | OperationEntry | JobFinished
Entry = (
    JobStarted
    | Started
    | Progressed
    | Noted
    | Ending
    | Waiting
    | JobStopping
    | OperationsPlanned
    | Mended
    | JobFinished
)
_TYPES: Mapping[str, type[Entry]] = {one.kind.value: one for one in get_args(Entry)}


def read_entry(event: Mapping[str, Any]) -> Entry | None:
    """An event of a journal as an entry; None for one of a kind that this version does not know."""
    if deeper_than(event, MAX_NESTING + _AROUND):
        raise InvalidInput("it is nested too deep")
    kind = event.get("event")
    if not isinstance(kind, str):
        raise InvalidInput("it has no kind")
    return _TYPES[kind].from_json(event) if kind in _TYPES else None
