"""`ansible-ensemble provision KIND update`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, object_fields, object_options, objects
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    kind = objects.add_kind(parser)
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), help=f"the {objects.one_of(kind)}")
    object_options.add(parser, kind)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console = arguments.kind, session.console
    asked = object_options.wanted(arguments, console)
    if len(asked) != 1 or not (asked[0] or getattr(arguments, "profile", [])):
        raise UsageError("an update needs fields, of one object", hint="write FIELD=VALUE, or --file FILE")

    async def updated(client: Client) -> tuple[Any, Any]:
        old = await objects.found(client, kind, arguments.named)
        new = object_fields.changed(old, {**asked[0], **object_options.with_profiles(arguments, asked[0], old)})
        return old, await client.change(old, new, object_options.is_forced(arguments)) if new != old else old

    old, new = endpoint.ask(arguments, console, updated)
    verb = "Changed" if new is not old else "Nothing changes in"
    console.answer(objects.document_of(new), lambda: f"{verb} {objects.title(new)}.{objects.lacking(new)}\n")
    return 0
