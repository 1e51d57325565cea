"""`ansible-ensemble provision machines action`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, machine_verbs, objects
from ansible_ensemble.cli.object_fields import params_of
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.reports.values import block, clean

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client


def configure(parser: Parser) -> None:
    """Describe the command's arguments."""
    parser.is_mixed = True
    parser.add_argument("named", metavar="MACHINE", help="name or UUID")
    parser.add_argument("action", metavar="ACTION", help="what to do, as poweron")
    parser.add_argument("params", metavar="PARAM=VALUE", nargs="*", default=[], help="a param of the action")
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Have the server do something with a machine, as power."""
    params = params_of(arguments.params)

    async def invoked(client: Client) -> Any:
        return await client.invoke(await objects.found(client, "machines", arguments.named), arguments.action, params)

    result = endpoint.ask(arguments, session.console, invoked)
    done = f"{arguments.action} of {arguments.named} is done."
    shown = [] if result in (None, "", {}, []) else block(result)
    session.console.answer(result, lambda: "\n".join([*map(clean, shown), done]) + "\n")
    return 0
