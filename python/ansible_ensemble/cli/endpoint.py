"""Which server of machines a command talks to: options that all such commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.option import Option

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.settings import Settings


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
        "fingerprint", "SHA-256 of the server's certificate, instead of a signature", "--fingerprint", metavar="DIGITS"
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
