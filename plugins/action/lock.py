# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.lock``."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any, ClassVar

from ansible_collections.tosca.ensemble.plugins.plugin_utils.action import EnsembleAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import ENSEMBLE, OPTIONS
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(EnsembleAction):
    """Take or release the lock of an ensemble."""

    BEGINS = True
    ARGUMENTS = (
        ENSEMBLE
        | OPTIONS["lock"]
        | {
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "operation": {"type": "str", "default": "ansible-playbook"},
            "lock_id": {"type": "str"},
            "plan_file": {"type": "path"},
            "plan_document": {"type": "str"},
        }
    )

    CONDITIONS: ClassVar[Options] = {"mutually_exclusive": [["plan_file", "plan_document"]]}

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Lock or unlock; a dry run holds the lock as well, so that the state does not change meanwhile."""
        answer: dict[str, Any] = facade.lock(
            given["ensemble"],
            state=given["state"],
            operation=given["operation"],
            lock_id=given.get("lock_id"),
            timeout=given["lock_timeout"],
            pid=os.getppid(),  # this process is one task's; its parent lives as long as the playbook
            environment=given.get("environment"),
            plan_file=given.get("plan_file"),
            plan_document=given.get("plan_document"),
            action=self,
        )
        return answer
