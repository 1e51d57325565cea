"""Which server of machines a command talks to: options that all such commands share."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.logins import current_login
from ansible_ensemble.core.option import Option

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.settings import Settings

_Result = TypeVar("_Result")

_LOGIN = "`ansible-ensemble provision login`"
_NO_SERVER = "see --endpoint; `ansible-ensemble provision serve` starts a server"

#: Seconds before each further try: people wait for a server that starts, not for one that is not there.
_WAITS = (0.5, 1.0, 1.5)
#: For those who watch: a server that is installed anew may take minutes.
_PATIENT_WAITS = (1.0, 1.0, 2.0, 3.0, 5.0, *(8.0,) * 30)


def _option(name: str, help_text: str, *flags: str, kind: str = "str", **said: Any) -> Option:
    return Option(help_text, flags, name=name, kind=kind, heading="server", **said)


_DECLARED = (
    _option(
        "endpoint",
        "Address of the server, or addresses, with spaces between, of servers on one database",
        "-E",
        "--endpoint",
        metavar="URL",
        otherwise="$RS_ENDPOINT, the latest login, or https://127.0.0.1:8092",
    ),
    _option("key", "User and password", "--key", metavar="USER:PASSWORD", otherwise="$RS_KEY"),
    _option("token", "Token, instead of a password", "-T", "--token", metavar="TOKEN", otherwise="$RS_TOKEN"),
    _option(
        "ca_file",
        "File of certificates in PEM, of which one has signed the server's",
        "--ca-file",
        metavar="FILE",
        otherwise="$RS_CA_FILE, or those of the system",
    ),
    _option(
        "fingerprint",
        "The server's certificate by its SHA-256, instead of a signature",
        "--fingerprint",
        metavar="DIGITS",
        otherwise="$RS_FINGERPRINT",
    ),
    _option("insecure", "Take any certificate", "--insecure", kind="bool", default=False),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a command reaches a server."""
    options.add_declared(parser, _DECLARED)


def given(arguments: argparse.Namespace, console: Console, *, logged_in: bool = True) -> Settings:
    """The settings of a client: by arguments, by environment variables, and by the login at the server.

    Args:
        arguments: with the options of `add`.
        console: has the environment variables.
        logged_in: whether a login counts; else it says only which server is meant.
    """
    from ansible_ensemble.provision.client.settings import settings_from

    said = options.given(arguments, _DECLARED)
    known = _by_login(said, console.environment)
    if not logged_in:
        known = {name: value for name, value in known.items() if name == "endpoint"}
    return settings_from(console.environment, **known | said)


def _by_login(said: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the login at the server that is meant says of what was not said otherwise."""
    from ansible_ensemble.provision.client.settings import VERIFICATION, verification_from

    meant = " ".join(one.rstrip("/") for one in str(said.get("endpoint") or environment.get("RS_ENDPOINT", "")).split())
    login = current_login(environment, meant)
    if login is None:
        return {}
    known: dict[str, Any] = {"endpoint": login.endpoint}
    if not (said.keys() & {"key", "token"} or environment.get("RS_KEY") or environment.get("RS_TOKEN")):
        known["token"] = login.token
    if not (said.keys() & VERIFICATION.keys() or verification_from(environment)):
        known |= {"ca_file": login.ca_file, "fingerprint": login.fingerprint}
    return known


def ask(
    arguments: argparse.Namespace,
    console: Console,
    function: Callable[[Client], Awaitable[_Result]],
) -> _Result:
    """What a function makes of a client of the server.

    Args:
        arguments: with the options of `add`.
        console: has the environment variables.
        function: asks the server.

    Raises:
        RequestFailed: the server refused, or could not be reached.
    """
    return ask_by(given(arguments, console), function)


def ask_by(settings: Settings, function: Callable[[Client], Awaitable[_Result]]) -> _Result:
    """The same, with settings.

    Raises:
        RequestFailed: the server refused, or could not be reached.
    """
    from ansible_ensemble.provision.client.client import run
    from ansible_ensemble.provision.client.failure import RequestFailed

    try:
        return run(replace(settings, waits=_WAITS), function)
    except RequestFailed as error:
        error.hint = error.hint or _hint(error.message, error.error.code)
        raise


def be_patient(client: Client) -> None:
    """Have a client that found its server wait for it for minutes when it goes away."""
    client.wait_longer(_PATIENT_WAITS)


def _hint(message: str, status: int) -> str | None:
    """What to do about a refusal that has to do with who asks whom."""
    if status == 401 or (status == 403 and "Access Denied" in message):
        return f"log in: {_LOGIN}"
    if status == 0:
        return f"{_LOGIN} asks whether to trust it" if "certificate" in message else _NO_SERVER
    return None
