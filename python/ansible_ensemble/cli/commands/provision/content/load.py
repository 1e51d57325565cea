"""`ansible-ensemble provision content load`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, options, packs
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    packs.add_pack(parser)
    parser.add_argument("--check", action="store_true", default=False, help="tell what would change, and load nothing")
    parser.add_argument("--diff", action="store_true", default=False, help="show the lines that differ")
    packs.add_detailed(parser)
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.client.client import run as ask
    from ansible_ensemble.provision.content.changes import changes
    from ansible_ensemble.provision.content.server import load

    console, server = session.console, endpoint.given(arguments, session.console)
    checked = packs.checked_pack(arguments, server)
    if checked.errors:
        return packs.tell(console, checked, "")
    if arguments.check:
        done, found = "would be loaded", changes(checked.before, checked.after)
    else:
        done, found = "loaded", ask(server, lambda client: load(client, checked.bundle))
    detailed = arguments.detailed_exitcode
    return packs.tell_changes(console, checked, found, done, diff=arguments.diff, detailed=detailed)
