"""`ansible-ensemble outputs`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.reports.outputs_text import outputs_text


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser)
    parser.add_argument("--raw", metavar="NAME", help="print the value of this output and nothing else")
    options.add_options(parser, "outputs")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    if hasattr(arguments, "raw"):
        value = inspection.output(arguments.ensemble, arguments.raw, given)
        console.result(f"{value if isinstance(value, str) else json_text(value)}\n")
        return 0
    outputs = inspection.outputs(arguments.ensemble, given)
    console.answer(outputs, lambda: "\n".join(outputs_text(outputs)) + "\n" if outputs else "There are no outputs.\n")
    return 0
