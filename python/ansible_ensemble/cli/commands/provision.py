"""`ansible-ensemble provision`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, Place, UsageError
from ansible_ensemble.core.option import options_of
from ansible_ensemble.provision.server.settings import Settings, settings_of

#: What is not needed by anything else of the package.
_LIBRARIES = ("aiohttp", "cryptography", "jsonpatch", "msgspec", "nacl", "psycopg")

_DECLARED = options_of(Settings)

_MEANING = "serve: run the server; backup, restore: write or read FILE; password: make a new one for the first user"


def configure(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    parser.add_argument("action", metavar="ACTION", choices=list(_ACTIONS), help=_MEANING)
    parser.add_argument("file", metavar="FILE", nargs="?", default=None, help="the backup")
    parser.add_argument("--force", action="store_true", default=False, help="restore: replace what the database holds")
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
    if (arguments.file is None) == (arguments.action in _OF_FILES):
        raise UsageError(f"{arguments.action} takes {'a' if arguments.action in _OF_FILES else 'no'} file")
    if arguments.force and arguments.action != "restore":
        raise UsageError("--force is for restore")
    _ACTIONS[arguments.action](settings, arguments, session.console)
    return 0


def _serve(settings: Settings, _: argparse.Namespace, console: Console) -> None:
    """Serve until the process is told to stop."""
    from ansible_ensemble.provision.server.run import serve

    _run(serve(settings, console.line))


def _password(settings: Settings, _: argparse.Namespace, console: Console) -> None:
    """Make another password for the first user."""
    from ansible_ensemble.provision.server.run import reset_password

    console.line(f"The password of rocketskates is now {_run(reset_password(settings))}")


def _backup(settings: Settings, arguments: argparse.Namespace, console: Console) -> None:
    """Write one moment of the store to a file; servers may run meanwhile."""
    from ansible_ensemble.provision.store.backup import back_up

    console.line(_counted("The backup holds", _of_file(arguments, lambda file: back_up(settings.store, file))))


def _restore(settings: Settings, arguments: argparse.Namespace, console: Console) -> None:
    """Make the store hold what a backup holds."""
    from ansible_ensemble.provision.store.backup import restore

    if not settings.database:
        settings.make_folder()
    held = _of_file(arguments, lambda file: restore(settings.store, file, force=arguments.force))
    console.line(_counted("The store now holds", held))


def _of_file(arguments: argparse.Namespace, work: Callable[[Path], dict[str, int]]) -> dict[str, int]:
    try:
        return work(Path(arguments.file))
    except OSError as error:
        raise EnsembleError(f"{arguments.action}: {error.strerror or error}", Place(arguments.file)) from None


def _counted(what: str, rows: dict[str, int]) -> str:
    return f"{what} {', '.join(f'{count} {name}' for name, count in rows.items())}"


def _run(work: Any) -> Any:
    import asyncio

    return asyncio.run(work)


_ACTIONS: dict[str, Callable[[Settings, argparse.Namespace, Console], None]] = {
    "serve": _serve,
    "backup": _backup,
    "restore": _restore,
    "password": _password,
}
_OF_FILES = ("backup", "restore")
