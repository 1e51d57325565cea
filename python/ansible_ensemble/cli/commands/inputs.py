"""`ansible-ensemble inputs`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.inputs_text import declared_inputs_text


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    options.add_options(parser, "inputs")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    document = inspection.inputs(arguments.ensemble, options.job_options(arguments, console.environment))
    console.answer(document, lambda: declared_inputs_text(document, console.style))
    return 0
