# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.info``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible.utils.display import Display
from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import UPKEEP
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Show what is recorded of an ensemble."""

    FACADE = UPKEEP
    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["info"]
        | {
            "gather": {
                "type": "list",
                "elements": "str",
                "choices": ["status", "outputs", "history", "drift"],
                "default": ["status", "outputs", "history", "drift"],
            },
            "last": {"type": "int"},
            "show": {"type": "bool", "default": False},
        }
    )

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Read the records, and print them if asked to."""
        answer: dict[str, Any] = facade.info(
            given["ensemble"],
            gather=given["gather"],
            last=given.get("last"),
            options=pick(given, OPTIONS["info"]),
            action=self,
            task_vars=self.variables,
        )
        if given["show"]:
            Display().display(answer["text"])
        return answer
