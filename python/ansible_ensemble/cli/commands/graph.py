"""`ansible-ensemble graph`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.graph import dot, mermaid
from ansible_ensemble.reports.plan_html import plan_html

#: Format -> what draws a plan, given whether to draw each operation; a web page always shows them.
_FORMATS: dict[str, Callable[[dict[str, Any], bool], str]] = {
    "dot": lambda plan, operations: dot(plan, operations=operations),
    "mermaid": lambda plan, operations: mermaid(plan, operations=operations),
    "html": lambda plan, _: plan_html(plan),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    parser.add_argument("--workflow", metavar="NAME", default="deploy", help="the workflow to draw (default: deploy)")
    parser.add_argument("--format", choices=tuple(_FORMATS), default="dot", help="format of the graph (default: dot)")
    parser.add_argument("--operations", action="store_true", default=False, help="draw each operation as a box")
    options.add_values(parser)
    options.add_options(parser, "graph")
    options.add_common(parser, formats=("text",))


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Draw the plan."""
    plan = _plan(arguments, session)
    session.console.result(_FORMATS[arguments.format](plan, arguments.operations))
    return 0


def _plan(arguments: argparse.Namespace, session: Session) -> dict[str, Any]:
    from ansible_ensemble.jobs import commands as jobs

    if options.is_plan_file(arguments.ensemble):
        from ansible_ensemble.records.saved_plans import load_plan

        return load_plan(Path(arguments.ensemble))[0].to_json()
    given = options.job_options(arguments, session.console.environment)
    return jobs.make_plan(arguments.ensemble, arguments.workflow, given).document
