"""`ansible-ensemble provision KIND show`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.objects_text import object_text


def configure(parser: Parser) -> None:
    kind = objects.add_kind(parser)
    parser.add_argument("named", metavar=objects.one_of(kind).upper(), help=f"the {objects.one_of(kind)}")
    parser.add_argument("--decode", action="store_true", default=False, help="open what is secret")
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    kind, key, decode = arguments.kind, arguments.named, arguments.decode
    one = endpoint.ask(arguments, session.console, lambda client: objects.found(client, kind, key, decode=decode))
    document = objects.document_of(one, decode=decode)
    session.console.answer(document, lambda: object_text(document, every=arguments.verbose > 0))
    return 0
