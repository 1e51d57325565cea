"""`ansible-ensemble provision info`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, machine_verbs
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.table import table
from ansible_ensemble.reports.values import clean


def configure(parser: Parser) -> None:
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    found = endpoint.ask(arguments, session.console, lambda client: client.info())
    shown = {name: value for name, value in sorted(found.items()) if isinstance(value, str | int) and value != ""}
    rows = [[name, clean(str(value))] for name, value in shown.items()]
    session.console.answer(found, lambda: "\n".join(table(rows)) + "\n")
    return 0
