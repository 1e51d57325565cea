"""`ansible-ensemble provision logout`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import options
from ansible_ensemble.cli.logins import current_login, drop_login
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput


def configure(parser: Parser) -> None:
    parser.add_argument(
        "address", metavar="URL", nargs="?", default="", help="of the server (default: the latest login)"
    )
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    console = session.console
    login = current_login(console.environment, arguments.address.rstrip("/"))
    if login is None:
        raise InvalidInput(f"there is no login{f' at {arguments.address}' if arguments.address else ''}")
    drop_login(console.environment, login)
    console.answer({"endpoint": login.endpoint}, lambda: f"Forgot the login at {login.endpoint}.\n")
    return 0
