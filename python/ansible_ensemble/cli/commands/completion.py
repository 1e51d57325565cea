"""`ansible-ensemble completion`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli.completion import SHELLS, completion_script
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, UsageError

_KINDS = ("instances", "templates", "workflows", "operations", "outputs", "changes", "jobs")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = 'For bash: eval "$(ansible-ensemble completion bash)"; for fish: ... completion fish | source'
    shells = ", ".join(SHELLS)
    parser.add_argument("shell", metavar="SHELL", nargs="?", default=None, choices=SHELLS, help=f"one of {shells}")
    parser.add_argument(
        "--values", metavar="KIND", choices=_KINDS, help=f"print the names of the ensemble here: {', '.join(_KINDS)}"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    if hasattr(arguments, "values"):
        session.console.result("".join(f"{name}\n" for name in _names(arguments.values)))
        return 0
    if arguments.shell is None:
        raise UsageError("the shell is missing", hint=f"it is one of {', '.join(SHELLS)}")
    session.console.result(completion_script(arguments.shell))
    return 0


def _names(kind: str) -> list[str]:
    from ansible_ensemble.jobs.names import names

    try:
        return names(".", kind)
    except EnsembleError:  # who types has not asked for an opinion
        return []
