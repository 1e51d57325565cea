"""`ansible-ensemble provision content diff`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, options, packs
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    packs.add_pack(parser)
    packs.add_detailed(parser)
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.content.changes import changes

    console = session.console
    checked = packs.checked_pack(arguments, endpoint.given(arguments, console))
    if checked.errors:
        return packs.tell(console, checked, "")
    found = changes(checked.before, checked.after)
    detailed = arguments.detailed_exitcode
    return packs.tell_changes(console, checked, found, "compared", diff=True, detailed=detailed)
