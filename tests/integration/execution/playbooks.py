"""Runs ansible-playbook for each line of arguments, in children of one process that has loaded it; prints exit codes.

The lines are JSON lists, and the codes a JSON list. Each playbook has the environment variable TOLD for its callback.
"""

from __future__ import annotations

import json
import os
import sys

from ansible.cli.playbook import PlaybookCLI


def run(arguments: list[str]) -> int:
    """Run it in a child; its output goes to the standard error stream."""
    pid = os.fork()
    if pid == 0:
        code = 250
        try:
            os.dup2(2, 1)
            os.environ["TOLD"] = arguments[-1] + ".told"
            PlaybookCLI.cli_executor(["ansible-playbook", *arguments])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 251
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    print(json.dumps([run(json.loads(line)) for line in sys.stdin]))
