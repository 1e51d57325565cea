"""Programs of commands on the controller: one that is not there, and that nothing installs, is told before a job."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex

#: One command with its words: what the shell does with others depends on how they end.
_SIMPLE = regex(r"([\w.+/-]+)(?:[ \t][^|;&<>$`(){}\n\\]*)?\s*")
#: Words that a shell knows itself [POSIX, "Shell Command Language"].
_OF_SHELL = frozenset(
    {".", ":", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit", "export", "false", "fg"}
    | {"getopts", "hash", "jobs", "kill", "local", "printf", "pwd", "read", "readonly", "return", "set", "shift"}
    | {"source", "test", "time", "times", "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "wait"}
    | {"if", "for", "while", "until", "case", "echo", "function"}
)


def program_fault(
    task: Task, argv: Sequence[str], shell: str | None, environment: Mapping[str, str | None]
) -> InvalidInput | None:
    """The error for a command whose program is not there; None if it is, or may be once the command runs."""
    if not task.plans_on_controller or shell not in (None, "/bin/sh", "/bin/bash", "sh", "bash"):
        return None
    found = _SIMPLE.fullmatch(argv[0].strip()) if shell is not None else None
    program = argv[0] if shell is None else found[1] if found is not None else ""
    if not program or (shell is not None and program in _OF_SHELL) or "=" in program:
        return None
    path = environment.get("PATH") or os.environ.get("PATH") or os.defpath
    relative = "/" in program and not program.startswith("/")
    where = str(task.directory / program) if relative else program
    if shutil.which(where, path=path) or Path(where).exists():
        return None
    if task.may_be_made([task.directory / program]) or task.may_be_installed():
        return None
    message = f"there is no program {program} for {task.operation.full_name}"
    return InvalidInput(message, task.operation.place, "install it, or correct its name")
