"""`ansible-ensemble provision login`."""

from __future__ import annotations

import argparse
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ansible_ensemble.cli import endpoint, machine_verbs
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.logins import Login, current_login, keep_login, password_of
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.settings import Settings

_FIRST_USER = "rocketskates"


def configure(parser: Parser) -> None:
    user = f"who logs in (default: the one of --key, or {_FIRST_USER}); the password is asked for"
    parser.add_argument("user", metavar="USER", nargs="?", default=None, help=user)
    parser.add_argument(
        "--ttl", metavar="TIME", default="8h", help="how long the login lasts, as 8h or 30d (default: 8h)"
    )
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    console = session.console
    if getattr(arguments, "token", None) or getattr(arguments, "insecure", False):
        raise UsageError("a login is made with a password, at a server that is trusted")
    settings = replace(endpoint.given(arguments, console, logged_in=False), token="")
    trusted = _trusted(settings, console)
    user = arguments.user or trusted.user or _FIRST_USER
    password = trusted.password if user == trusted.user else password_of(user, console)
    known = replace(trusted, user=user, password=password)
    token = _token(known, arguments.ttl)
    at = " ".join(known.endpoints)
    login = Login(at, user, token, ca_file=known.ca_file, fingerprint=known.fingerprint)
    keep_login(console.environment, login)
    console.answer({"endpoint": at, "user": user}, lambda: f"Logged in at {at} as {user}, for {arguments.ttl}.\n")
    return 0


def _token(settings: Settings, ttl: str) -> str:
    """A token for the user.

    Raises:
        RequestFailed: the server refused, or could not be reached.
    """
    from ansible_ensemble.provision.client.failure import RequestFailed

    try:
        return endpoint.ask_by(settings, lambda client: client.user_token(settings.user, ttl))
    except RequestFailed as error:
        if error.error.code == HTTPStatus.FORBIDDEN:
            error.hint = "the user or the password is wrong"
        raise


def _trusted(settings: Settings, console: Console) -> Settings:
    """The settings with what the server is known by; who it is not known to says whether it is the right one."""
    from ansible_ensemble.provision.client.certificate import shown_by

    if settings.fingerprint:
        return settings
    if settings.ca_file:
        return replace(settings, ca_file=str(Path(settings.ca_file).absolute()))
    shown = shown_by(settings.endpoints[0])
    if shown.is_trusted:
        return settings
    before = current_login(console.environment, " ".join(settings.endpoints))
    if before is None or before.fingerprint != shown.fingerprint:
        _confirm(settings.endpoints[0], shown.fingerprint, before, console)
    return replace(settings, fingerprint=shown.fingerprint)


def _confirm(address: str, fingerprint: str, before: Login | None, console: Console) -> None:
    said = f"{address} shows a certificate that nobody here vouches for:\n  SHA-256 {fingerprint}"
    if before and before.fingerprint:
        said += f"\nIt is another one than at the last login: {before.fingerprint}"
    try:
        agreed = console.confirm(f"{said}\nIs that the server's?")
    except UsageError:
        hint = f"if that is the server's, give --fingerprint {fingerprint}; or give --ca-file"
        raise UsageError(f"{address} shows a certificate that nobody here vouches for", hint=hint) from None
    if not agreed:
        raise EnsembleError("the server is not trusted; no password was sent")
