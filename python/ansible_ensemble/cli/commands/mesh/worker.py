"""`ansible-ensemble mesh worker`."""

from __future__ import annotations

import argparse
import asyncio
import platform
from pathlib import Path
from urllib.parse import quote

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.folders import state_folder


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("socket", metavar="SOCKET", help="the socket to listen on, which the node publishes")
    parser.add_argument(
        "--node", metavar="ID", default=platform.node(), help="the node's id (default: the name of the host)"
    )
    parser.add_argument(
        "--keys",
        metavar="FILE",
        default=None,
        help="execute what is signed by one of these public keys, one a line (default: execute nothing)",
    )
    parser.add_argument("--jobs", metavar="N", type=options.positive, default=20, help="commands at once (default: 20)")
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        default=None,
        help="where orders and the key are kept (default: in the user's state folder)",
    )
    parser.add_argument(
        "--node-key",
        metavar="FILE",
        default=None,
        help="the private key that the node is known by (default: made in the folder at the first start)",
    )
    options.add_common(parser, formats=("text",))


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.mesh.orders import Orders
    from ansible_ensemble.mesh.signing import KnownKeys, Signer, kept_signer
    from ansible_ensemble.mesh.worker import Work, serve

    folder = Path(arguments.folder or state_folder(session.console.environment) / "workers" / quote(arguments.node, ""))

    async def main() -> None:
        work = Work(KnownKeys(Path(arguments.keys)), Orders(folder, arguments.jobs)) if arguments.keys else None
        key = Signer(Path(arguments.node_key)) if arguments.node_key else kept_signer(folder)
        await serve(Path(arguments.socket), arguments.node, key, session.console.line, work)

    asyncio.run(main())
    return 0
