"""`ansible-ensemble provision serve`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import server_settings
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    server_settings.add(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    import asyncio

    from ansible_ensemble.provision.server.run import serve
    from ansible_ensemble.ui.static_files import machine_pages

    settings = server_settings.given(arguments, session.console)
    asyncio.run(serve(settings, session.console.line, machine_pages()))
    return 0
