"""`ansible-ensemble provision machines wait`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, machine_progress, machine_verbs, objects
from ansible_ensemble.cli.object_fields import assigned, field_named, is_flag
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.reports.objects_text import value_at

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.machine_status import MachineStatus


def configure(parser: Parser) -> None:
    parser.is_mixed = True
    help_text = "machines, by name or UUID, and what to wait for: Runnable=true (default: the end of their workflows)"
    parser.add_argument("words", metavar="MACHINE|FIELD=VALUE", nargs="+", help=help_text)
    machine_progress.add_timeout(parser)
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    names = [word for word in arguments.words if "=" not in word]
    fields = [_field(word) for word in arguments.words if "=" in word]
    if not names:
        raise UsageError("no machine is named", hint="wait MACHINE ... [FIELD=VALUE ...]")

    async def waited(client: Client) -> int:
        machines = [await objects.found(client, "machines", name) for name in names]
        is_there = _has(fields) if fields else _is_over
        ended = await machine_progress.waited(client, machines, session.console, is_there, arguments.timeout)
        troubles = [
            await machine_progress.trouble_of(client, machine.name, ended[machine.uuid])
            for machine in machines
            if not _is_well(ended[machine.uuid], fields)
        ]
        return machine_progress.finish(ended, troubles, machines, session.console)

    return endpoint.ask(arguments, session.console, waited)


def _field(word: str) -> tuple[str, str]:
    path, text = assigned(word)
    name, dot, rest = path.partition(".")
    kind = objects.kind_of("machines")
    name = field_named(kind, name)
    if is_flag(kind, name) and text not in ("true", "false"):
        raise InvalidInput(f"{word}: this is true or false")
    return f"{name}{dot}{rest}", text


def _has(fields: list[tuple[str, str]]) -> Callable[[MachineStatus], bool]:
    def has(status: MachineStatus) -> bool:
        document = objects.document_of(status.machine)
        return all(_text(value_at(document, path)) == text for path, text in fields)

    return has


def _text(value: Any) -> str:
    """A value as it is given on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _is_over(status: MachineStatus) -> bool:
    return status.is_over


def _is_well(status: MachineStatus | None, fields: list[tuple[str, str]]) -> bool:
    return status is not None and (bool(fields) or status.is_complete)
