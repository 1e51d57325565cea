# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_info``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Show objects."""

    ARGUMENTS = CONNECTION | {
        "kind": {
            "type": "str",
            # >>> kinds show (make generate)
            "choices": [
                "bootenvs",
                "catalog_items",
                "contexts",
                "endpoints",
                "jobs",
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
            "default": "machines",
        },
        "name": {"type": "str"},
        "filters": {"type": "dict", "default": {}},
        "sort": {"type": "str"},
        "reverse": {"type": "bool", "default": False},
        "limit": {"type": "int"},
        "offset": {"type": "int"},
        "aggregate": {"type": "bool", "default": False},
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """List the objects."""
        answer: dict[str, Any] = facade.info(server, given)
        return answer
