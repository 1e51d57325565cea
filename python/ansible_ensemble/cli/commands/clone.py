"""`ansible-ensemble clone`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="git URL or path of a project, ensemble or CSAR")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=None, help="target folder (default: ./NAME)")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    console = session.console
    folder = None if arguments.folder is None else Path(arguments.folder)
    made = jobs.clone(arguments.source, folder)
    for text in made.get("warnings", ()):
        console.line(f"Warning: {text}")
    ensembles = "".join(f"  {ensemble}\n" for ensemble in made["ensembles"])
    console.answer(made, lambda: f"Cloned to {made['folder']}.\n{ensembles}")
    return 0
