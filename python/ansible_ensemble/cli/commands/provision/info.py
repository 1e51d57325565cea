"""`ansible-ensemble provision info`."""

from __future__ import annotations

import argparse

from ansible_ensemble.cli import endpoint, options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.table import table


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    endpoint.add(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Show what the server says of itself."""
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.client import run as ask

    found = ask(endpoint.given(arguments, session.console), Client.info)
    rows = [[name, str(value)] for name, value in sorted(found.items()) if isinstance(value, str | int) and value != ""]
    session.console.answer(found, lambda: "\n".join(table(rows)) + "\n")
    return 0
