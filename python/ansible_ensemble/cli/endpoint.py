"""Which server of machines a command talks to: options that all such commands share."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.option import Option

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.settings import Settings

_Result = TypeVar("_Result")

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
        otherwise="$RS_ENDPOINT, or https://127.0.0.1:8092",
    ),
    _option("key", "User and password", "--key", metavar="USER:PASSWORD", otherwise="$RS_KEY"),
    _option("token", "Token, instead of a password", "-T", "--token", metavar="TOKEN", otherwise="$RS_TOKEN"),
    _option(
        "ca_file",
        "File of certificates in PEM, of which one has signed the server's",
        "--ca-file",
        metavar="FILE",
        otherwise="those of the system",
    ),
    _option(
        "fingerprint",
        "The server's certificate by its SHA-256, instead of a signature",
        "--fingerprint",
        metavar="DIGITS",
    ),
    _option("insecure", "Take any certificate", "--insecure", kind="bool", default=False),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options by which a command reaches a server."""
    options.add_declared(parser, _DECLARED)


def given(arguments: argparse.Namespace, console: Console) -> Settings:
    """The settings of a client, by arguments and environment variables.

    Raises:
        InvalidInput: one of them, or their combination, makes no sense.
    """
    from ansible_ensemble.provision.client.settings import settings_from

    return settings_from(console.environment, **options.given(arguments, _DECLARED))


def ask(
    arguments: argparse.Namespace,
    console: Console,
    function: Callable[[Client], Awaitable[_Result]],
    *,
    patient: bool = False,
) -> _Result:
    """What a function makes of a client of the server.

    Args:
        arguments: with the options of `add`.
        console: has the environment variables.
        function: asks the server.
        patient: whether to wait for minutes for a server that went away.

    Raises:
        RequestFailed: the server refused, or could not be reached.
        InvalidInput: an option makes no sense.
    """
    from ansible_ensemble.provision.client.client import run
    from ansible_ensemble.provision.client.failure import RequestFailed

    settings = given(arguments, console)
    try:
        return run(replace(settings, waits=_PATIENT_WAITS if patient else _WAITS), function)
    except RequestFailed as error:
        error.hint = error.hint or _hint(error.message, error.error.code)
        raise


def _hint(message: str, status: int) -> str | None:
    """What to do about a refusal that has to do with who asks whom."""
    if status == 401 or (status == 403 and "Access Denied" in message):
        return "give --key or --token, or set RS_KEY or RS_TOKEN"
    if status == 0:
        return "see --endpoint, --ca-file and --fingerprint"
    return None
