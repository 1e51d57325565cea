"""`ansible-ensemble state pull`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser)
    parser.add_argument(
        "--force", action="store_true", default=False, help="also in the place of what is here and was not pushed"
    )
    options.add_options(parser, "state")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Have the newest state here."""
    from ansible_ensemble.jobs import stored_state as jobs

    given = options.job_options(arguments, session.console.environment)
    pulled = jobs.pull_state(arguments.ensemble, given, forced=arguments.force)
    session.console.answer(pulled, lambda: f"The state is that of {pulled['where']}.\n")
    return 0
