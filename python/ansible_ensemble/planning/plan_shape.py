"""The shape of a plan's JSON document, for whoever reads one again (`documents.shape`)."""

from __future__ import annotations

from ansible_ensemble.documents.shape import Shape
from ansible_ensemble.instances.status import NodeState, Priority, Status

_TEXT = (str, None)
_VALUE: Shape = {"kind": str, "name": str, "unknown?": bool, "sensitive?": bool}
_CHANGE: Shape = {"values": [_VALUE]}

PLAN: Shape = {
    "workflow": str,
    "ensemble": str,
    "template?": str,
    "job?": str,
    "base": {"*": str},
    "options": {"inputs?": dict, "variables?": dict},
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
            "details?": dict,
        }
    ],
    "excluded": [{"instance": str, "reason": str}],
    "output_changes": {"*": _CHANGE},
    "warnings": [str],
    "moved?": [{"previous_address": str, "address": str}],
}
