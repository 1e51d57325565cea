"""`ansible-ensemble provision content check`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, options, packs
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    packs.add_pack(parser)
    help_text = "check it among the objects of the server, without loading it"
    parser.add_argument("--against", action="store_true", default=False, help=help_text)
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    server = endpoint.given(arguments, session.console) if arguments.against else None
    return packs.tell(session.console, packs.checked_pack(arguments, server), "valid")
