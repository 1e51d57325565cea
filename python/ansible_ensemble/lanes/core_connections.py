"""What a connection said when the first command on a host failed, which core leaves out of its message.

Of a host in a container whose daemon does not run, say, core tells that a temporary folder could not be created.
"""

from __future__ import annotations

import functools
from typing import Any

#: How core's message begins that says nothing of the cause.
_GENERIC = "Failed to create temporary directory."


def explain_failures() -> None:
    """Have actions of this process tell what a connection printed where core blames a temporary folder."""
    from ansible.plugins.action import ActionBase

    make, execute = ActionBase._make_tmp_path, ActionBase._low_level_execute_command

    @functools.wraps(execute)
    def executed(self: Any, *arguments: Any, **options: Any) -> Any:
        self._ensemble_last = result = execute(self, *arguments, **options)
        return result

    @functools.wraps(make)
    def made(self: Any, *arguments: Any, **options: Any) -> Any:
        from ansible.errors import AnsibleConnectionFailure

        try:
            return make(self, *arguments, **options)
        except AnsibleConnectionFailure as error:
            last = getattr(self, "_ensemble_last", {})
            said = str(last.get("stderr") or "").strip()
            if _GENERIC not in str(error) or not said:
                raise
            message = f"the connection {self._connection.transport} ran nothing there: {said}"
            raise AnsibleConnectionFailure(message) from None  # core would add the message of a cause

    ActionBase._make_tmp_path, ActionBase._low_level_execute_command = made, executed
