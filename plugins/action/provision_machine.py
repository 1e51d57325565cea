# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_machine``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import MANNER, PRESENT_OR_ABSENT, ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Create, change or remove a machine."""

    ARGUMENTS = (
        CONNECTION
        | PRESENT_OR_ABSENT
        | MANNER
        | {
            "name": {"type": "str", "required": True},
            "description": {"type": "str"},
            "address": {"type": "str"},
            "hardware_addrs": {"type": "list", "elements": "str"},
            "arch": {"type": "str"},
            "os": {"type": "str"},
            "profiles": {"type": "list", "elements": "str"},
            "params": {"type": "dict"},
            "meta": {"type": "dict"},
            "pool": {"type": "str"},
            "workflow": {"type": "str"},
            "stage": {"type": "str"},
            "bootenv": {"type": "str"},
            "context": {"type": "str"},
            "runnable": {"type": "bool"},
            "locked": {"type": "bool"},
        }
    )

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Bring the machine into its state."""
        answer: dict[str, Any] = facade.machine(server, given)
        return answer
