"""`ansible-ensemble completion`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli.completion import SHELLS, completion_script
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.epilog = 'For bash: eval "$(ansible-ensemble completion bash)"; for fish: ... completion fish | source'
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Print the script."""
    session.console.result(completion_script(arguments.shell))
    return 0
