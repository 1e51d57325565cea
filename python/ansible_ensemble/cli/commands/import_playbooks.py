"""`ansible-ensemble import`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("playbooks", metavar="PLAYBOOK", nargs="+", help="playbooks, in the order in which they run")
    options.add_values(parser)
    options.add_options(parser, "import")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Write an ensemble that does what playbooks do."""
    from ansible_ensemble.jobs import commands as jobs
    from ansible_ensemble.reports.import_text import import_text

    console = session.console
    given = options.job_options(arguments, console.environment)
    found = jobs.import_playbooks(arguments.playbooks, given)
    again = [word for source in getattr(arguments, "inventory", []) for word in ("-i", source)]
    console.answer(found, lambda: import_text(found, console.style, again))
    return 0
