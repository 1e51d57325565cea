"""An action of our own: a program for a host's shell, run at the cost of one exchange and without Python there."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):  # type: ignore[misc]
    """Runs the text `program` by `/bin/sh`; the result has `code`, `printed` and `complaint`.

    The program goes through standard input: it may hold secrets, and whoever is on the host sees the arguments of
    processes. A connection that cannot do that, or a way to become another user, gets it as a file that is removed.
    """

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run it."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        if getattr(self._connection._shell, "SHELL_FAMILY", "sh") == "powershell":
            raise AnsibleActionFail("a host without a POSIX shell cannot be driven over its connection")
        program = self._task.args["program"]
        done = self._by_input(program) if self._takes_input() else self._by_file(program)
        # not by their usual names: by those, Ansible would take another exit code than 0 for a failure
        return {**result, "changed": True, "code": done["rc"], "printed": done["stdout"], "complaint": done["stderr"]}

    def _takes_input(self) -> bool:
        become = self._connection.become
        return bool(self._connection.has_pipelining and (become is None or getattr(become, "pipelining", True)))

    def _by_input(self, program: str) -> dict[str, Any]:
        data = program.encode("utf-8", "surrogateescape")
        done: dict[str, Any] = self._low_level_execute_command("/bin/sh -s", in_data=data)
        return done

    def _by_file(self, program: str) -> dict[str, Any]:
        folder = self._make_tmp_path()
        try:
            path = self._connection._shell.join_path(folder, "program")
            self._transfer_data(path, program)
            self._fixup_perms2((folder, path))
            # it may have a terminal, which would put a carriage return at the end of each line
            done: dict[str, Any] = self._low_level_execute_command(f"stty -opost 2>/dev/null; /bin/sh {path}")
            return done
        finally:
            self._remove_tmp_path(folder, force=True)
