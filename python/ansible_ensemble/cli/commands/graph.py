"""`ansible-ensemble graph`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.graph import dot, graph_of, mermaid
from ansible_ensemble.reports.graph_svg import graph_svg
from ansible_ensemble.reports.plan_html import plan_html

#: Format -> what draws a plan and its instances, given whether to draw each operation.
_FORMATS: dict[str, Callable[[dict[str, Any], bool], str]] = {
    "dot": lambda plan, operations: dot(graph_of(plan, operations=operations)),
    "mermaid": lambda plan, operations: mermaid(graph_of(plan, operations=operations)),
    "svg": lambda plan, operations: graph_svg(graph_of(plan, operations=operations)),
    "html": lambda plan, operations: plan_html(plan, operations=operations),
}


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    parser.add_argument(
        "--workflow", metavar="NAME", default="deploy", help="draw what this workflow would do (default: deploy)"
    )
    parser.add_argument("--format", choices=tuple(_FORMATS), default="dot", help="format of the graph (default: dot)")
    parser.add_argument("--operations", action="store_true", default=False, help="draw the operations of the plan")
    options.add_values(parser)
    options.add_options(parser, "graph")
    options.add_common(parser, formats=("text", "json"))


def run(arguments: argparse.Namespace, session: Session) -> int:
    plan = _plan(arguments, session)
    if session.console.machine:
        session.console.document(plan)
    else:
        session.console.result(_FORMATS[arguments.format](plan, arguments.operations))
    return 0


def _plan(arguments: argparse.Namespace, session: Session) -> dict[str, Any]:
    from ansible_ensemble.jobs import planned

    if options.is_plan_file(arguments.ensemble):
        from ansible_ensemble.records.saved_plans import load_plan

        return load_plan(Path(arguments.ensemble))[0].to_json()
    given = options.job_options(arguments, session.console.environment)
    document: dict[str, Any] = planned.make_plan(arguments.ensemble, arguments.workflow, given).with_instances()
    return document
