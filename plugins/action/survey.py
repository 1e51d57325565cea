# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.survey``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Make surveys of the inputs of jobs."""

    FACADE = UPKEEP
    ARGUMENTS = ENSEMBLE | OPTIONS["survey"] | {"further": {"type": "list", "elements": "path", "default": []}}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Read the specification, and make its inputs questions."""
        options = pick(given, OPTIONS["survey"])
        answer: dict[str, Any] = facade.survey(given["ensemble"], given["further"], options=options, action=self)
        return answer
