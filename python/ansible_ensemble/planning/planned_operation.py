"""An operation of a plan: what runs where, after what, and under which conditions. Pure data, with a JSON form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.sensitive import redact
from ansible_ensemble.core.sparse import sparse
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.instances.status import Priority
from ansible_ensemble.planning.guard import ALWAYS, Guard


class Retry(Struct, frozen=True):
    """How often a failed operation is tried again.

    Attributes:
        retries: attempts after the first.
        backoff: seconds before the second attempt, doubled with each further one.
    """

    retries: int = 0
    backoff: float = 1.0


class AdHocCommand(Struct, frozen=True):
    """What a `run` job runs.

    Attributes:
        command: the words of a shell command, or the arguments of the module.
        host: where, None is the controller.
        module: name of an Ansible module.
        workflow: name of a workflow, of which the implementation runs.
    """

    command: tuple[str, ...] = ()
    host: str | None = None
    module: str | None = None
    workflow: str | None = None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> AdHocCommand:
        """Read one of a plan's document back."""
        return cls(**{**document, "command": tuple(document.get("command", ()))})


class Origin(Struct, frozen=True):
    """Where assigned inputs are written, which says what `get_input` and `get_property` in them mean.

    Attributes:
        policy: name of the policy whose trigger gives them.
        workflow: name of the workflow whose step gives them.
        given: the inputs that the activity which calls the workflow gives it.
    """

    policy: str | None = None
    workflow: str | None = None
    given: AssignedInputs | None = None


class AssignedInputs(Struct, frozen=True):
    """Inputs that a step of a workflow or an action of a trigger gives an operation, as they are written."""

    values: Mapping[str, object]
    origin: Origin = Origin()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> AssignedInputs:
        """Read those of a plan's document back."""
        origin = dict(document.get("origin", {}))
        if "given" in origin:
            origin["given"] = cls.from_json(origin["given"])
        return cls(document["values"], Origin(**origin))


class Prediction(Struct, frozen=True):
    """What a dry run says of an operation.

    Attributes:
        changed: whether it would change something; diff: what, as Ansible modules give it.
        found: the status that an operation found which only looks.
        unpredictable: why nothing can be said.
    """

    changed: bool | None = None
    diff: list[Mapping[str, Any]] = field(default_factory=list)
    found: str | None = None
    unpredictable: str | None = None


class PlannedOperation(Struct):
    """One operation of the plan.

    Attributes:
        key: unique in the plan: `<instance>:<Interface>.<operation>`, or
            `<source>:<requirement>#<index>:<Interface>.<operation>` for a relationship's operation.
        instance: the instance it works on; for a relationship's operation, the relationship's source.
        relationship: `<requirement>#<index>` of the source, or None.
        implementation: short text of what runs.
        host: where it runs, as far as it is known.
        node: the node of a mesh on which it does, a pattern of ids; None if that is this machine.
        waits_for: keys of operations that must have succeeded before it.
        waits_end: keys of operations that must have ended, with whatever result, before it.
        serial: names of groups of which one operation runs at a time.
        entry_state, exit_state: node state when it starts and when it succeeded.
        exit_status: status of the instance when it succeeded, for the last operation of an instance.
        guard: whether it runs once its turn has come.
        target: the target's name, for a relationship's operation.
        retry: how often it is tried again.
        pause: seconds that an operation without implementation takes, between two evaluations of a trigger.
        inputs: values that win over the operation's own inputs: of a notification, or of a change that is replayed.
        assigned: inputs that a workflow or a trigger gives it.
        command: what a `run` job runs.
        paths: those that it is the last of several to write; what it leaves there is recorded, and looked for.
        overwritten: what others write after it, so that a check does not miss it: paths of a module, or tasks of a play
            by their file and line.
        instead: arguments of its module that others set otherwise after it, so that a check does not miss them: other
            values, or None to leave them out.
        followed: paths that its tasks write, and that links of the host may lead to what others write; where they lead
            is noted.
        handlers: names of the handlers that its tasks notify where they change something.
        prediction: what a dry run says of it.
    """

    key: str
    instance: str
    template: str
    interface: str
    operation: str
    reason: Reason
    workflow: str
    relationship: str | None = None
    implementation: str = ""
    host: str = "localhost"
    node: str | None = None
    waits_for: list[str] = field(default_factory=list)
    waits_end: list[str] = field(default_factory=list)
    serial: list[str] = field(default_factory=list)
    priority: str = "required"
    entry_state: str | None = None
    exit_state: str | None = None
    exit_status: str | None = None
    guard: Guard = ALWAYS
    target: str | None = None
    retry: Retry = Retry()
    pause: float = 0.0
    inputs: dict[str, Any] = field(default_factory=dict)
    assigned: AssignedInputs | None = None
    command: AdHocCommand | None = None
    paths: list[WrittenPath] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)
    instead: dict[str, Any] = field(default_factory=dict)
    followed: list[str] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)
    prediction: Prediction | None = None

    @property
    def full_name(self) -> str:
        """`Interface.operation`."""
        return f"{self.interface}.{self.operation}"

    @property
    def optional(self) -> bool:
        """Whether its failure counts neither for the job nor for what needs its instance."""
        return self.priority in (Priority.OPTIONAL.value, Priority.IGNORE.value)

    def to_json(self) -> dict[str, Any]:
        """Its entry in a plan's document: of what few operations have, only what it has."""
        document = {name: redact(sparse(value)) for name, value in asdict(self).items()}
        document["paths"] = [sparse(one) for one in self.paths]
        return {name: value for name, value in document.items() if value or name not in _OF_FEW}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> PlannedOperation:
        """Read its entry in a plan's document back."""
        return cls(**{name: _READERS[name](value) if name in _READERS else value for name, value in document.items()})


#: How what JSON has no form of its own for is read back.
_READERS: dict[str, Callable[[Any], Any]] = {
    "reason": Reason,
    "guard": Guard.from_json,
    "retry": lambda document: Retry(**document),
    "assigned": AssignedInputs.from_json,
    "paths": lambda document: [WrittenPath(**one) for one in document],
    "command": AdHocCommand.from_json,
    "prediction": lambda document: Prediction(**document),
}
#: Fields that a plan's document leaves out where they say nothing.
_OF_FEW = (
    *("guard", "target", "node", "retry", "pause", "inputs", "assigned", "command"),
    *("paths", "overwritten", "instead", "followed", "handlers", "prediction"),
)
