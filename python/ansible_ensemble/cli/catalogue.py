"""The commands by name, with their help in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ansible_ensemble.cli.elsewhere import COMMANDS as COMMANDS_ELSEWHERE
from ansible_ensemble.cli.elsewhere import PARTS as PARTS_ELSEWHERE
from ansible_ensemble.cli.exit_codes import EXIT_CODES
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.reports.table import prose, table


class Command(Struct, frozen=True):
    """A command.

    Attributes:
        name: what users type; several words where it is a part of another command.
        module: its module in `ansible_ensemble.cli.commands`; none where it has parts.
        summary: what it does, in one line.
        group: the heading that help lists it under.
        alias: another name for it.
        runs: whether it runs what is in a project; `plan` does in a dry run alone.
        extra: the extra of the package that it needs.
        parts: the commands whose names begin with its own.
        rare: whether help lists it last, as few need it every day.
    """

    name: str
    module: str
    summary: str
    group: str
    alias: str | None = None
    runs: bool = False
    extra: str = ""
    parts: tuple[Command, ...] = ()
    rare: bool = False

    @property
    def word(self) -> str:
        """The last word of its name."""
        return self.name.rpartition(" ")[2]

    def leaves(self) -> Iterator[Command]:
        """The commands that do something: itself, or those of its parts."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


JOBS = "Jobs"
LOOK = "Looking"
_HISTORY = "History"
_PROJECTS = "Projects"
_MACHINES = "Machines"
OTHER = "Other"
#: The heading of those that few need every day.
_RARE = "Rarely needed"

_OBJECTS = "Objects"
_ANY = "Of any kind"
_DRIVE = "Driving them"
_PARAMS = "Params"
_ASK = "Asking a server"
_SERVER = "Running one"
_PACKS = "Packs on disk"

#: The words that ask for help.
HELP = ("-h", "--help", "--help-all")

_ABOUT = "State, plans, teardown, drift, order and history for Ansible, from TOSCA topologies."


#: What can be done with objects of any kind.
_VERBS = {
    "list": "list objects",
    "show": "show an object",
    "create": "create an object, or those of a file",
    "update": "change fields of an object",
    "destroy": "delete objects",
}


def _provision(name: str, summary: str, group: str) -> Command:
    """A part of `provision`."""
    return Command(f"provision {name}", f"provision.{name}", summary, group, extra="provision")


def _kind(name: str, summary: str, *more: Command, verbs: Sequence[str] = tuple(_VERBS)) -> Command:
    """A part of `provision` that is about objects of a kind, which others may have verbs for, too."""
    parts = (
        Command(f"provision {name} {verb}", f"provision.{verb}", _VERBS[verb], _ANY, extra="provision")
        for verb in verbs
    )
    return Command(f"provision {name}", "", summary, _OBJECTS, parts=(*parts, *more))


def _verb(kind: str, verb: str, summary: str, group: str, module: str = "") -> Command:
    return Command(f"provision {kind} {verb}", f"provision.{module or verb}", summary, group, extra="provision")


def _params(kind: str) -> tuple[Command, ...]:
    """What can be done with the params of objects of a kind."""
    return (
        _verb(kind, "get", "show params, or one of them", _PARAMS),
        _verb(kind, "set", "set params", _PARAMS),
        _verb(kind, "unset", "remove params", _PARAMS),
    )


_OF_MACHINES = (
    _verb("machines", "workflow", "give machines a workflow, and follow it", _DRIVE),
    _verb("machines", "stage", "put machines without a workflow into a stage", _DRIVE),
    _verb("machines", "run", "let machines run their next tasks", _DRIVE),
    _verb("machines", "pause", "have machines begin no further task", _DRIVE),
    _verb("machines", "wait", "wait until workflows are complete, or fields have values", _DRIVE),
    _verb("machines", "watch", "show where machines stand, until Ctrl-C", _DRIVE),
    _verb("machines", "actions", "list what the server can do with a machine", _DRIVE),
    _verb("machines", "action", "have the server do one of these, such as poweron", _DRIVE),
    *_params("machines"),
)
_CONTENT = (
    _verb("content", "check", "check a pack for errors", _PACKS, "content.check"),
    _verb("content", "bundle", "make one file of a pack", _PACKS, "content.bundle"),
    _verb("content", "load", "load a pack", _ASK, "content.load"),
    _verb("content", "diff", "show what loading a pack would change", _ASK, "content.diff"),
    _verb("content", "export", "write content, objects or a bundle file as a pack", _ASK, "content.export"),
)
_PROVISION = (
    _kind("machines", "what is driven through workflows", *_OF_MACHINES),
    _kind(
        "jobs",
        "what ran on machines",
        _verb("jobs", "log", "show the log of a job", _DRIVE),
        verbs=("list", "show", "destroy"),
    ),
    _kind("workflows", "lists of stages"),
    _kind("stages", "lists of tasks", *_params("stages")),
    _kind("tasks", "units of work"),
    _kind("templates", "texts that become scripts and files"),
    _kind("params", "definitions of params"),
    _kind("profiles", "params that machines share", *_params("profiles")),
    _kind("bootenvs", "what machines boot"),
    _kind("contexts", "where tasks run beside the machine itself"),
    _kind("pools", "what machines are allocated from"),
    _kind("users", "who logs in", _verb("users", "password", "give a user a password", _ANY, "user_password")),
    _kind("roles", "what users may do"),
    _kind("tenants", "what users may see"),
    _kind("endpoints", "other servers, kept for their clients"),
    _kind("version_sets", "what endpoints are to have"),
    _kind("catalog_items", "versions of what can be installed"),
    _kind("reservations", "addresses of machines, kept for a DHCP server"),
    _kind("leases", "addresses that are in use, kept for a DHCP server"),
    _provision("login", "log in at a server, and trust its certificate", _ASK),
    _provision("logout", "forget a login", _ASK),
    Command(
        "provision events",
        "",
        "what happens on the server",
        _ASK,
        parts=(_verb("events", "watch", "show events, until Ctrl-C", _ANY, "events_watch"),),
    ),
    _provision("prefs", "show the server's preferences, or set some", _ASK),
    _provision("info", "show what the server says of itself", _ASK),
    _provision("agent", "take a machine through its jobs", _ASK),
    Command("provision content", "", "check, bundle, load, compare and export packs of content", _ASK, parts=_CONTENT),
    _provision("serve", "run a server", _SERVER),
    _provision("backup", "write the server's database to a file", _SERVER),
    _provision("restore", "make the server's database hold what a backup holds", _SERVER),
    _provision("password", "make another password for the first user", _SERVER),
)

_STATE = (
    Command("state push", "state_push", "bring what a job left here to where the state lives", _HISTORY),
    Command("state pull", "state_pull", "have the newest state here", _HISTORY),
)

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
    Command("inputs", "inputs", "show what jobs can be given, and what they were given", LOOK),
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
    Command("state", "", "bring a state to where it lives, or here", _HISTORY, parts=_STATE, rare=True),
    Command("init", "init", "create a project", _PROJECTS),
    Command("trust", "trust", "trust a project's code, or stop trusting it", _PROJECTS),
    Command("clone", "clone", "copy a project or ensemble from git or a folder", _PROJECTS, rare=True),
    Command("import", "import_playbooks", "make an ensemble of playbooks", _PROJECTS),
    Command("adopt", "adopt", "record an existing resource in the status", _PROJECTS, runs=True),
    Command(
        "forget", "forget", "remove an instance from the status, without deleting the resource", _PROJECTS, rare=True
    ),
    Command("provision", "", "drive machines through workflows, and serve those who do", _MACHINES, parts=_PROVISION),
    Command("completion", "completion", "print a completion script for a shell", OTHER, rare=True),
    Command("version", "version", "print versions", OTHER, rare=True),
)


def find_command(words: Sequence[str]) -> tuple[Command, list[str]]:
    """The command whose name or alias words begin with, and the words after it.

    Raises:
        UsageError: there is none; the nearest are named.
    """
    command, rest = _named(words[0], COMMANDS, ""), list(words[1:])
    while command.parts and rest and rest[0] not in HELP:
        command, rest = _named(rest[0], command.parts, command.name), rest[1:]
    return command, rest


def _named(name: str, commands: Sequence[Command], above: str) -> Command:
    for command in commands:
        if name in (command.word, command.alias):
            return command
    hint = (PARTS_ELSEWHERE if above else COMMANDS_ELSEWHERE).get(name) or nearest(
        name, [word for word, _other in names_of(commands)]
    )
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
