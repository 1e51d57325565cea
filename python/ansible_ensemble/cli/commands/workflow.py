"""The commands that run the workflow of their name: deploy, undeploy, check, discover, start and stop."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.job import run_workflow
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

#: Workflows that only look, and need no approval.
_LOOKING = ("check", "discover")


def configure(parser: Parser) -> None:
    workflow = parser.command
    parser.set_defaults(workflow=workflow)
    options.add_ensemble(parser, options.ENSEMBLE_OR_PLAN)
    if workflow not in _LOOKING:
        options.add_approval(parser)
    formats = options.FORMATS
    if workflow == "check":
        parser.add_argument(
            "--detailed-exitcode",
            action="store_true",
            default=False,
            help="exit with 2 if anything is not as recorded or not ok",
        )
        formats += ("markdown",)
    options.add_job(parser, workflow, formats)


def run(arguments: argparse.Namespace, session: Session) -> int:
    return run_workflow(arguments.workflow, arguments, session, ask=arguments.workflow not in _LOOKING)
