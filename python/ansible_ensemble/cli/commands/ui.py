"""`ansible-ensemble ui`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument(
        "project", metavar="FOLDER", nargs="?", default=".", help="the project's folder (default: here)"
    )
    parser.add_argument("--port", type=int, default=0, metavar="PORT", help="serve at this port (default: a free one)")
    parser.add_argument("--socket", metavar="FILE", help="serve at a socket of this user instead of a port")
    parser.add_argument("--read-only", action="store_true", default=False, help="show everything, change nothing")
    options.add_common(parser, formats=("text",))


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Serve until the process is told to stop.

    Raises:
        UsageError: the project is no folder, or the port is none.
    """
    import asyncio

    from ansible_ensemble.projects.project import project_root
    from ansible_ensemble.ui.serve import serve

    folder = Path(arguments.project).resolve()
    folder = folder.parent if folder.is_file() else folder
    if not folder.is_dir():
        raise UsageError(f"{arguments.project} is no folder")
    if not 0 <= arguments.port < 65536:
        raise UsageError(f"--port {arguments.port}: a port is a number up to 65535")
    socket = Path(arguments.socket) if hasattr(arguments, "socket") else None
    coroutine = serve(
        project_root(folder), session.console.line, port=arguments.port, socket=socket, read_only=arguments.read_only
    )
    asyncio.run(coroutine)
    return 0
