# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_user``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import PRESENT_OR_ABSENT, ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Create, change or remove a user."""

    ARGUMENTS = (
        CONNECTION
        | PRESENT_OR_ABSENT
        | {
            "name": {"type": "str", "required": True},
            "description": {"type": "str"},
            "roles": {"type": "list", "elements": "str"},
            "password": {"type": "str", "no_log": True},
            "update_password": {"type": "str", "choices": ["on_create", "always"], "default": "on_create"},
        }
    )

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Bring the user into its state."""
        answer: dict[str, Any] = facade.user(server, given)
        return answer
