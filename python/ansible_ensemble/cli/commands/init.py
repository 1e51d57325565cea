"""`ansible-ensemble init`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.projects.ci import SERVERS
from ansible_ensemble.projects.project import ENSEMBLE_FILE


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="its folder (default: here)")
    parser.add_argument(
        "--ci",
        choices=SERVERS,
        help="also write the file by which this CI server plans, deploys and checks; only that if there is an ensemble",
    )
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    console = session.console
    made = jobs.init(Path(arguments.folder), getattr(arguments, "ci", None))
    for text in made.get("warnings", ()):
        console.line(f"Warning: {text}")
    what, following = f"a project in {made['folder']}", f"ansible-ensemble plan {made['folder']}"
    if ENSEMBLE_FILE not in made["files"]:
        what, following = f"the CI of {made['folder']}", "read at the top of it what it wants, and commit it"
    elif made["project"] is not None:
        what = f"an ensemble in {made['folder']}, in the project {made['project']}"
    files = "".join(f"  {file}\n" for file in made["files"])
    console.answer(made, lambda: f"Created {what}:\n{files}Next: {following}\n")
    return 0
