"""`ansible-ensemble provision machines action`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, machine_verbs, objects
from ansible_ensemble.cli.object_fields import params_of
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.values import block, clean

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.machine import Machine


def configure(parser: Parser) -> None:
    parser.is_mixed = True
    parser.add_argument("named", metavar="MACHINE", help="name or UUID")
    parser.add_argument("action", metavar="ACTION", help="what to do, such as poweron")
    parser.add_argument("params", metavar="PARAM=VALUE", nargs="*", default=[], help="a param of the action")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    params = params_of(arguments.params)

    async def invoked(client: Client) -> Any:
        machine = await objects.found(client, "machines", arguments.named)
        return await _invoked(client, machine, arguments.action, params)

    result = endpoint.ask(arguments, session.console, invoked)
    done = f"{arguments.action} of {arguments.named} is done."
    shown = [] if result in (None, "", {}, []) else block(result)
    session.console.answer(result, lambda: "\n".join([*map(clean, shown), done]) + "\n")
    return 0


async def _invoked(client: Client, machine: Machine, action: str, params: Mapping[str, Any]) -> Any:
    """What the action answers.

    Raises:
        RequestFailed: the machine has no such action, or it failed.
    """
    from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed

    try:
        return await client.invoke(machine, action, params)
    except RequestFailed as error:
        if error.exit_code == NOT_FOUND:
            error.message = f"{machine.name} has no action {action}"
            error.hint = f"see `ansible-ensemble provision machines actions {machine.name}`"
        raise
