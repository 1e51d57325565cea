"""The shape of a plan's JSON document, for whoever reads one again (`documents.shape`)."""

from __future__ import annotations

from ansible_ensemble.documents.shape import Shape
from ansible_ensemble.instances.status import NodeState, Priority, Status

_TEXT = (str, None)
_VALUE: Shape = {"kind": str, "name": str, "unknown?": bool, "sensitive?": bool}
_CHANGE: Shape = {"values": [_VALUE]}
_ORIGIN: Shape = {"policy?": str, "workflow?": str}
_ASSIGNED: Shape = {"values": dict, "origin?": _ORIGIN}
_ORIGIN["given?"] = _ASSIGNED
_GUARD: Shape = {
    "branch?": {"succeeded": [str], "failed": [str]},
    "condition?": list,
    "condition_of?": str,
    "unless_ok?": bool,
    "only_if_absent?": bool,
    "unless_absent?": bool,
    "unless_unchanged?": str,
    "only_if_reads_changed?": bool,
    "only_if_brought_up?": str,
    "only_if_made_anew?": str,
    "only_if_attributes_changed?": str,
}

PLAN: Shape = {
    "workflow": str,
    "ensemble": str,
    "template?": str,
    "job?": str,
    "base": {"*": str},
    "files?": {"*": str},
    "options": {"inputs?": dict, "variables?": dict},
    "inputs?": [{"name": str, "origin": str, "sensitive": bool}],
    "resource_changes": [
        {
            "address": str,
            "template": str,
            "type": str,
            "symbol": str,
            "action_reason": str,
            "reason": str,
            "status": (Status, None),
            "change": _CHANGE,
            "operations": [str],
            "leaves?": str,
            "found?": {"operation": str, "verb": str, "error": str, "drift": [dict], "diff": [dict]},
        }
    ],
    "operations": [
        {
            "key": str,
            "instance": str,
            "template": str,
            "interface": str,
            "operation": str,
            "reason": str,
            "workflow": str,
            "relationship?": _TEXT,
            "implementation?": str,
            "host?": str,
            "waits_for?": [str],
            "waits_end?": [str],
            "serial?": [str],
            "priority?": Priority,
            "entry_state?": (NodeState, None),
            "exit_state?": (NodeState, None),
            "exit_status?": (Status, None),
            "guard?": _GUARD,
            "target?": str,
            "retry?": {"retries?": int, "backoff?": float},
            "pause?": float,
            "inputs?": dict,
            "assigned?": _ASSIGNED,
            "command?": {"command": [str], "host?": str, "module?": str},
            "paths?": [{"path": str, "host?": str}],
            "overwritten?": [str],
            "instead?": dict,
            "followed?": [str],
            "prediction?": {"changed?": bool, "diff?": [dict], "found?": Status, "unpredictable?": str},
        }
    ],
    "excluded": [{"instance": str, "reason": str, "unknown?": bool}],
    "output_changes": {"*": _CHANGE},
    "warnings": [str],
    "not_compared?": {"*": [str]},
    "moved?": [{"previous_address": str, "address": str}],
}
