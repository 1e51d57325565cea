"""`ansible-ensemble provision agent`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ansible_ensemble.cli import agent_hosts, endpoint, objects, options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.passwords import asked_passwords
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.folders import state_folder
from ansible_ensemble.core.option import Option

if TYPE_CHECKING:
    from ansible_ensemble.machines.ansible_process import AnsibleProcess
    from ansible_ensemble.provision.agent.local_host import LocalHost
    from ansible_ensemble.provision.agent.options import AgentOptions
    from ansible_ensemble.provision.client.settings import Settings


def _option(heading: str, flag: str, help_text: str, **said: Any) -> Option:
    name = flag.removeprefix("--").replace("-", "_")
    return Option(help_text, (flag,), name=name, kind=said.pop("kind", "str"), heading=heading, **said)


def _flag(heading: str, flag: str, help_text: str) -> Option:
    return _option(heading, flag, help_text, kind="bool", default=False)


def _command(name: str, help_text: str, default: str) -> Option:
    return _option("power", f"--{name}-command", help_text, metavar="COMMAND", otherwise=default)


#: The options of the agent.
DECLARED = (
    _flag("agent", "--oneshot", "Leave when nothing is to do for a second"),
    _flag("agent", "--exit-on-failure", "Leave after a failed job, or an error"),
    _option("agent", "--context", "Context to serve, as of a container", metavar="NAME", otherwise="$RS_CONTEXT"),
    _option(
        "agent",
        "--state-dir",
        "Folder of what the agent has to know after a restart",
        metavar="DIR",
        otherwise="in the user's state folder",
    ),
    _flag("power", "--skip-power", "Leave where the machine is to be rebooted or powered off"),
    _command("reboot", "Reboots the machine", "reboot"),
    _command("poweroff", "Powers the machine off", "poweroff"),
    _command("kexec", "Boots the kernel that is loaded", "systemctl kexec"),
    _option(
        "power",
        "--boot-id",
        "What tells this boot from others, for containers and simulated machines",
        metavar="TEXT",
        otherwise="the kernel's",
    ),
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", metavar="MACHINE", nargs="?", default=None, help="name or UUID (default: $RS_UUID)")
    options.add_declared(parser, DECLARED)
    options.add_declared(parser, agent_hosts.DECLARED)
    endpoint.add(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    import asyncio

    console = session.console
    _check(arguments, console)
    with asked_passwords(arguments, console) as answered:
        settings = endpoint.given(answered, console)
        given = options.given(answered, DECLARED)
        behaviour, host = _behaviour(given, console.environment, settings), _host(given, console.environment)
        process = agent_hosts.ansible(answered)
        console.outlive_readers()
        if not getattr(answered, "inventory", []):
            machine = {objects.address("machines", _machine(answered, console)): host}
            return asyncio.run(_here(process, machine, settings, behaviour, console))
        elsewhere = replace(behaviour, folder="", variables=_trust(replace(settings, ca_file="")))
        return asyncio.run(agent_hosts.drive(process, answered, settings, elsewhere, console))


def _check(arguments: argparse.Namespace, console: Console) -> None:
    """Refuse what does not go with an inventory, or not without one."""
    hosts = getattr(arguments, "inventory", [])
    here = ("machine", "reboot_command", "poweroff_command", "kexec_command", "boot_id")
    for name in here if hosts else agent_hosts.OF_HOSTS:
        if getattr(arguments, name, None):
            said = "MACHINE" if name == "machine" else f"--{name.replace('_', '-')}"
            raise UsageError(f"{said} does not go {'with' if hosts else 'without'} --inventory")
    if not (hosts or _machine(arguments, console)):
        raise UsageError("Which machine is this?", hint="give its name or UUID, or set RS_UUID")


def _machine(arguments: argparse.Namespace, console: Console) -> str:
    return arguments.machine or console.environment.get("RS_UUID", "")


async def _here(
    process: AnsibleProcess,
    machine: Mapping[str, LocalHost],
    settings: Settings,
    behaviour: AgentOptions,
    console: Console,
) -> int:
    """Take this machine through its jobs; the exit code."""
    from ansible_ensemble.machines.plays import play_here
    from ansible_ensemble.provision.agent.run import run_agents

    hosts = {key: replace(host, play_tasks=partial(play_here, process)) for key, host in machine.items()}
    async with process:
        codes = await run_agents(settings, hosts, behaviour, lambda _value, line: console.line(line))
    return max(codes.values())


def _behaviour(given: Mapping[str, Any], environment: Mapping[str, str], settings: Settings) -> AgentOptions:
    from ansible_ensemble.provision.agent.options import AgentOptions

    return AgentOptions(
        state_folder=Path(given.get("state_dir") or state_folder(environment) / "agent"),
        context=given.get("context", environment.get("RS_CONTEXT", "")),
        oneshot=given.get("oneshot", False),
        exit_on_failure=given.get("exit_on_failure", False),
        skip_power=given.get("skip_power", False),
        folder=str(Path(folder).absolute()) if (folder := environment.get("RS_RUNNER_DIR", "")) else "",
        variables=_trust(settings),
    )


def _trust(settings: Settings) -> dict[str, str]:
    """How scripts know the server to be the right one."""
    return {
        "RS_CA_FILE": str(Path(settings.ca_file).absolute()) if settings.ca_file else "",
        "RS_FINGERPRINT": settings.fingerprint,
        "RS_INSECURE": "true" if settings.insecure else "",
    }


def _host(given: Mapping[str, Any], environment: Mapping[str, str]) -> LocalHost:
    from ansible_ensemble.provision.agent.local_host import LocalHost, PowerCommands

    said = {name: f"{name}_command" for name in ("reboot", "poweroff", "kexec")}
    power = PowerCommands(**{name: _words(given[option]) for name, option in said.items() if option in given})
    return LocalHost(power=power, environment=environment, boot_id=given.get("boot_id", ""))


def _words(command: str) -> list[str]:
    """The program of a command and its arguments; no shell reads them."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command} is no command: {error}") from None
    if not words:
        raise UsageError("A command for the power is empty", hint="--skip-power leaves the power to others")
    return words
