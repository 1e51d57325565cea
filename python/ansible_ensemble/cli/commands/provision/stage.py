"""`ansible-ensemble provision machines stage`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import machine_verbs
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session


def configure(parser: Parser) -> None:
    machine_verbs.add_machines(parser)
    parser.add_argument("stage", metavar="STAGE", help="the stage; none for none")
    parser.add_argument("--force", action="store_true", default=False, help="also while tasks are pending")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    stage = arguments.stage
    return machine_verbs.change_each(
        arguments, session, {"stage": stage}, f"is in stage {stage}", force=arguments.force
    )
