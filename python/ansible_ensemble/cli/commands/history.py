"""`ansible-ensemble history`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.history_text import history_text


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    parser.add_argument("-n", "--last", metavar="N", type=options.positive, help="only the last N jobs")
    options.add_options(parser, "history")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    history = inspection.history(arguments.ensemble, given, limit=getattr(arguments, "last", None))
    console.answer(history, lambda: history_text(history["jobs"], console.style))
    return 0
