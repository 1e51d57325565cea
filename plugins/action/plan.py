# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.plan``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible.utils.display import Display
from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Make a plan, show it and save it; nothing else changes."""

    BEGINS = True
    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["plan"]
        | {
            "workflow": {"type": "str", "default": "deploy"},
            "plan_file": {"type": "path"},
            "show": {"type": "bool", "default": True},
        }
    )

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Plan, and print the plan's text."""
        answer: dict[str, Any] = facade.plan(
            given["ensemble"],
            workflow=given["workflow"],
            options=pick(given, OPTIONS["plan"]) | self.inputs(given),
            plan_file=given.get("plan_file"),
            check=self.check,
            diff=self.diff,
            action=self,
            task_vars=self.variables,
            say=self.say,
        )
        if given["show"]:
            Display().display(answer["text"])
        return answer
