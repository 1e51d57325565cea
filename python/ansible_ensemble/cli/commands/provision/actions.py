"""`ansible-ensemble provision machines actions`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, machine_verbs, objects
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.objects_text import objects_text

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    parser.add_argument("named", metavar="MACHINE", help="name or UUID")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    async def offered(client: Client) -> list[dict[str, Any]]:
        return await client.actions(await objects.found(client, "machines", arguments.named))

    actions, columns = endpoint.ask(arguments, session.console, offered), ("Command", "Provider", "RequiredParams")
    session.console.answer(
        actions, lambda: objects_text("actions", actions, columns, session.console.style, whole=True)
    )
    return 0
