"""`ansible-ensemble unlock`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lock_id", metavar="ID", help="id of the lock, as shown in the message about it")
    options.add_ensemble_option(parser)
    options.add_options(parser, "unlock")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    given = options.job_options(arguments, session.console.environment)
    lock = jobs.unlock(arguments.ensemble, arguments.lock_id, given)
    session.console.answer(lock, lambda: f"The lock {arguments.lock_id} is removed.\n")
    return 0
