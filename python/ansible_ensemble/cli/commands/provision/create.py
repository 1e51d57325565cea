"""`ansible-ensemble provision KIND create`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, object_fields, object_options, objects
from ansible_ensemble.cli.object_fields import Fields
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.base import Object


def configure(parser: Parser) -> None:
    kind = objects.add_kind(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", default=None, help="its name; not needed with a file")
    object_options.add(parser, kind)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, console = arguments.kind, session.console
    asked = [object_fields.made(objects.kind_of(kind), fields) for fields in _named(arguments, session)]

    async def created(client: Client) -> list[Object]:
        done = []
        for one in asked:
            done.append(await client.create(one, object_options.is_forced(arguments)))
            if not console.machine:
                console.line(f"Created {objects.title(done[-1])}.{objects.lacking(done[-1])}")
        return done

    documents = [objects.document_of(one) for one in endpoint.ask(arguments, console, created)]
    if console.machine:
        console.document(documents[0] if len(documents) == 1 else documents)
    return 0


def _named(arguments: argparse.Namespace, session: Session) -> list[Fields]:
    """The fields of the objects, which have a name."""
    if arguments.name and "=" in arguments.name:
        arguments.fields, arguments.name = [arguments.name, *arguments.fields], None
    asked = object_options.wanted(arguments, session.console)
    if len(asked) == 1:
        asked = [{**asked[0], **object_options.with_profiles(arguments, asked[0])}]
    field = "ID" if arguments.kind == "templates" else "Name"
    if arguments.name and len(asked) > 1:
        raise UsageError("a file with several objects takes no name")
    if arguments.name and any(word.partition("=")[0].casefold() == field.casefold() for word in arguments.fields):
        raise UsageError(f"the name is given twice: {arguments.name}, and {field}=", hint="give one of them")
    if arguments.name:
        asked = [{**asked[0], field: arguments.name}]
    if any(not one.get(field) for one in asked):
        raise UsageError(f"what is created needs a name ({field})")
    return asked
