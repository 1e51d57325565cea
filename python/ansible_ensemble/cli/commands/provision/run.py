"""`ansible-ensemble provision machines run`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import machine_verbs
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session


def configure(parser: Parser) -> None:
    machine_verbs.add_machines(parser)
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    return machine_verbs.change_each(arguments, session, {"runnable": True}, "is runnable")
