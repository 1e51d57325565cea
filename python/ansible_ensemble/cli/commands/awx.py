"""`ansible-ensemble awx export`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-e", "--extra-vars", metavar="VARS", dest="role_variables", action="append", default=[],
        help="variables of the role awx, as key=value, YAML or @file; secrets among them stay variables",
    )  # fmt: skip
    options.add_options(parser, "awx")
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.jobs.awx_playbook import awx_playbook

    console = session.console
    text = awx_playbook(arguments.role_variables, options.job_options(arguments, console.environment))
    console.answer({"playbook": text}, lambda: text)
    return 0
