"""`ansible-ensemble init`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="its folder (default: here)")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Make a project, or an ensemble within one."""
    from ansible_ensemble.jobs import commands as jobs

    console = session.console
    made = jobs.init(Path(arguments.folder))
    for text in made.get("warnings", ()):
        console.line(f"Warning: {text}")
    what = f"a project in {made['folder']}"
    if made["project"] is not None:
        what = f"an ensemble in {made['folder']}, in the project {made['project']}"
    files = "".join(f"  {file}\n" for file in made["files"])
    console.answer(made, lambda: f"Created {what}:\n{files}Next: ansible-ensemble plan {made['folder']}\n")
    return 0
