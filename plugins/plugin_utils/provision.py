# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plugins for the server of machines have in common."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ansible.errors import AnsibleError
from ansible.utils.display import Display
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import Arguments
from ansible_collections.tosca.ensemble.plugins.plugin_utils.connection import server_of
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import MACHINES, load_early
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options, PackageAction

PRESENT_OR_ABSENT: Arguments = {"state": {"type": "str", "choices": ["present", "absent"], "default": "present"}}

#: how machines and objects are changed
MANNER: Arguments = {"exact": {"type": "bool", "default": False}, "force": {"type": "bool", "default": False}}

# core loads an action before it forks the worker of its task: this is the process that all of them come from
load_early(MACHINES)


class ProvisionAction(PackageAction):
    """An action that talks to a server of machines, from the controller, whatever host it is for."""

    FACADE = MACHINES

    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Talk to the server."""
        found = self.ask(facade, server_of(facade, given, self.check), untagged(given))
        if not self.diff:
            found.pop("diff", None)
        return found

    @abstractmethod
    def ask(self, facade: ModuleType, server: Any, given: Options) -> dict[str, Any]:
        """Do the work.

        Args:
            facade: that of the package.
            server: the facade's server.
            given: the arguments that have a value.

        Returns:
            What is added to the task's result.
        """


def untagged(given: Any) -> Any:
    """Values as JSON has them, without what Ansible knows of where they come from."""
    try:
        return json.loads(json.dumps(given))
    except (TypeError, ValueError) as error:
        raise AnsibleError(f"a value cannot be sent to the server: {error}") from None


def tell(wanted: bool) -> Callable[[str], None]:
    """Prints lines, or nothing."""
    return Display().display if wanted else _nothing


def _nothing(_line: str) -> None:
    pass
