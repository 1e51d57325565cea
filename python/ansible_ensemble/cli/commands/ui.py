"""`ansible-ensemble ui`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "project", metavar="FOLDER", nargs="?", default=".", help="the project's folder (default: here)"
    )
    parser.add_argument("--port", type=int, default=0, metavar="PORT", help="serve at this port (default: a free one)")
    parser.add_argument("--socket", type=Path, metavar="FILE", help="serve at a socket of this user instead of a port")
    parser.add_argument("--read-only", action="store_true", default=False, help="show everything, change nothing")
    others = parser.add_argument_group("for others")
    others.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="listen at this address (default: 127.0.0.1)"
    )
    others.add_argument("--cert", type=Path, metavar="FILE", help="certificate file in PEM, for TLS")
    others.add_argument("--key", type=Path, metavar="FILE", help="file of the certificate's private key in PEM")
    others.add_argument("--users", metavar="FILE", help="YAML file of users who may log in, and of a proxy's header")
    others.add_argument("--url", default="", metavar="URL", help="the address in browsers, behind a proxy")
    others.add_argument(
        "--hash-password", action="store_true", default=False, help="ask for a password, and print its line for --users"
    )
    options.add_common(parser, formats=("text",))


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.hash_password:
        from ansible_ensemble.core.passwords import hashed

        session.console.result(f"password: {hashed(_new_password(session.console))}\n")
        return 0
    import asyncio

    from ansible_ensemble.projects.project import project_root
    from ansible_ensemble.ui.serve import Address, serve
    from ansible_ensemble.ui.users import Users

    folder = Path(arguments.project).resolve()
    folder = folder.parent if folder.is_file() else folder
    if not folder.is_dir():
        raise UsageError(f"{arguments.project} is no folder")
    given = {name: getattr(arguments, name) for name in Address.__struct_fields__ if hasattr(arguments, name)}
    users = Users(Path(arguments.users)) if hasattr(arguments, "users") else None
    coroutine = serve(
        project_root(folder), session.console.line, Address(**given), users=users, read_only=arguments.read_only
    )
    asyncio.run(coroutine)
    return 0


def _new_password(console: Console) -> str:
    password = console.ask_password("Password: ")
    if not password or console.ask_password("Once more: ") != password:
        raise UsageError("these are not the same password" if password else "a password is not empty")
    return password
