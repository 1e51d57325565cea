"""Logins at servers of machines: whom to trust, and a token, in a file of the user's that nobody else can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place, UsageError
from ansible_ensemble.core.folders import state_folder
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private


@dataclass(frozen=True, slots=True)
class Login:
    """A login at a server.

    Attributes:
        endpoint: the address, as the user gave it.
        user: who logged in.
        token: what proves it.
        ca_file: certificates of which one has signed the server's.
        fingerprint: of the server's certificate, where that was confirmed instead.
    """

    endpoint: str
    user: str
    token: str = field(repr=False)
    ca_file: str = ""
    fingerprint: str = ""


def current_login(environment: Mapping[str, str], endpoint: str = "") -> Login | None:
    """The login at a server, or the latest one."""
    logins = _read(logins_file(environment))
    return next((one for one in reversed(logins) if not endpoint or one.endpoint == endpoint), None)


def keep_login(environment: Mapping[str, str], login: Login) -> None:
    """Keep a login; it is the latest one."""
    file = logins_file(environment)
    _write(file, [*(one for one in _read(file) if one.endpoint != login.endpoint), login])


def drop_login(environment: Mapping[str, str], login: Login) -> None:
    """Forget a login."""
    file = logins_file(environment)
    _write(file, [one for one in _read(file) if one.endpoint != login.endpoint])


def password_of(user: str, console: Console) -> str:
    """A password, asked for on a terminal, or the first line of the input."""
    if console.stdin.isatty():
        return console.ask_password(f"Password of {user}: ")
    if password := console.stdin.readline().rstrip("\n"):
        return password
    raise UsageError("there is no password", hint="give it on standard input")


def logins_file(environment: Mapping[str, str]) -> Path:
    """Where logins are kept."""
    return state_folder(environment) / "logins.json"


def _read(file: Path) -> list[Login]:
    """The logins of the file, the latest one last; none where there is no file."""
    try:
        if file.stat().st_mode & 0o077:
            raise InvalidInput("others can read these logins", Place(str(file)), "make it yours alone: chmod 600")
        return [Login(**one) for one in json.loads(file.read_text(encoding="utf-8"))["logins"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"it cannot be read: {error}", Place(str(file)), "remove it, and log in again") from None


def _write(file: Path, logins: list[Login]) -> None:
    try:
        make_private(file.parent)
        write_atomically(file, json.dumps({"logins": [asdict(one) for one in logins]}, indent=2) + "\n", mode=0o600)
    except OSError as error:
        raise EnsembleError(f"the login cannot be kept: {error.strerror or error}", Place(str(file))) from None
