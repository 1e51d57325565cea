"""`ansible-ensemble mesh status`."""

from __future__ import annotations

import argparse
import asyncio

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_mesh(parser)
    options.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from ansible_ensemble.mesh.nodes import look_around
    from ansible_ensemble.reports.mesh_text import nodes_text

    nodes = [node.document for node in asyncio.run(look_around(arguments.mesh))]
    session.console.answer({"nodes": nodes}, lambda: nodes_text(nodes, session.console.style))
    return 0
