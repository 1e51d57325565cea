# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.record``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ansible.utils.display import Display
from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction, pick
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Write what a job did into the ensemble, and commit it if asked to."""

    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["record"]
        | {
            "journal": {"type": "path", "required": True},
            "show": {"type": "bool", "default": True},
        }
    )

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Record the job, and print its summary."""
        answer: dict[str, Any] = facade.record(
            given["ensemble"],
            journal=given["journal"],
            options=pick(given, OPTIONS["record"]),
            check=self.check,
            action=self,
            task_vars=self.variables,
            say=self.say,
        )
        if given["show"]:
            Display().display(answer["text"])
        return answer
