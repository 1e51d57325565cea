# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_object``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import MANNER, PRESENT_OR_ABSENT, ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Create, change or remove an object."""

    ARGUMENTS = (
        CONNECTION
        | PRESENT_OR_ABSENT
        | MANNER
        | {
            "kind": {
                "type": "str",
                "required": True,
                # >>> kinds change (make generate)
                "choices": [
                    "bootenvs",
                    "catalog_items",
                    "contexts",
                    "endpoints",
                    "leases",
                    "machines",
                    "params",
                    "plugin_providers",
                    "plugins",
                    "pools",
                    "profiles",
                    "reservations",
                    "roles",
                    "stages",
                    "tasks",
                    "templates",
                    "tenants",
                    "users",
                    "version_sets",
                    "workflows",
                ],
                # <<<
            },
            "name": {"type": "str", "required": True},
            "object": {"type": "dict"},
        }
    )

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Bring the object into its state."""
        answer: dict[str, Any] = facade.change_object(server, given)
        return answer
