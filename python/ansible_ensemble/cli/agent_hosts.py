"""What the agent of machines takes from Ansible: its tasks as actions, and hosts of an inventory to drive."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.option import Option

if TYPE_CHECKING:
    from ansible_ensemble.machines.ansible_process import AnsibleProcess
    from ansible_ensemble.projects.vault import Vault
    from ansible_ensemble.provision.agent.options import AgentOptions
    from ansible_ensemble.provision.client.settings import Settings

_JOBS = 20


def _option(name: str, help_text: str, *flags: str, **said: Any) -> Option:
    return Option(help_text, flags, name=name, kind=said.pop("kind", "str"), heading="Ansible", **said)


def _options(name: str, help_text: str, *flags: str, **said: Any) -> Option:
    return _option(name, help_text, *flags, kind="list[str]", default=[], **said)


#: Options of the agent that are about Ansible.
DECLARED = (
    _options("inventory", "Drive hosts of this inventory, as in Ansible", "-i", "--inventory", metavar="SOURCE"),
    _option("limit", "Hosts of the inventory, as a pattern", "-l", "--limit", metavar="PATTERN", otherwise="all"),
    _option("create", "Create machines for hosts that are none yet", "--create", kind="bool", default=False),
    _option("jobs", "How many hosts run a job at once", "-j", "--jobs", metavar="N", kind="int", otherwise=str(_JOBS)),
    _options("extra_vars", "Variables as key=value, YAML or @file", "-e", "--extra-vars", metavar="VARS"),
    _options("vault_ids", "Vault id, as in Ansible", "--vault-id", metavar="ID"),
    _option("vault_password_file", "File with the vault password", "--vault-password-file", metavar="FILE"),
)

#: Those that are for hosts of an inventory alone.
OF_HOSTS = ("limit", "create", "jobs")


def ansible(arguments: argparse.Namespace) -> AnsibleProcess:
    """Ansible with the inventory, the variables and the vault that are given; made before anything else is begun."""
    from ansible_ensemble.machines.ansible_process import AnsibleProcess

    given = options.given(arguments, DECLARED)
    said = given.get("extra_vars", [])
    variables = _variables(given, said) if said else {}

    def session() -> Any:
        from ansible_ensemble.lanes.session import standalone_session

        here = Path.cwd()
        return standalone_session(
            given.get("inventory"), base=here, loader=_vault(given).loader(here), extra_variables=variables
        )

    return AnsibleProcess(session, given.get("jobs", _JOBS))


def _variables(given: Mapping[str, Any], said: Sequence[str]) -> Any:
    from ansible_ensemble.cli.values import variables_of  # imports YAML, which most agents never need
    from ansible_ensemble.core.sensitive import reveal

    return reveal(variables_of(said, [], _vault(given)))


def _vault(given: Mapping[str, Any]) -> Vault:
    from ansible_ensemble.projects.vault import Vault

    file = given.get("vault_password_file")
    return Vault([*given.get("vault_ids", []), *([f"default@{file}"] if file else [])])


async def drive(
    process: AnsibleProcess,
    arguments: argparse.Namespace,
    settings: Settings,
    behaviour: AgentOptions,
    console: Console,
) -> int:
    """Take hosts of the inventory through their jobs; the exit code.

    Raises:
        RequestFailed: the server refuses, or cannot be reached.
    """
    from ansible_ensemble.cli.machine_progress import watch
    from ansible_ensemble.machines.inventory_host import InventoryHost
    from ansible_ensemble.machines.matching import matched
    from ansible_ensemble.provision.agent.host import HostFailed
    from ansible_ensemble.provision.agent.run import run_agents
    from ansible_ensemble.provision.client.client import Client

    given = options.given(arguments, DECLARED)
    async with process, Client(settings) as client:
        try:
            names = await process.hosts(given.get("limit", "all"))
        except HostFailed as error:
            raise InvalidInput(str(error)) from None
        machines = await matched(client, names, given.get("create", False))
        titles = {machine.uuid: machine.name for machine in machines}
        hosts = {uuid: InventoryHost(process, name) for uuid, name in titles.items()}

        def say(machine: str, line: str) -> None:
            if line.startswith("Error"):
                console.notice(f"{titles[machine]}: {line}")

        working = run_agents(settings, hosts, behaviour, say, given.get("jobs", _JOBS))
        showing = asyncio.create_task(watch(client, machines, console))
        try:
            return _code(await _unless_gone(process, working))
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)


async def _unless_gone(process: AnsibleProcess, working: Any) -> Mapping[str, int]:
    """The exit codes of agents that work for as long as Ansible is there."""
    agents, gone = asyncio.ensure_future(working), asyncio.ensure_future(process.ended())
    await asyncio.wait({agents, gone}, return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    if not agents.done():
        agents.cancel()
        await asyncio.gather(agents, return_exceptions=True)
        raise EnsembleError("Ansible's process was killed, and with it what it did")
    codes: Mapping[str, int] = await agents
    return codes


def _code(codes: Mapping[str, int]) -> int:
    """A signal counts most, then a failure."""
    return max(codes.values(), default=0)
