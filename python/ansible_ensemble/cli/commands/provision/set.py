"""`ansible-ensemble provision KIND set`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.object_fields import map_of_file, params_of
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), help=f"the {objects.one_of(kind)}")
    parser.add_argument("params", metavar="PARAM=VALUE", nargs="*", default=[], help="a param; the value is YAML")
    parser.add_argument("-f", "--file", metavar="FILE", default=None, help="a map of params; - is standard input")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console = arguments.kind, session.console
    given = map_of_file(arguments.file, console.stdin) if arguments.file else {}
    wanted = {**given, **params_of(arguments.params)}
    if not wanted:
        raise UsageError("no param is given", hint="write PARAM=VALUE, or --file FILE")

    async def put(client: Client) -> str:
        owner = await objects.found(client, kind, arguments.named)
        for name, value in wanted.items():
            await client.set_param(owner, name, value)
        return objects.name_of(owner)

    owner = endpoint.ask(arguments, console, put)
    names = list(wanted)
    console.answer(
        {"Name": owner, "Params": names}, lambda: f"Set {', '.join(names)} of {objects.one_of(kind)} {owner}.\n"
    )
    return 0
