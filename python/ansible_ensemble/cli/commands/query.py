"""`ansible-ensemble query`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.reports.values import clean


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "expression", metavar="EXPRESSION", help="a path (::app::url), a template, or a function in YAML"
    )
    parser.add_argument(
        "--instance", metavar="NAME", help="instance that SELF and relative paths refer to (default: the topology)"
    )
    options.add_ensemble_option(parser)
    options.add_values(parser)
    options.add_options(parser, "query")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import inspection

    console = session.console
    given = options.job_options(arguments, console.environment)
    instance = getattr(arguments, "instance", None)
    value = inspection.query(arguments.ensemble, arguments.expression, instance, given)
    text = value if isinstance(value, str) else json_text(value, indent=2)
    console.answer(value, lambda: f"{clean(text) if console.is_terminal else text}\n")
    return 0
