"""`ansible-ensemble provision KIND destroy`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), nargs="+", help=f"the {kind}")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console = arguments.kind, session.console

    async def gone(client: Client) -> tuple[list[Any], int]:
        async def delete(one: Any) -> tuple[Any, str]:
            return await client.delete(type(one), one.key), f"Deleted {objects.title(one)}."

        return await objects.each(client, kind, arguments.named, console, delete)

    deleted, code = endpoint.ask(arguments, console, gone)
    if console.machine:
        console.document([objects.document_of(one) for one in deleted])
    return code
