"""`ansible-ensemble provision KIND unset`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), help=f"the {objects.one_of(kind)}")
    parser.add_argument("params", metavar="PARAM", nargs="+", help="the params")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console, names = arguments.kind, session.console, arguments.params

    async def removed(client: Client) -> str:
        owner = await objects.found(client, kind, arguments.named)
        for name in names:
            await client.remove_param(owner, name)
        return objects.name_of(owner)

    owner = endpoint.ask(arguments, console, removed)
    text = f"Removed {', '.join(names)} from {objects.one_of(kind)} {owner}.\n"
    console.answer({"Name": owner, "Params": names}, lambda: text)
    return 0
