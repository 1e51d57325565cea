"""`ansible-ensemble provision users password`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, machine_verbs, objects
from ansible_ensemble.cli.logins import password_of
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    parser.add_argument("named", metavar="USER", help="the user; the password is asked for")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    user, console = arguments.named, session.console
    password = password_of(user, console)

    async def change(client: Client) -> None:
        await objects.found(client, "users", user)
        await client.set_password(user, password)

    endpoint.ask(arguments, console, change)
    console.answer({"Name": user}, lambda: f"{user} has another password.\n")
    return 0
