"""`ansible-ensemble mesh check`."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "nodes",
        metavar="NODE",
        nargs="*",
        default=[],
        help="nodes whose workers to try (default: all that publish one)",
    )
    parser.add_argument(
        "--key", metavar="FILE", default=None, help="have each execute something that this private key signs, too"
    )
    parser.add_argument(
        "--known-nodes", metavar="FILE", default=None, help="the keys that nodes have to have (default: any)"
    )
    parser.add_argument(
        "--accept-new",
        action="store_true",
        default=False,
        help="add the keys of nodes that are not in the file of --known-nodes",
    )
    options.add_mesh(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.mesh.known_nodes import KnownNodes
    from ansible_ensemble.mesh.signing import Signer
    from ansible_ensemble.mesh.trial import try_nodes
    from ansible_ensemble.reports.mesh_text import trials_text

    signer = Signer(Path(arguments.key)) if arguments.key else None
    if arguments.accept_new and not arguments.known_nodes:
        raise UsageError("--accept-new has no file", hint="name it by --known-nodes")
    file = arguments.known_nodes
    known = KnownNodes(Path(file), accept_new=arguments.accept_new) if file else None
    trials = asyncio.run(try_nodes(arguments.mesh, arguments.nodes, signer, known))
    documents = [trial.document for trial in trials]
    session.console.answer({"nodes": documents}, lambda: trials_text(documents, session.console.style))
    return int(any(trial.problem for trial in trials))
