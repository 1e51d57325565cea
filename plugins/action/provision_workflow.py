# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_workflow``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import ProvisionAction, tell
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Have machines run a workflow."""

    ARGUMENTS = CONNECTION | {
        "machines": {"type": "list", "elements": "str", "required": True, "aliases": ["name"]},
        "workflow": {"type": "str"},
        "restart": {"type": "bool", "default": False},
        "resume": {"type": "bool", "default": False},
        "wait": {"type": "bool", "default": True},
        "timeout": {"type": "float", "default": 3600.0},
        "show": {"type": "bool", "default": True},
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Set the workflow, and print the machines' progress until they are through."""
        answer: dict[str, Any] = facade.workflow(server, given, tell(given["show"]))
        return answer
