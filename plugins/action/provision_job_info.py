# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_job_info``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Show jobs and their logs."""

    ARGUMENTS = CONNECTION | {
        "machine": {"type": "str"},
        "uuid": {"type": "str"},
        "task": {"type": "str"},
        "state": {
            "type": "list",
            "elements": "str",
            "choices": ["created", "running", "failed", "finished", "incomplete"],
        },
        "current": {"type": "bool"},
        "limit": {"type": "int", "default": 50},
        "log": {"type": "bool", "default": False},
        "log_lines": {"type": "int", "default": 0},
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """List the jobs."""
        answer: dict[str, Any] = facade.job_info(server, given)
        return answer
