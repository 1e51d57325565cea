"""`ansible-ensemble status`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.status_text import status_text


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    options.add_options(parser, "status")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    status = inspection.status(arguments.ensemble, options.job_options(arguments, console.environment))
    console.answer(status, lambda: status_text(status, console.style, verbose=arguments.verbose > 0))
    return 0
