"""`ansible-ensemble provision machines workflow`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_ensemble.cli import endpoint, machine_progress, machine_verbs, objects
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import EnsembleError, UsageError

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.machine_status import MachineStatus
    from ansible_ensemble.provision.objects.machine import Machine


def configure(parser: Parser) -> None:
    machine_verbs.add_machines(parser)
    parser.add_argument("workflow", metavar="WORKFLOW", help='the workflow; "" for none')
    parser.add_argument(
        "--again", action="store_true", default=False, help="begin it anew where a machine has it already"
    )
    parser.add_argument("--run", action="store_true", default=False, help="make machines runnable that are not")
    parser.add_argument("--wait", action="store_true", default=False, help="show the progress until all are complete")
    machine_progress.add_timeout(parser)
    machine_verbs.add_common(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.wait and not arguments.workflow:
        raise UsageError("there is nothing to wait for without a workflow")

    async def driven(client: Client) -> int:
        async def change(machine: Machine) -> tuple[Machine, str]:
            return await _changed(client, machine, arguments)

        machines, code = await objects.each(client, "machines", arguments.named, session.console, change)
        if arguments.wait and machines:
            return await _waited(client, machines, arguments, session) or code
        if session.console.machine:
            session.console.document([objects.document_of(machine) for machine in machines])
        return code

    return endpoint.ask(arguments, session.console, driven)


async def _changed(client: Client, machine: Machine, arguments: argparse.Namespace) -> tuple[Machine, str]:
    """The machine with the workflow, and what is said of it."""
    from ansible_ensemble.provision.desired.object_api import Live
    from ansible_ensemble.provision.desired.workflow import give

    workflow, has_it = arguments.workflow, machine.workflow == arguments.workflow
    again = has_it and bool(workflow) and arguments.again
    machine = await give(Live(client), machine, workflow, anew=again)
    if arguments.run and not machine.runnable:
        machine = await client.change(machine, machine.replaced(runnable=True))
    said = f"has workflow {workflow}" if workflow else "has no workflow"
    since = " again" if again else " already" if has_it else ""
    paused = "" if machine.runnable or not workflow else "; it is not runnable"
    return machine, f"{machine.name} {said}{since}{paused}."


async def _waited(client: Client, machines: list[Machine], arguments: argparse.Namespace, session: Session) -> int:
    """Wait until all are complete, or stopped; the exit code."""

    def is_there(status: MachineStatus) -> bool:
        return status.is_over or status.machine.workflow != arguments.workflow

    ended = await machine_progress.waited(client, machines, session.console, is_there, arguments.timeout)
    troubles = []
    for machine in machines:
        status = ended[machine.uuid]
        if status and status.machine.workflow != arguments.workflow:
            troubles.append(EnsembleError(f"{machine.name} was given another workflow: {status.machine.workflow}"))
        elif not (status and status.is_complete):
            troubles.append(await machine_progress.trouble_of(client, machine.name, status))
    return machine_progress.finish(ended, troubles, machines, session.console)
