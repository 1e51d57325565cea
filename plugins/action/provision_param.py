# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_param``."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import PRESENT_OR_ABSENT, ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Set or remove a param."""

    ARGUMENTS = (
        CONNECTION
        | PRESENT_OR_ABSENT
        | {
            "machine": {"type": "str"},
            "profile": {"type": "str"},
            "stage": {"type": "str"},
            "name": {"type": "str", "required": True},
            "value": {"type": "raw"},
        }
    )
    CONDITIONS: ClassVar[dict[str, Any]] = {
        "mutually_exclusive": [["machine", "profile", "stage"]],
        "required_one_of": [["machine", "profile", "stage"]],
        "required_if": [["state", "present", ["value"]]],
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Set the param, or remove it."""
        answer: dict[str, Any] = facade.param(server, given)
        return answer
