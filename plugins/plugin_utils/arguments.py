# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specifications that several actions share; doc_fragments/ documents them under the same names."""

from __future__ import annotations

from typing import Any

Arguments = dict[str, dict[str, Any]]

#: of every action
ENSEMBLE: Arguments = {
    "ensemble": {"type": "path", "required": True},
    "environment": {"type": "str"},
}

#: what decides the content of a plan
PLANNING: Arguments = {
    "instances": {"type": "list", "elements": "str", "aliases": ["instance"]},
    "templates": {"type": "list", "elements": "str", "aliases": ["template"]},
    "inputs": {"type": "dict"},
    "repair": {"type": "str", "choices": ["error", "degraded", "none"]},
    "change_detection": {"type": "str", "choices": ["evaluate", "always", "skip"]},
    "skip_new": {"type": "bool"},
    "check_first": {"type": "bool"},
    "force": {"type": "bool"},
    "upgrade": {"type": "bool"},
    "prune": {"type": "bool"},
    "replace": {"type": "list", "elements": "str"},
    "destroy_unmanaged": {"type": "bool"},
    "operation": {"type": "str"},
    "command": {"type": "list", "elements": "str"},
    "host": {"type": "str"},
    "module": {"type": "str"},
    "trigger": {"type": "str"},
    "notification": {"type": "raw"},
}

#: how a job's results are committed
COMMITTING: Arguments = {
    "commit": {"type": "bool", "default": False},
    "push": {"type": "bool", "default": False},
    "message": {"type": "str"},
    "dirty": {"type": "str", "choices": ["abort", "auto", "ok"]},
}
