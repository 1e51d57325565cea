"""`ansible-ensemble outputs`."""

from __future__ import annotations

import argparse
import json

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.reports.outputs_text import outputs_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser)
    parser.add_argument("--raw", metavar="NAME", help="print the value of this output and nothing else")
    options.add_environment(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Show the outputs.

    Raises:
        InvalidInput: there is no output of the name that was asked for.
    """
    console = session.console
    outputs = session.jobs().outputs(arguments.ensemble, options.job_options(arguments, console.environment))
    if hasattr(arguments, "raw"):
        if arguments.raw not in outputs:
            raise InvalidInput(f'there is no output "{arguments.raw}"', hint=nearest(arguments.raw, list(outputs)))
        value = outputs[arguments.raw]
        console.result(f"{value if isinstance(value, str) else json.dumps(value, default=str)}\n")
    elif arguments.output == "json":
        console.document(outputs)
    else:
        console.result("\n".join(outputs_text(outputs)) + "\n" if outputs else "There are no outputs.\n")
    return 0
