"""`ansible-ensemble mesh worker`."""

from __future__ import annotations

import argparse
import asyncio
import platform
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("socket", metavar="SOCKET", help="the socket to listen on, which the node publishes")
    parser.add_argument(
        "--node", metavar="ID", default=platform.node(), help="the node's id (default: the name of the host)"
    )
    options.add_common(parser, formats=("text",))


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.mesh.worker import serve

    asyncio.run(serve(Path(arguments.socket), arguments.node, session.console.line))
    return 0
