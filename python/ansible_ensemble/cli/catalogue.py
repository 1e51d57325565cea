"""The commands by name, with their help in one line."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_ensemble.cli.elsewhere import COMMANDS as COMMANDS_ELSEWHERE
from ansible_ensemble.cli.exit_codes import EXIT_CODES
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: what users type.
        module: its module in `ansible_ensemble.cli.commands`.
        summary: what it does, in one line.
        group: the heading that help lists it under.
        alias: another name for it.
        runs: whether it runs what is in a project; `plan` does in a dry run alone.
    """

    name: str
    module: str
    summary: str
    group: str
    alias: str | None = None
    runs: bool = False


JOBS = "Jobs"
LOOK = "Looking"
_HISTORY = "History"
_PROJECTS = "Projects"
_MACHINES = "Machines"
OTHER = "Other"

COMMANDS: tuple[Command, ...] = (
    Command("plan", "plan", "show what a job would do, and why; changes nothing", JOBS),
    Command("deploy", "workflow", "create and update instances to match the specification", JOBS, runs=True),
    Command("undeploy", "workflow", "delete what was deployed", JOBS, alias="teardown", runs=True),
    Command("check", "workflow", "compare live instances with the recorded status; report drift", JOBS, runs=True),
    Command("discover", "workflow", "find existing resources and record them", JOBS, runs=True),
    Command("start", "workflow", "start stopped instances", JOBS, runs=True),
    Command("stop", "workflow", "stop running instances", JOBS, runs=True),
    Command("run", "run", "run an operation, a command or a workflow on instances", JOBS, runs=True),
    Command("notify", "notify", "run the actions of policies that an event triggers", JOBS, runs=True),
    Command("status", "status", "show the recorded status of instances", LOOK),
    Command("outputs", "outputs", "show the outputs of the topology", LOOK),
    Command("query", "query", "show the value of an expression", LOOK),
    Command("graph", "graph", "draw a plan as a graph for Graphviz or Mermaid, or as a web page", LOOK),
    Command("validate", "validate", "check files for errors", LOOK),
    Command("history", "history", "list jobs", _HISTORY),
    Command("show", "show", "show the record of a job or task", _HISTORY),
    Command("replay", "replay", "apply recorded changes again", _HISTORY, runs=True),
    Command("rollback", "rollback", "go back to the specification and inputs of an earlier job", _HISTORY, runs=True),
    Command("recover", "recover", "record the results of a killed job", _HISTORY),
    Command("unlock", "unlock", "remove a stale lock", _HISTORY),
    Command("init", "init", "create a project", _PROJECTS),
    Command("trust", "trust", "trust a project's code, or stop trusting it", _PROJECTS),
    Command("clone", "clone", "copy a project or ensemble from git or a folder", _PROJECTS),
    Command("adopt", "adopt", "record an existing resource in the status", _PROJECTS, runs=True),
    Command("forget", "forget", "remove an instance from the status, without deleting the resource", _PROJECTS),
    Command("provision", "provision", "serve machines that are driven through workflows", _MACHINES),
    Command("completion", "completion", "print a completion script for a shell", OTHER),
    Command("version", "version", "print versions", OTHER),
)


def find_command(name: str) -> Command:
    """The command of this name or alias.

    Raises:
        UsageError: there is none; the nearest are named.
    """
    for command in COMMANDS:
        if name in (command.name, command.alias):
            return command
    names = [known for command in COMMANDS for known in (command.name, command.alias) if known]
    hint = COMMANDS_ELSEWHERE.get(name) or nearest(name, names)
    if name.startswith("-"):
        hint = "options come after the command"
    raise UsageError(f'there is no command "{name}"', hint=hint or "see `ansible-ensemble --help`")


def overview() -> str:
    """The help of the command as a whole."""
    longest = max(len(command.name) for command in COMMANDS)
    lines = [
        "usage: ansible-ensemble COMMAND [options]",
        "",
        "State, plans, teardown, drift, order and history for Ansible, from TOSCA topologies.",
    ]
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += ["", f"{group}:"]
        also = f" (also: {command.alias})" if command.alias else ""
        lines.append(f"  {command.name:{longest}}  {command.summary}{also}")
    lines += [
        "",
        "Without a path, commands use ./ensemble.yaml. See `ansible-ensemble COMMAND --help` for all options.",
        "",
        "Exit codes:",
        *(f"  {code:{longest}}  {meaning}" for code, meaning in EXIT_CODES.items()),
    ]
    return "\n".join(lines) + "\n"
