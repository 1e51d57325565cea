"""What the commands share that change fields of machines."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, objects, options
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.machine import Machine


def add_machines(parser: Parser) -> None:
    """Add the positional arguments MACHINE."""
    parser.is_mixed = True
    parser.add_argument("named", metavar="MACHINE", nargs="+", help="name or UUID")


def add_common(parser: Parser) -> None:
    """Add the options of the server, and those of every command."""
    endpoint.add(parser)
    options.add_common(parser)


def change_each(
    arguments: argparse.Namespace, session: Session, fields: dict[str, Any], said: str, *, force: bool = False
) -> int:
    """Change fields of each of the machines; the exit code.

    Args:
        arguments: with the machines.
        session: of the command.
        fields: attributes and their new values.
        said: what is said of a machine after it; it is put after the name.
        force: whether to go past the guards that may be passed.
    """

    async def changed(client: Client) -> tuple[list[Any], int]:
        async def change(machine: Machine) -> tuple[Machine, str]:
            new = machine.replaced(**fields)
            if new == machine:
                return machine, f"{machine.name} {said} already."
            return await client.change(machine, new, force), f"{machine.name} {said}."

        return await objects.each(client, "machines", arguments.named, session.console, change)

    machines, code = endpoint.ask(arguments, session.console, changed)
    if session.console.machine:
        session.console.document([objects.document_of(machine) for machine in machines])
    return code
