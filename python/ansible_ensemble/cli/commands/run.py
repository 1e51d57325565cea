"""`ansible-ensemble run`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_job, run_workflow
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: Parser) -> None:
    parser.takes_command = True
    parser.epilog = "With -- COMMAND the command runs for each instance; it may contain expressions."
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    options.add_approval(parser)
    what = options.group(parser, "operation or command")
    what.add_argument("--workflow", metavar="NAME", default="run", help="run this workflow of the topology")
    options.add_job(parser, "run")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs import commands as jobs

    kinds = (
        hasattr(arguments, "operation"),
        hasattr(arguments, "command") or hasattr(arguments, "module"),
        arguments.workflow != "run",
    )
    ensemble, workflow = arguments.ensemble, arguments.workflow
    if options.is_plan_file(ensemble) and not any(kinds[:2]):
        return run_workflow(workflow, arguments, session, ask=False)
    if sum(kinds) != 1:
        raise UsageError("give exactly one of --operation NAME, --workflow NAME, --module NAME and -- COMMAND")
    return run_job(arguments, session, lambda values: jobs.prepare_job(ensemble, workflow, values))
