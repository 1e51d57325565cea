# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.adopt``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Record an instance that exists already."""

    FACADE = UPKEEP
    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["info"]
        | {
            "instance": {"type": "str", "required": True},
            "attributes": {"type": "dict", "default": {}},
        }
    )

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Record the instance."""
        answer: dict[str, Any] = facade.adopt(
            given["ensemble"],
            instance=given["instance"],
            attributes=given["attributes"],
            options=pick(given, OPTIONS["info"]),
            check=self.check,
            action=self,
        )
        return answer
