# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of the collection have in common."""

from __future__ import annotations

import atexit
import gc
from abc import abstractmethod
from types import ModuleType
from typing import Any, ClassVar

from ansible.plugins.action import ActionBase
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import EnsembleFailure, load_early, package
from ansible_collections.tosca.ensemble.plugins.plugin_utils.variables import (
    as_variables,
    known_variables,
    unknown_variables,
)

Options = dict[str, Any]


def _end_at_once() -> None:
    """Free what is garbage, and spare the interpreter to look through all that is loaded, which takes it long."""
    gc.collect()
    gc.freeze()


# core loads an action before it forks the worker of its task: this is the process that all of them come from
load_early()
atexit.register(_end_at_once)


class EnsembleAction(ActionBase):
    """An action that turns its arguments into one call of the package, and the answer into its result."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    #: whether it may be the first step of a job, which looks at the variables
    BEGINS: ClassVar[bool] = False

    #: the module options, as its documentation declares them
    ARGUMENTS: ClassVar[dict[str, dict[str, Any]]] = {}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the arguments, call the package, return the result; an error becomes a failed result."""
        gc.freeze()  # what core has made lives as long as this worker; looking for garbage in it would copy its memory
        result: dict[str, Any] = super().run(tmp, task_vars)
        self.variables = task_vars or {}
        refused = self._refused(result) if self.BEGINS else None
        if refused is not None:
            return {**result, "failed": True, "msg": refused, "exit_code": 2}
        _checked, arguments = self.validate_argument_spec(argument_spec=self.ARGUMENTS)
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            with package() as jobs:
                result.update(self.call(jobs, given))
        except EnsembleFailure as failure:
            result.update(failed=True, msg=self.say(failure.text), exit_code=failure.exit_code)
        return result

    def _refused(self, result: dict[str, Any]) -> str | None:
        """Why the role's variables are not taken: one that it does not know is a slip of one it does; or None.

        Any other name may be the user's own, so it is only a warning.
        """
        if not self._in_role:
            return None
        for name, near in unknown_variables(self.variables, known_variables(self._loader)):
            if near is not None:
                return f"there is no variable {name} (did you mean {near}?)"
            result.setdefault("warnings", []).append(f"{name} is not a variable of a job and has no effect")
        return None

    @property
    def _in_role(self) -> bool:
        role = self._task._role
        return role is not None and role.get_name() == "tosca.ensemble.job"

    def say(self, text: str) -> str:
        """A message of the package, with the command's options named as the variables that they are here."""
        return as_variables(text, known_variables(self._loader)) if self._in_role and "--" in text else text

    @abstractmethod
    def call(self, jobs: ModuleType, given: Options) -> dict[str, Any]:
        """Do the work.

        Args:
            jobs: the facade of the package.
            given: the arguments that have a value.

        Returns:
            What is added to the task's result.
        """

    @property
    def check(self) -> bool:
        """Whether this is a dry run."""
        return bool(self._task.check_mode)

    @property
    def diff(self) -> bool:
        """Whether differences are asked for."""
        return bool(self._task.diff)


def pick(given: Options, names: dict[str, Any]) -> Options:
    """The arguments of these names that are given."""
    return {name: given[name] for name in names if name in given}
