"""The commands of `ansible-ensemble provision`: those of each kind of objects come from the kinds themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_ensemble.cli.command import Command
from ansible_ensemble.provision.objects import KINDS, SECTIONS, WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object

_OBJECTS = "Objects"
_ANY = "Of any kind"
_DRIVE = "Driving them"
_PARAMS = "Params"
_ASK = "Asking a server"
_SERVER = "Running one"
_PACKS = "Packs on disk"

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
)
_CONTENT = (
    _verb("content", "check", "check a pack for errors", _PACKS, "content.check"),
    _verb("content", "bundle", "make one file of a pack", _PACKS, "content.bundle"),
    _verb("content", "load", "load a pack", _ASK, "content.load"),
    _verb("content", "diff", "show what loading a pack would change", _ASK, "content.diff"),
    _verb("content", "export", "write content, objects or a bundle file as a pack", _ASK, "content.export"),
)

#: What can be done with objects of some kinds only.
_MORE = {
    "machines": _OF_MACHINES,
    "jobs": (_verb("jobs", "log", "show the log of a job", _DRIVE),),
    "users": (_verb("users", "password", "give a user a password", _ANY, "user_password"),),
}
#: Of kinds that are made by others than users, what can be done with each of them.
_VERBS_OF = {"jobs": ("list", "show", "destroy"), "plugin_providers": ("list", "show")}


def _kinds() -> Iterator[type[Object]]:
    """The kinds in the order of help: machines, what they run, the rest."""
    first = ["machines", "jobs", *(section for section in reversed(SECTIONS) if section != "roles")]
    return (KINDS[prefix] for prefix in dict.fromkeys([*first, *KINDS]) if KINDS[prefix].SUMMARY)


def _kind(kind: type[Object]) -> Command:
    """The part of `provision` that is about objects of a kind."""
    name, more = kind.PREFIX, _MORE.get(kind.PREFIX, ())
    any_kind = tuple(_verb(name, verb, _VERBS[verb], _ANY) for verb in _VERBS_OF.get(name, tuple(_VERBS)))
    parts = (*any_kind, *more, *(_params(name) if kind in WITH_PARAMS else ()))
    return Command(f"provision {name}", "", kind.SUMMARY, _OBJECTS, made_of=lambda: parts)


COMMANDS = (
    *map(_kind, _kinds()),
    _provision("login", "log in at a server, and trust its certificate", _ASK),
    _provision("logout", "forget a login", _ASK),
    Command(
        "provision events",
        "",
        "what happens on the server",
        _ASK,
        made_of=lambda: (_verb("events", "watch", "show events, until Ctrl-C", _ANY, "events_watch"),),
    ),
    _provision("prefs", "show the server's preferences, or set some", _ASK),
    _provision("info", "show what the server says of itself", _ASK),
    _provision("agent", "take a machine through its jobs", _ASK),
    Command(
        "provision content",
        "",
        "check, bundle, load, compare and export packs of content",
        _ASK,
        made_of=lambda: _CONTENT,
    ),
    _provision("serve", "run a server", _SERVER),
    _provision("backup", "write the server's database to a file", _SERVER),
    _provision("restore", "make the server's database hold what a backup holds", _SERVER),
    _provision("password", "make another password for the first user", _SERVER),
)
