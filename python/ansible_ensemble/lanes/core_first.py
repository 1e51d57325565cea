"""What a module call runs first, where and as whom its module runs, on the connection that the module then has."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ansible_ensemble.lanes.core_remote import RemoteLane


class FirstCommand:
    """Runs the command that an order has first, once, when its action begins.

    Args:
        ask: gets its exit `code` and its `stdout`, without the last newlines, and returns when the action may go on.
        remote: the lane of hosts, or None.
    """

    def __init__(self, ask: Callable[[dict[str, Any]], None], remote: RemoteLane | None) -> None:
        self._ask = ask
        self._remote = remote
        self._command: Sequence[str] = ()

    def begin(self, command: Sequence[str]) -> None:
        """Take the command of the next order; empty if it has none."""
        self._command = command

    def install(self) -> None:
        """Put it into the actions of this process, after the lanes; it must be a private, forked one."""
        from ansible.plugins.action import ActionBase

        run = ActionBase.run

        @functools.wraps(run)
        def acting(action: Any, tmp: Any = None, task_vars: Any = None) -> Any:
            result = run(action, tmp, task_vars)
            command, self._command = self._command, ()
            if command:
                self._ask(self._run(action, command, task_vars or {}))
            return result

        ActionBase.run = acting

    def _run(self, action: Any, command: Sequence[str], variables: dict[str, Any]) -> dict[str, Any]:
        done = self._remote.run_first(action, command) if self._remote else None
        if done is not None:
            return {"code": done.code, "stdout": done.stdout.decode("utf-8", "surrogateescape").rstrip("\r\n")}
        arguments = {"argv": list(command), "expand_argument_vars": False}
        said = action._execute_module("ansible.legacy.command", module_args=arguments, task_vars=variables)
        return {"code": said.get("rc", 1), "stdout": said.get("stdout", "")}
