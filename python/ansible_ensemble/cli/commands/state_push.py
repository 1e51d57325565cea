"""`ansible-ensemble state push`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser)
    parser.add_argument(
        "--force", action="store_true", default=False, help="also in the place of what others pushed meanwhile"
    )
    options.add_options(parser, "state")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Bring what a job left here to where the state lives."""
    from ansible_ensemble.jobs import stored_state as jobs

    given = options.job_options(arguments, session.console.environment)
    pushed = jobs.push_state(arguments.ensemble, given, forced=arguments.force)
    what = "The state was pushed to" if pushed["pushed"] else "There is nothing to push to"
    session.console.answer(pushed, lambda: f"{what} {pushed['where']}.\n")
    return 0
