"""`ansible-ensemble provision`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.option import options_of
from ansible_ensemble.provision.server.settings import Settings, settings_of

#: What is not needed by anything else of the package.
_LIBRARIES = ("aiohttp", "cryptography", "jsonpatch", "msgspec", "nacl", "psycopg")

_DECLARED = options_of(Settings)


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("action", metavar="ACTION", choices=list(_ACTIONS), help=f"one of {', '.join(_ACTIONS)}")
    parser.add_argument("--config", metavar="FILE", default=None, help="a YAML file with settings; options win")
    options.add_declared(parser, _DECLARED)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Run the server of machines, or work on its store."""
    if missing := [name for name in _LIBRARIES if find_spec(name) is None]:
        hint = "pip install 'ansible-ensemble[provision]'"
        raise EnsembleError(f"the server of machines needs {', '.join(missing)}", hint=hint)
    given = {one.name: getattr(arguments, one.name) for one in _DECLARED if hasattr(arguments, one.name)}
    file = Path(arguments.config) if arguments.config else None
    settings = settings_of(given, session.console.environment, file)
    _ACTIONS[arguments.action](settings, session)
    return 0


def _serve(settings: Settings, session: Session) -> None:
    """Serve until the process is told to stop."""
    from ansible_ensemble.provision.server.run import serve

    _run(serve(settings, session.console.line))


def _password(settings: Settings, session: Session) -> None:
    """Make another password for the first user."""
    from ansible_ensemble.provision.server.run import reset_password

    session.console.line(f"The password is now {_run(reset_password(settings))}")


def _run(work: Any) -> Any:
    import asyncio

    return asyncio.run(work)


_ACTIONS: dict[str, Callable[[Settings, Session], None]] = {"serve": _serve, "password": _password}
