"""`ansible-ensemble provision KIND get`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.reports.objects_text import object_text

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


class NoSuchParam(EnsembleError):
    """An object has no such param."""

    exit_code = 5


def configure(parser: Parser) -> None:
    kind, parser.is_mixed = objects.add_kind(parser), True
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), help=f"the {objects.one_of(kind)}")
    parser.add_argument("param", metavar="PARAM", nargs="?", default=None, help="the param (default: all)")
    parser.add_argument(
        "--aggregate", action="store_true", default=False, help="also what it has from profiles, stage and defaults"
    )
    parser.add_argument("--decode", action="store_true", default=False, help="open what is secret")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    name, console = arguments.param, session.console

    async def params(client: Client) -> dict[str, Any]:
        owner = await objects.found(client, arguments.kind, arguments.named)
        held = await client.params(owner, aggregate=arguments.aggregate, decode=arguments.decode)
        if name is None or name in held:
            return held
        value = await client.param(owner, name, aggregate=arguments.aggregate, decode=arguments.decode)
        if value is None:
            hint = nearest(name, held) or (None if arguments.aggregate else "--aggregate looks further")
            raise NoSuchParam(f"{arguments.named} has no param {name}", hint=hint)
        return {name: value}

    found = endpoint.ask(arguments, console, params)
    value = found if name is None else found[name]
    if name is None and not console.machine and not found:
        console.line(f"{arguments.named} has no params.")
        return 0
    console.answer(value, lambda: object_text(found, every=True) if name is None else _plain(value))
    return 0


def _plain(value: Any) -> str:
    """A value for scripts: texts as they are, others as YAML."""
    return f"{value}\n" if isinstance(value, str) else object_text({"": value}, every=True).removeprefix('"": ')
