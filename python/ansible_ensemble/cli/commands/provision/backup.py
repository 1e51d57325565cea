"""`ansible-ensemble provision backup`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import server_settings
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    server_settings.add_file(parser)
    server_settings.add_store(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.provision.store.backup import back_up

    settings = server_settings.given(arguments, session.console)
    with server_settings.file_of("backup", arguments) as file:
        held = back_up(settings.store, file)
    session.console.line(f"The backup holds {server_settings.counted(held)}")
    return 0
