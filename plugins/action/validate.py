# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.validate``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Check an ensemble for errors."""

    FACADE = UPKEEP
    ARGUMENTS = ENSEMBLE | OPTIONS["validate"] | {"part": {"type": "bool", "default": False}}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Find everything that is wrong."""
        answer: dict[str, Any] = facade.validate(
            given["ensemble"],
            part=given["part"],
            options=pick(given, OPTIONS["validate"]) | self.inputs(given),
            action=self,
        )
        return answer
