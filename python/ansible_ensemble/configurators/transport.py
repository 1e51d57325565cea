"""Files that a command needs on another host: brought there before it runs, and removed when it has."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.orders import ModuleCall, Outcome

#: Task keywords that say how a host is reached, which hold for the files as they do for the command.
_REACH = frozenset(
    {"become", "become_user", "become_method", "become_flags", "connection", "delegate_to", "port", "remote_user"}
    | {"no_log", "vars"}
)


def run_with_files(task: Task, call: ModuleCall) -> Generator[ModuleCall, Outcome, Outcome]:
    """Call a command's module in a folder of the host with the task's files; the outcome may be of what copies them."""
    made = yield _also(call, "ansible.builtin.tempfile", {"state": "directory", "suffix": ".ensemble"})
    if not made.ok:
        return _failed(made)
    folder = str(made.result["path"])
    for file in task.files:
        copied = yield _also(call, "ansible.builtin.copy", {"src": str(file), "dest": f"{folder}/", "mode": "preserve"})
        if not copied.ok:
            outcome = _failed(copied)
            break
    else:
        chdir = str(PurePosixPath(folder, call.args.get("chdir", "")))
        outcome = yield replace(call, args={**call.args, "chdir": chdir})
    yield _also(call, "ansible.builtin.file", {"path": folder, "state": "absent"})
    return outcome


def _also(call: ModuleCall, module: str, args: dict[str, Any]) -> ModuleCall:
    """Another module where a call runs, and as its user."""
    keywords = {name: value for name, value in call.keywords.items() if name in _REACH}
    return replace(call, module=module, args=args, keywords=keywords, diff=False)


def _failed(outcome: Outcome) -> Outcome:
    """The command has not run, as one that cannot be started, and so has changed nothing."""
    return replace(outcome, changed=False, rc=126, error=f"its files could not be copied to the host: {outcome.error}")
