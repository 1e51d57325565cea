# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.unlock``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Remove the lock of a holder that is gone."""

    FACADE = UPKEEP
    _supports_check_mode = False
    ARGUMENTS = ENSEMBLE | OPTIONS["info"] | {"lock_id": {"type": "str", "required": True}}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Remove the lock of this id."""
        answer: dict[str, Any] = facade.unlock(
            given["ensemble"], lock_id=given["lock_id"], options=pick(given, OPTIONS["info"]), action=self
        )
        return answer
