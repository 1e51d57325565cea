# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.forget``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Remove instances from the status."""

    FACADE = UPKEEP
    ARGUMENTS = ENSEMBLE | OPTIONS["info"] | {"instances": {"type": "list", "elements": "str", "required": True}}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Remove the records, and nothing else."""
        answer: dict[str, Any] = facade.forget(
            given["ensemble"],
            instances=given["instances"],
            options=pick(given, OPTIONS["info"]),
            check=self.check,
            action=self,
        )
        return answer
