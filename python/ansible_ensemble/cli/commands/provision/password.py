"""`ansible-ensemble provision password`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import server_settings
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    server_settings.add_store(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    import asyncio

    from ansible_ensemble.provision.server.run import reset_password

    password = asyncio.run(reset_password(server_settings.given(arguments, session.console)))
    session.console.line(f"The password of rocketskates is now {password}")
    return 0
