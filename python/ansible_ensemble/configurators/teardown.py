"""What takes away what a module made: one table, for resources that are written by hand or imported."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.made_files import FILE
from ansible_ensemble.configurators.module_spec import ModuleSpec
from ansible_ensemble.language.entities import NodeTemplate

#: States of modules in which nothing is there.
GONE = ("absent", "removed", "deleted")
STATE = "state"
#: Properties that name the tasks of a resource that has several.
_TASKS = ("role", "tasks", "playbook")


class Way(str, Enum):
    """How what a module made is taken away; what was there before its first deploy stays in each of them.

    Attributes:
        description: what undeploy does, for documentation.
    """

    description: str

    def __new__(cls, value: str, description: str = "") -> Way:
        """Make a member whose value is its name in documents."""
        self = str.__new__(cls, value)
        self._value_ = value
        self.description = description
        return self

    FILES = "files", "files and folders that were not there before are removed; a backup is put back"
    PART = (
        "part",
        "its part is taken out of the file, or the backup is put back; a section or file that it made goes if it is "
        "empty",
    )
    STATE = "state", "its state `absent`, `removed` or `deleted`"
    SERVICE = "service", "the service is stopped if it was not active before, and disabled if it was not enabled"
    RESTORE = "restore", "the backup is put back"


class Row(Struct, frozen=True):
    """A row of the table.

    Attributes:
        way: how it is taken away.
        path: the arguments that name the file or folder, the first that is given counts.
        dropped: arguments that its absent state refuses, or that would have it take away more than was made.
        leaves: what stays, in words.
        subject: further arguments that say which part or thing it is.
    """

    way: Way
    path: tuple[str, ...] = ()
    dropped: frozenset[str] = frozenset()
    leaves: str = ""
    subject: tuple[str, ...] = ()


_REPLACED = "what it replaced, unless backup is asked for"
_FOLDERS = "what others put there, and with it the folder that holds it"
_DEST = Row(Way.FILES, ("dest",), leaves=_REPLACED)
_TREE = Row(Way.FILES, ("dest",), leaves=f"{_FOLDERS}; files that it replaced")
_PLACES = frozenset({"insertafter", "insertbefore", "firstmatch", "regexp", "search_string", "backrefs"})
_LINE = ("line", "regexp", "search_string")
_MARKER = ("marker", "marker_begin", "marker_end")
_SERVICE = Row(Way.SERVICE, leaves="the service as it was before, where that cannot be asked of systemd")
INI = "community.general.ini_file"
#: Modules, by their full names. Any other one is taken away by its own state absent, removed or deleted, if it has one.
TABLE: Mapping[str, Row] = {
    **{f"{BUILTIN}{name}": _DEST for name in ("copy", "template", "get_url", "assemble")},
    **{f"{BUILTIN}{name}": _TREE for name in ("unarchive", "git", "subversion")},
    FILE: Row(Way.FILES, ("path", "dest", "name"), frozenset({"src", "recurse"}), f"{_FOLDERS}; mode and owner"),
    f"{BUILTIN}lineinfile": Row(Way.PART, ("path", "dest", "name"), _PLACES, _REPLACED, _LINE),
    f"{BUILTIN}blockinfile": Row(Way.PART, ("path", "dest", "name"), leaves="nothing", subject=_MARKER),
    f"{BUILTIN}replace": Row(Way.RESTORE, ("path", "dest", "name"), leaves=_REPLACED),
    **{f"{BUILTIN}{name}": _SERVICE for name in ("service", "systemd", "systemd_service")},
    f"{BUILTIN}user": Row(
        Way.STATE,
        leaves="its home, without remove; a user that was there keeps what it was given",
        subject=("name", "user", "local"),
    ),
    f"{BUILTIN}cron": Row(Way.STATE, leaves="the crontab, without a job", subject=("name", "user", "cron_file", "env")),
    "ansible.posix.synchronize": _TREE,
    "community.general.archive": _DEST,
    "community.general.iso_extract": _TREE,
    "community.general.maven_artifact": _DEST,
    INI: Row(Way.PART, ("path", "dest"), leaves=_REPLACED, subject=("section", "option", "exclusive")),
    "community.general.xml": Row(Way.RESTORE, ("path", "dest"), leaves=_REPLACED),
}
#: Modules that only look, talk or wait.
MAKE_NOTHING = frozenset(
    f"{BUILTIN}{name}"
    for name in (
        *("assert", "debug", "fail", "fetch", "find", "gather_facts", "getent", "include_vars", "pause", "ping"),
        *("set_fact", "set_stats", "setup", "slurp", "stat", "uri", "wait_for", "wait_for_connection"),
    )
)
#: Modules of packages: those of a list that were not installed before are removed.
PACKAGES = frozenset(
    {f"{BUILTIN}{name}" for name in ("apt", "dnf", "dnf5", "package", "yum", "pip")}
    | {f"community.general.{name}" for name in ("apk", "homebrew", "pacman", "zypper", "npm", "gem")}
)
#: Arguments that say where packages are, beside their names.
_WHERE = (
    *("virtualenv", "executable", "chdir", "requirements", "path", "global", "installroot", "install_dir", "bindir"),
    *("root", "name", "pkg", "package", "packages", "formula", "deb"),
)
#: The arguments that say which thing a module is about; of a module that is not here, all count.
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    **{name: (*row.path, *row.subject) for name, row in TABLE.items() if row.subject or name == FILE},
    **dict.fromkeys(PACKAGES, _WHERE),
    f"{BUILTIN}apt_repository": ("repo", "filename"),
    f"{BUILTIN}deb822_repository": ("name",),
    f"{BUILTIN}group": ("name", "local"),
    f"{BUILTIN}known_hosts": ("name", "host", "path", "key"),
    f"{BUILTIN}yum_repository": ("name", "file", "reposdir"),
    "ansible.posix.authorized_key": ("user", "key", "path"),
    "ansible.posix.mount": ("path", "name", "fstab"),
    "ansible.posix.sysctl": ("name", "key", "sysctl_file"),
    **{
        f"community.docker.docker_{name}": ("name", f"{name}_name", "docker_host")
        for name in ("container", "network", "volume")
    },
}
#: Of these, those that name a file or folder of the host.
PATHS = (
    *("path", "dest", "removes", "virtualenv", "chdir", "installroot", "install_dir", "bindir"),
    *("fstab", "sysctl_file", "cron_file", "reposdir"),
)
#: Arguments that say which one of what may be there several times, where a module is told that it is not `exclusive`.
VALUES = ("value", "values")
#: What stays of them.
OF_PACKAGES = "what came with them; their configuration"
#: Arguments of packages that do something else than to install or to remove them.
_ASIDE = frozenset({"update_cache", "cache_valid_time", "upgrade", "autoremove", "autoclean"})


def full_name(module: str) -> str:
    """A module's full name, of one that may be written without its collection."""
    return module if "." in module else BUILTIN + module


def way_of(module: str, args: Mapping[str, Any]) -> Way:
    """How what a module made with arguments is taken away, if anything does it."""
    row = TABLE.get(full_name(module))
    if row is None:
        return Way.STATE
    return Way.RESTORE if row.way is Way.PART and args.get(STATE) in GONE else row.way


def makes_tree(module: str) -> bool:
    """Whether a module makes more than one file."""
    return TABLE.get(full_name(module)) is _TREE


def path_of(module: str, args: Mapping[str, Any]) -> str:
    """The argument that names what a module makes; empty if it has none."""
    row = TABLE.get(full_name(module))
    return next((name for name in row.path if args.get(name) is not None), "") if row is not None else ""


class Removal(Struct, frozen=True):
    """A module that takes away what another one made.

    Attributes:
        module: its name.
        kept: names of arguments that it is given as well, by the names that it has for them.
        more: arguments that it is given beside.
        description: what it does, in words.
    """

    module: str
    kept: Mapping[str, str]
    more: Mapping[str, Any]
    description: str


def removal_of(module: str, spec: ModuleSpec, args: Mapping[str, Any]) -> Removal | str:
    """What takes away what a module made with arguments; or in words why nothing does."""
    name = full_name(module)
    row, way = TABLE.get(name), way_of(name, args)
    if args.get(STATE) in GONE and not (way is Way.RESTORE and args.get("backup")):
        return "it takes something away"
    path = path_of(name, args)
    if way in (Way.FILES, Way.RESTORE):
        if not path:
            return "it names no file"
        if way is Way.RESTORE and not args.get("backup"):
            return f"{name.rpartition('.')[2]} keeps nothing of what it replaces: its backup is not asked for"
        target = "path" if name != FILE else path
        description = f"{'removes' if way is Way.FILES else 'restores'} {args[path]}"
        description = f"file with state {GONE[0]}" if name == FILE else description
        return Removal(module if name == FILE else FILE, {path: target}, {STATE: GONE[0]}, description)
    if way is Way.SERVICE:
        return Removal(module, {"name": "name"}, {}, "stops and disables the service, as far as it was")
    return _by_state(module, spec, args, row.dropped if row is not None else frozenset())


def _by_state(module: str, spec: ModuleSpec, args: Mapping[str, Any], dropped: frozenset[str]) -> Removal | str:
    option = spec.options.get(STATE)
    gone = next((state for state in GONE if option is not None and state in option.choices), None)
    if gone is None:
        return "its module has no state absent"
    if args.get("backrefs") and "backrefs" in dropped:
        return "the line that it makes of a match is not known"
    if full_name(module) in PACKAGES:
        dropped = dropped | _ASIDE
    if args.get("line") is None:  # without a line, the expression is what says which one
        dropped = dropped - {"regexp", "search_string"}
    kept = {name: name for name in args if name not in dropped | {STATE}}
    return Removal(module, kept, {STATE: gone}, f"{module.rpartition('.')[2]} with state {gone}")


#: What is left where a line is replaced in a file that the ensemble does not make.
LINE_REPLACED = "a line that it replaces is not restored: its backup is not asked for"


def leaves_of(node: NodeTemplate) -> str:
    """What undeploy will leave of what a resource makes, as far as that is known; empty if nothing."""
    module, args, absent = (node.properties.get(name) for name in ("module", "args", "absent"))
    can_delete = node.operation("Standard", "delete") is not None
    if not can_delete and node.type.is_a("ansible.Root") and not node.properties.keys().isdisjoint(_TASKS):
        return "what its tasks do stays: nothing takes it away"
    if module is None or not isinstance(module.value, str) or (absent is not None and absent.value is not None):
        return ""
    given = args.value if args is not None and isinstance(args.value, Mapping) else {}
    return leaves(module.value, given, can_delete=can_delete)


def leaves(module: str, args: Mapping[str, Any], *, can_delete: bool) -> str:
    """What undeploy will leave of what a module makes with arguments, as far as that is known; empty if nothing."""
    row = TABLE.get(full_name(module))
    name = full_name(module).rpartition(".")[2]
    if full_name(module) in MAKE_NOTHING:
        return ""
    if args.get(STATE) in GONE and not can_delete:
        return "what it takes away is not restored"
    if not can_delete:
        return f"what {name} does stays: nothing takes it away"
    if full_name(module) in PACKAGES:
        return OF_PACKAGES
    if row is not None and row.way is Way.STATE and not args.get("remove"):
        return row.leaves
    replaces = args.get("regexp") is not None or args.get("search_string") is not None
    if row is not None and row.way is Way.PART and replaces and not args.get("backup"):
        return LINE_REPLACED
    return ""
