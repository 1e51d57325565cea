# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action of the module ``tosca.ensemble.provision_content``."""

from __future__ import annotations

from types import ModuleType
from typing import Any, ClassVar

from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import CONNECTION
from ansible_collections.tosca.ensemble.plugins.plugin_utils.provision import PRESENT_OR_ABSENT, ProvisionAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options


class ActionModule(ProvisionAction):
    """Load or remove a pack of content."""

    ARGUMENTS = (
        CONNECTION
        | PRESENT_OR_ABSENT
        | {
            "src": {"type": "path"},
            "bundle": {"type": "dict"},
            "name": {"type": "str"},
            "strict": {"type": "bool", "default": False},
        }
    )
    CONDITIONS: ClassVar[dict[str, Any]] = {
        "mutually_exclusive": [["src", "bundle", "name"]],
        "required_if": [["state", "present", ["src", "bundle"], True], ["state", "absent", ["name"]]],
    }

    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Load the pack, or remove it; a relative path is that of a file of the role or play."""
        if "src" in given:
            given["src"] = self._find_needle("files", given["src"])
        answer: dict[str, Any] = facade.content(server, given)
        return answer
