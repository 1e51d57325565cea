"""How operations change an instance: its node state and status (docs/rules.md, "Operational status", "Node states")."""

from __future__ import annotations

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


def status_after_failure(before: Status, modified: bool | None, priority: Priority) -> Status:
    """Status of an instance whose operation failed (docs/rules.md, "Operational status").

    Modified: error, or degraded if the instance is optional. Not reported: unknown. Not modified: unchanged.
    """
    if modified is None:
        return Status.UNKNOWN
    if not modified:
        return before
    return Status.DEGRADED if priority in (Priority.OPTIONAL, Priority.IGNORE) else Status.ERROR
