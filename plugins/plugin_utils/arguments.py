# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specifications of the actions; doc_fragments/ documents them."""

from __future__ import annotations

from typing import Any

Arguments = dict[str, dict[str, Any]]

#: of every action
ENSEMBLE: Arguments = {"ensemble": {"type": "path", "required": True}}

#: job options, by action
OPTIONS: dict[str, Arguments] = {
    # >>> arguments (make generate)
    "lock": {
        "lock_timeout": {"type": "float", "default": 0.0},
        "environment": {"type": "str"},
    },
    "plan": {
        "instances": {"type": "list", "elements": "str", "aliases": ["instance"]},
        "limit": {"type": "str"},
        "templates": {"type": "list", "elements": "str", "aliases": ["template"]},
        "repair": {"type": "str", "choices": ["error", "degraded", "none"], "default": "error"},
        "change_detection": {"type": "str", "choices": ["evaluate", "always", "skip"], "default": "evaluate"},
        "service_template": {"type": "str"},
        "skip_new": {"type": "bool", "default": False},
        "prune": {"type": "bool", "default": False},
        "upgrade": {"type": "bool", "default": False},
        "replace": {"type": "list", "elements": "str"},
        "check_first": {"type": "bool", "default": False},
        "force": {"type": "bool", "default": False},
        "destroy_unmanaged": {"type": "bool", "default": False},
        "operation": {"type": "str"},
        "command": {"type": "list", "elements": "str"},
        "module": {"type": "str"},
        "host": {"type": "str"},
        "trigger": {"type": "str"},
        "notification": {"type": "raw"},
        "inputs": {"type": "dict"},
        "reset_inputs": {"type": "list", "elements": "str"},
        "environment": {"type": "str"},
        "skip_upstream_check": {"type": "bool", "default": False},
    },
    "execute": {
        "instances": {"type": "list", "elements": "str", "aliases": ["instance"]},
        "limit": {"type": "str"},
        "templates": {"type": "list", "elements": "str", "aliases": ["template"]},
        "jobs": {"type": "int", "default": 0},
        "jobs_per_host": {"type": "int", "default": 0},
        "fail_fast": {"type": "bool", "default": False},
        "fast_modules": {"type": "bool", "default": True},
        "stock_modules": {"type": "list", "elements": "str"},
        "mesh": {"type": "str"},
        "commit": {"type": "bool", "default": False},
        "dirty": {"type": "str", "choices": ["abort", "auto", "ok"], "default": "auto"},
        "locked": {"type": "bool", "default": False},
        "environment": {"type": "str"},
    },
    "record": {
        "commit": {"type": "bool", "default": False},
        "push": {"type": "bool", "default": False},
        "message": {"type": "str"},
        "dirty": {"type": "str", "choices": ["abort", "auto", "ok"], "default": "auto"},
        "environment": {"type": "str"},
    },
    "info": {
        "environment": {"type": "str"},
    },
    "validate": {
        "inputs": {"type": "dict"},
        "reset_inputs": {"type": "list", "elements": "str"},
        "environment": {"type": "str"},
    },
    "survey": {
        "environment": {"type": "str"},
    },
    # <<<
}

#: options of the command whose variables have other names
RENAMED: dict[str, str] = {
    # >>> renamed (make generate)
    "instance": "instances",
    "template": "templates",
    "destroyunmanaged": "destroy_unmanaged",
    "": "command",
    "input": "inputs",
    "reset-input": "reset_inputs",
    "stock-module": "stock_modules",
    # <<<
}
