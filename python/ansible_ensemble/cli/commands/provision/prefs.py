"""`ansible-ensemble provision prefs`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, machine_verbs
from ansible_ensemble.cli.object_fields import assigned
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.table import table

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    parser.is_mixed = True
    parser.add_argument(
        "settings", metavar="NAME=VALUE", nargs="*", default=[], help="what to set, as defaultWorkflow=discover"
    )
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    wanted = dict(map(assigned, arguments.settings))

    async def preferences(client: Client) -> dict[str, str]:
        if wanted:
            await client.set_preferences(wanted)
        return await client.preferences()

    found = endpoint.ask(arguments, session.console, preferences)
    session.console.answer(
        found, lambda: "\n".join(table([[name, text] for name, text in sorted(found.items())])) + "\n"
    )
    return 0
