# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.execute``."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import load_early
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options

# the callbacks are those of the process that the worker of this task is forked from
if package := load_early():
    package.hear_operations()

#: The ways in which a plan is given.
PLANS = ("plan_file", "plan_document")


class ActionModule(EnsembleAction):
    """Carry out a plan."""

    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["execute"]
        | {
            "workflow": {"type": "str", "required": True},
            "plan_file": {"type": "path"},
            "plan_document": {"type": "str"},
            "plan_digest": {"type": "str"},
            "show": {"type": "bool", "default": True},
        }
    )
    CONDITIONS: ClassVar[Options] = {"required_one_of": [[*PLANS]], "mutually_exclusive": [[*PLANS]]}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Run the plan's operations in the processes of this task."""
        answer: dict[str, Any] = facade.execute(
            self,
            self.variables,
            ensemble=given["ensemble"],
            workflow=given["workflow"],
            plan_file=given.get("plan_file"),
            plan_document=given.get("plan_document"),
            plan_digest=given.get("plan_digest"),
            show=given["show"],
            options=pick(given, OPTIONS["execute"]) | self.inputs(given) | {"check": self.check, "diff": self.diff},
        )
        return answer
