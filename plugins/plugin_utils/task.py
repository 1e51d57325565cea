# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all action plugins of the collection have in common."""

from __future__ import annotations

import gc
from abc import abstractmethod
from types import ModuleType
from typing import Any, ClassVar

from ansible.plugins.action import ActionBase
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import JOBS, EnsembleFailure, package

Options = dict[str, Any]


class PackageAction(ActionBase):
    """An action that turns its arguments into one call of the package, and the answer into its result."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False

    #: the facade that it calls
    FACADE: ClassVar[tuple[str, str]] = JOBS

    #: the module options, as its documentation declares them
    ARGUMENTS: ClassVar[dict[str, dict[str, Any]]] = {}
    #: which of them do not go together
    CONDITIONS: ClassVar[dict[str, Any]] = {}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Check the arguments, call the package, return the result; an error becomes a failed result."""
        gc.freeze()  # what core has made lives as long as this worker; looking for garbage in it would copy its memory
        result: dict[str, Any] = super().run(tmp, task_vars)
        self.variables = task_vars or {}
        if refused := self.refused(result):
            return {**result, "failed": True, "msg": refused, "exit_code": 2}
        _checked, arguments = self.validate_argument_spec(argument_spec=self.ARGUMENTS, **self.CONDITIONS)
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            with package(self.FACADE) as facade:
                result.update(self.call(facade, given))
        except EnsembleFailure as failure:
            result.update(failed=True, msg=self.say(failure.text), exit_code=failure.exit_code)
        return result

    def refused(self, result: dict[str, Any]) -> str | None:  # noqa: ARG002 - others add warnings to it
        """Why the task's variables are not taken; or None."""
        return None

    def say(self, text: str) -> str:
        """A message of the package, in the words of the task."""
        return text

    @abstractmethod
    def call(self, facade: ModuleType, given: Options) -> dict[str, Any]:
        """Do the work.

        Args:
            facade: that of the package.
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
