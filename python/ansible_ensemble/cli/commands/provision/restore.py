"""`ansible-ensemble provision restore`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import server_settings
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    server_settings.add_file(parser)
    parser.add_argument("--force", action="store_true", default=False, help="replace what the database holds")
    server_settings.add_store(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.store.backup import restore

    settings = server_settings.given(arguments, session.console)
    if not settings.database:
        settings.make_folder()
    with server_settings.file_of("restore", arguments) as file:
        held = restore(settings.store, file, force=arguments.force)
    session.console.line(f"The store now holds {server_settings.counted(held)}")
    return 0
