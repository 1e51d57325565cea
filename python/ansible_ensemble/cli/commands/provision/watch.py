"""`ansible-ensemble provision machines watch`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, machine_progress, machine_verbs, objects
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    parser.is_mixed = True
    parser.add_argument("named", metavar="MACHINE", nargs="*", default=[], help="name or UUID (default: all machines)")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    async def watched(client: Client) -> None:
        machines = [await objects.found(client, "machines", name) for name in arguments.named]
        await machine_progress.watch(client, machines, session.console)

    endpoint.ask(arguments, session.console, watched)
    return 0
