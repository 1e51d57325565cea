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
    made = jobs.init(Path(arguments.folder), {})
    for text in made.get("warnings", ()):
        console.line(f"Warning: {text}")
    if arguments.output == "json":
        console.document(made)
    else:
        if made["project"] is None:
            console.line(f"Created a project in {made['folder']}:")
        else:
            console.line(f"Created an ensemble in {made['folder']}, in the project {made['project']}:")
        for file in made["files"]:
            console.line(f"  {file}")
        console.line(f"Next: ansible-ensemble plan {made['folder']}")
    return 0
