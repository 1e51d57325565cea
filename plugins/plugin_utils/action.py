# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins for ensembles have in common."""

from __future__ import annotations

import atexit
import gc
from typing import Any, ClassVar

from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import load_early
from ansible_collections.tosca.ensemble.plugins.plugin_utils.task import Options, PackageAction
from ansible_collections.tosca.ensemble.plugins.plugin_utils.variables import (
    as_variables,
    input_variables,
    known_variables,
    unknown_variables,
)


def _end_at_once() -> None:
    """Free what is garbage, and spare the interpreter to look through all that is loaded, which takes it long."""
    gc.collect()
    gc.freeze()


# core loads an action before it forks the worker of its task: this is the process that all of them come from
load_early()
gc.freeze()  # what is loaded stays until the end, and no worker looks through it for garbage
atexit.register(_end_at_once)


class EnsembleAction(PackageAction):
    """An action of a job's steps; in the collection's role, its words are those of the role's variables."""

    #: whether it may be the first step of a job, which looks at the variables
    BEGINS: ClassVar[bool] = False

    def refused(self, result: dict[str, Any]) -> str | None:
        """Why the role's variables are not taken: one that it does not know is a slip of one it does; or None.

        Any other name may be the user's own, so it is only a warning.
        """
        if not self.BEGINS or not self._in_role:
            return None
        for name, near in unknown_variables(self.variables, known_variables(self._loader)):
            if near is not None:
                return f"there is no variable {name} (did you mean {near}?)"
            result.setdefault("warnings", []).append(f"{name} is not a variable of a job and has no effect")
        return None

    def inputs(self, given: Options) -> Options:
        """The option ``inputs``, with the inputs that extra variables set; no option where there is none."""
        manager = self._task.get_variable_manager() or self._task._variable_manager
        inputs = {**given.get("inputs", {}), **input_variables(manager.extra_vars, self._templar.template)}
        return {"inputs": inputs} if inputs else {}

    @property
    def _in_role(self) -> bool:
        role = self._task._role
        return role is not None and role.get_name() == "tosca.ensemble.job"

    def say(self, text: str) -> str:
        """A message of the package, with the command's options named as the variables that they are here."""
        return as_variables(text, known_variables(self._loader)) if self._in_role and "--" in text else text


def pick(given: Options, names: dict[str, Any]) -> Options:
    """The arguments of these names that are given."""
    return {name: given[name] for name in names if name in given}
