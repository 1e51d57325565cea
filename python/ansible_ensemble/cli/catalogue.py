"""The commands by name, with their help in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ansible_ensemble.cli.command import Command
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.reports.table import prose, table

#: Exit code -> what it means, as the help and the documentation have it.
EXIT_CODES = {
    "0": "done",
    "1": "failed, or aborted; validate --migrate: something has no counterpart",
    "2": "wrong usage; with --detailed-exitcode: something to do (plan), drift or something not ok (check)",
    "3": "invalid input",
    "4": "locked by another job, or the lock was lost",
    "5": "the server of machines has no such object",
    "6": "the server of machines refused it, or does not know who asks",
    "7": "the server of machines cannot be reached, or is not the one that is trusted",
    "8": "what was waited for did not come in time",
    "128+N": "ended by the signal N: 129 hang-up, 130 Ctrl-C, 143 termination",
}


JOBS = "Jobs"
LOOK = "Looking"
_HISTORY = "History"
_PROJECTS = "Projects"
_MACHINES = "Machines"
_NODES = "Nodes"
OTHER = "Other"
#: The heading of those that few need every day.
_RARE = "Rarely needed"

#: The words that ask for help.
HELP = ("-h", "--help", "--help-all")

#: The tools whose command lines are understood after their name (`other_tools`).
OTHER_TOOLS = ("unfurl", "opera")

_ABOUT = "State, plans, teardown, drift, order and history for Ansible, from TOSCA topologies."


def _of_machines() -> tuple[Command, ...]:
    from ansible_ensemble.cli.machine_commands import COMMANDS as PARTS

    return PARTS


_STATE = (
    Command("state push", "state", "bring what a job left here to where the state lives", _HISTORY),
    Command("state pull", "state", "have the newest state here", _HISTORY),
)

_MESH = (
    Command("mesh status", "mesh.status", "show the nodes of a mesh, and what each has", _NODES),
    Command("mesh check", "mesh.check", "try the workers of nodes", _NODES),
    Command("mesh worker", "mesh.worker", "be the worker of a node", _NODES),
)

_AWX = (Command("awx export", "awx", "print what sets AWX up, as a playbook of awx.awx", _PROJECTS),)

COMMANDS: tuple[Command, ...] = (
    Command("plan", "plan", "show what a job would do, and why; changes nothing", JOBS),
    Command("deploy", "workflow", "create and update instances to match the specification", JOBS, runs=True),
    Command("undeploy", "workflow", "delete what was deployed", JOBS, alias="teardown", runs=True),
    Command("check", "workflow", "compare live instances with the recorded status; report drift", JOBS, runs=True),
    Command("discover", "workflow", "find existing resources and record them", JOBS, runs=True),
    Command("start", "workflow", "start stopped instances", JOBS, runs=True),
    Command("stop", "workflow", "stop running instances", JOBS, runs=True),
    Command("run", "run", "run an operation, a command or a workflow on instances", JOBS, runs=True),
    Command("notify", "notify", "run the actions of policies that an event triggers", JOBS, runs=True, rare=True),
    Command("status", "status", "show the recorded status of instances", LOOK),
    Command("outputs", "outputs", "show the outputs of the topology", LOOK),
    Command("inputs", "inputs", "show what jobs can be given", LOOK),
    Command("ui", "ui", "show a project's ensembles, plans and jobs in a browser", LOOK, extra="ui"),
    Command("query", "query", "show the value of an expression", LOOK, rare=True),
    Command("graph", "graph", "draw the topology, its statuses and what would change", LOOK, rare=True),
    Command("validate", "validate", "check files for errors", LOOK),
    Command("schema", "schema", "print the JSON Schema of a kind of file, for editors", LOOK, rare=True),
    Command("history", "history", "list jobs", _HISTORY),
    Command("show", "show", "show the record of a job or task", _HISTORY),
    Command("replay", "replay", "apply recorded changes again", _HISTORY, runs=True, rare=True),
    Command(
        "rollback",
        "rollback",
        "go back to the specification and inputs of an earlier job",
        _HISTORY,
        runs=True,
        rare=True,
    ),
    Command("recover", "recover", "record the results of a killed job", _HISTORY, rare=True),
    Command("unlock", "unlock", "remove a stale lock", _HISTORY, rare=True),
    Command("state", "", "bring a state to where it lives, or here", _HISTORY, rare=True, made_of=lambda: _STATE),
    Command("init", "init", "create a project", _PROJECTS),
    Command("trust", "trust", "trust a project's code, or stop trusting it", _PROJECTS),
    Command("clone", "clone", "copy a project or ensemble from git or a folder", _PROJECTS, rare=True),
    Command("package", "package", "make a TOSCA archive of a service template and its folder", _PROJECTS, rare=True),
    Command("export", "export", "print an ensemble as `unfurl export` does", _PROJECTS, rare=True),
    Command("import", "import_playbooks", "make an ensemble of playbooks", _PROJECTS),
    Command("adopt", "adopt", "record an existing resource in the status", _PROJECTS, runs=True),
    Command(
        "forget", "forget", "remove an instance from the status, without deleting the resource", _PROJECTS, rare=True
    ),
    Command("awx", "", "print what sets AWX up", _PROJECTS, rare=True, made_of=lambda: _AWX),
    Command(
        "provision", "", "drive machines through workflows, and serve those who do", _MACHINES, made_of=_of_machines
    ),
    Command(
        "mesh",
        "",
        "look at the nodes of a Receptor mesh, and be the worker of one",
        _MACHINES,
        rare=True,
        made_of=lambda: _MESH,
    ),
    Command("completion", "completion", "print a completion script for a shell", OTHER, rare=True),
    Command("version", "version", "print versions", OTHER, rare=True),
)


def find_command(words: Sequence[str]) -> tuple[Command, list[str]]:
    """The command whose name or alias words begin with, and the words after it."""
    command, rest = _named(words[0], COMMANDS, ""), list(words[1:])
    while command.parts and rest and rest[0] not in HELP:
        command, rest = _named(rest[0], command.parts, command.name), rest[1:]
    return command, rest


def _named(name: str, commands: Sequence[Command], above: str) -> Command:
    for command in commands:
        if name in (command.word, command.alias):
            return command
    from ansible_ensemble.cli import elsewhere

    hint = (elsewhere.PARTS if above else elsewhere.COMMANDS).get(name)
    hint = hint or nearest(name, [word for word, _other in names_of(commands)])
    if name.startswith("-"):
        hint = "options come after the command"
    called = " ".join(filter(None, ["ansible-ensemble", above]))
    raise UsageError(f'there is no command "{f"{above} {name}".lstrip()}"', hint=hint or f"see `{called} --help`")


def names_of(commands: Sequence[Command]) -> Iterator[tuple[str, Command]]:
    """The words by which commands are called, with aliases."""
    for command in commands:
        yield command.word, command
        if command.alias:
            yield command.alias, command


def overview(command: Command | None = None, columns: int | None = None) -> str:
    """The help of the program as a whole, or of a command that has parts, in lines of at most so many columns."""
    parts = command.parts if command else COMMANDS
    called = f"ansible-ensemble {command.name}" if command else "ansible-ensemble"
    about = f"{command.summary[0].upper()}{command.summary[1:]}." if command else _ABOUT
    longest = max(len(part.word) for part in parts)
    listed = [line for cells in _listed(parts, longest) for line in table([cells], columns=columns)]
    paths = "" if command else "Without a path, commands use ./ensemble.yaml. "
    options = f"{paths}`{called} COMMAND --help` shows the options of a command."
    lines = [f"usage: {called} COMMAND [options]", "", *prose(about, columns), *listed, "", *prose(options, columns)]
    if not command:
        codes = [(f"  {code:{longest}}", meaning) for code, meaning in EXIT_CODES.items()]
        lines += ["", "Exit codes:", *table(codes, columns=columns)]
    return "\n".join(lines) + "\n"


def _listed(commands: Sequence[Command], longest: int) -> Iterator[tuple[str, ...]]:
    """The cells of a line for each command, under the heading of its group."""
    group = ""
    for command in sorted(commands, key=lambda command: command.rare):
        if (heading := _RARE if command.rare else command.group) != group:
            group = heading
            yield from (("",), (f"{group}:",))
        also = f" (also: {command.alias})" if command.alias else ""
        yield f"  {command.word:{longest}}", f"{command.summary}{also}"
