"""How operations change an instance: its node state and status (docs/rules.md, "Operational status", "Node states")."""

from __future__ import annotations

from ansible_ensemble.core.actions import Kind, Reason
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import NodeState, Priority, Status

#: Node state on entry and on success of each operation of the Standard interface [TOSCA 1.3, 3.4.1, 5.8.4].
ENTRY_STATES: dict[str, NodeState] = {
    "create": NodeState.CREATING,
    "configure": NodeState.CONFIGURING,
    "start": NodeState.STARTING,
    "stop": NodeState.STOPPING,
    "delete": NodeState.DELETING,
}
EXIT_STATES: dict[str, NodeState] = {
    "create": NodeState.CREATED,
    "configure": NodeState.CONFIGURED,
    "start": NodeState.STARTED,
    "stop": NodeState.STOPPED,
    "delete": NodeState.DELETED,
}

#: The operations that bring a node up, in order.
DEPLOY_OPERATIONS = ("create", "configure", "start")
#: The operations that only look.
READING = ("check", "discover")

#: Statuses of what may never have been there.
_UNSEEN = (Status.PENDING, Status.UNKNOWN)

_REACHED: dict[NodeState, int] = {
    NodeState.CREATED: 1,
    NodeState.CONFIGURING: 1,
    NodeState.CONFIGURED: 2,
    NodeState.STARTING: 2,
    NodeState.STOPPING: 2,
    NodeState.STOPPED: 2,
    NodeState.STARTED: 3,
}


def reached(state: NodeState | None) -> int:
    """How many of create, configure, start an instance in this state has behind it (0 to 3)."""
    return _REACHED.get(state, 0) if state is not None else 0


def only_looks(operation: str) -> bool:
    """Whether an operation, by its name with or without its interface, only looks."""
    return operation.rpartition(".")[2] in READING


def was_known(instance: Instance) -> bool:
    """Whether the instance was recorded as being there, even if nobody knows by now."""
    return instance.created is not None or is_there(instance)


def is_there(instance: Instance) -> bool:
    """Whether something of the instance is there, or was when it was last seen, made by this ensemble or found."""
    if instance.status in _UNSEEN and not instance.created:
        return _was_found(instance)
    return instance.status is not Status.ABSENT


def _was_found(instance: Instance) -> bool:
    """Whether an instance that this ensemble has not made has a state that it was found in.

    A state on entry is that of an operation of ours, which ended before it changed anything.
    """
    return reached(instance.state) > 0 and instance.state not in ENTRY_STATES.values()


def effect(reason: Reason, operation: str, instance: Instance) -> Kind:
    """What an operation that succeeds does to its instance: it makes it, takes it up, changes it, removes it, or looks.

    The instance is as it was before. What makes or takes up one owns it: undeploy deletes it.
    """
    if only_looks(operation):
        return Kind(0)
    if operation == "delete":
        return Kind.REMOVES
    if operation not in DEPLOY_OPERATIONS:
        return Kind.CHANGES
    if Kind.USES in reason.kinds:
        return Kind.USES
    anew = Kind.REMOVES in reason.kinds or instance.status is Status.UNKNOWN
    if Kind.MAKES in reason.kinds and (anew or not is_there(instance)):
        return Kind.MAKES
    return Kind.MAKES if Kind.EITHER in reason.kinds and not is_there(instance) else Kind.CHANGES


def makes(reason: Reason, operation: str, instance: Instance) -> bool:
    """Whether an operation makes its instance, or a part of it, or takes up one that is to be let go."""
    return effect(reason, operation, instance) in (Kind.MAKES, Kind.USES)


def status_after_failure(before: Status, modified: bool | None, priority: Priority) -> Status:
    """Status of an instance whose operation failed (docs/rules.md, "Operational status").

    Modified: error, or degraded if the instance is optional. Not reported: unknown. Not modified: unchanged.
    """
    if modified is None:
        return Status.UNKNOWN
    if not modified:
        return before
    return Status.DEGRADED if priority in (Priority.OPTIONAL, Priority.IGNORE) else Status.ERROR
