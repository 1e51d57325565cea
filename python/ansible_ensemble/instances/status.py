"""The vocabulary of status: ready states, node states, priorities, and how they add up."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """Operational status of an instance (docs/rules.md, "Operational status")."""

    UNKNOWN = "unknown"
    OK = "ok"
    DEGRADED = "degraded"
    DRIFTED = "drifted"
    ERROR = "error"
    PENDING = "pending"
    ABSENT = "absent"

    @property
    def operational(self) -> bool:
        """Whether it works, if badly."""
        return self in (Status.OK, Status.DEGRADED)


class NodeState(str, Enum):
    """Node state [TOSCA 1.3, 3.4.1], with `stopped` and `deleted` beside the normative ones."""

    INITIAL = "initial"
    CREATING = "creating"
    CREATED = "created"
    CONFIGURING = "configuring"
    CONFIGURED = "configured"
    STARTING = "starting"
    STARTED = "started"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DELETING = "deleting"
    DELETED = "deleted"
    ERROR = "error"


class Priority(str, Enum):
    """How much an instance counts for those that depend on it, and for the job."""

    IGNORE = "ignore"
    OPTIONAL = "optional"
    REQUIRED = "required"
    CRITICAL = "critical"
