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
    """Describe the command's arguments."""
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), nargs="+", help=f"the {kind}")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Delete objects, one after the other, until one cannot be."""
    kind, console = arguments.kind, session.console

    async def gone(client: Client) -> list[dict[str, Any]]:
        documents = []
        for key in arguments.named:
            one = await objects.found(client, kind, key)
            documents.append(objects.document_of(await client.delete(type(one), one.key)))
            if not console.machine:
                console.line(f"Deleted {objects.one_of(kind)} {key}.")
        return documents

    documents = endpoint.ask(arguments, console, gone)
    if console.machine:
        console.document(documents)
    return 0
