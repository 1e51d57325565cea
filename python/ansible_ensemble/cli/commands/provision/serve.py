"""`ansible-ensemble provision serve`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import server_settings
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    server_settings.add(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Serve until the process is told to stop."""
    import asyncio

    from ansible_ensemble.provision.server.run import serve
    from ansible_ensemble.ui.static_files import machine_pages

    settings = server_settings.given(arguments, session.console)
    asyncio.run(serve(settings, session.console.line, machine_pages()))
    return 0
