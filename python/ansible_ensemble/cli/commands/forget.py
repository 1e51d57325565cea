"""`ansible-ensemble forget`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import approved
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+", help="instances to forget, with what they host")
    options.add_ensemble_option(parser)
    options.add_approval(parser)
    options.add_options(parser, "forget")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    given = options.job_options(arguments, session.console.environment)
    if not options.is_approved(arguments, session.console):
        jobs.forget(arguments.ensemble, arguments.names, {**given, "check": True})  # nobody is asked in vain
    if not approved(arguments, session, f"Forget {', '.join(arguments.names)}, without deleting anything?"):
        return 1
    done = jobs.forget(arguments.ensemble, arguments.names, given)
    session.console.answer(done, lambda: f"Forgotten: {', '.join(done['forgotten'])}.\n")
    return 0
