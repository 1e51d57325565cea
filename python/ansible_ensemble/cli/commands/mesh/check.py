"""`ansible-ensemble mesh check`."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


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
    options.add_mesh(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.mesh.signing import Signer
    from ansible_ensemble.mesh.trial import try_nodes
    from ansible_ensemble.reports.mesh_text import trials_text

    signer = Signer(Path(arguments.key)) if arguments.key else None
    trials = asyncio.run(try_nodes(arguments.mesh, arguments.nodes, signer))
    documents = [trial.document for trial in trials]
    session.console.answer({"nodes": documents}, lambda: trials_text(documents, session.console.style))
    return int(any(trial.problem for trial in trials))
