# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_token``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Get a token of a machine."""

    ARGUMENTS = CONNECTION | {
        "machine": {"type": "str", "required": True},
        "life": {"type": "str", "default": "3y"},
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Ask the server for it."""
        answer: dict[str, Any] = facade.token(server, given)
        return answer
