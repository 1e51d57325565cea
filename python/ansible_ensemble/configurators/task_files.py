"""What is wrong with the files of roles, tasks and playbooks, as far as they say it themselves.

They are read, and nothing in them runs: no template is rendered, no plugin is loaded, Ansible is not imported. What
depends on variables or on what tasks find is left to Ansible.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.ansible_files import Untouched, read_ansible_file
from ansible_ensemble.configurators.argument_rules import FREE
from ansible_ensemble.configurators.arguments import argument_faults
from ansible_ensemble.configurators.jinja_texts import SIGNS, expression_fault, name_faults, syntax_fault, with_fault
from ansible_ensemble.configurators.keywords import CONDITIONS, keyword_faults
from ansible_ensemble.configurators.locations import (
    BUILTIN,
    builtin_modules,
    collection_folders,
    is_fqcn,
)
from ansible_ensemble.configurators.module_names import PLUGINS, is_installed, module_fault, plugin_fault, role_fault
from ansible_ensemble.configurators.module_spec import module_spec, role_folder
from ansible_ensemble.configurators.play_around import Around, short_name
from ansible_ensemble.configurators.role_files import no_tasks, role_files
from ansible_ensemble.configurators.task_sources import source_faults
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import closest, nearest
from ansible_ensemble.documents.places import Map, key_place_of, place_of
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.language.playbook_keywords import BLOCK, BLOCK_PARTS, HANDLER, PLAY, PLAY_TASKS

_IMPORT_PLAYBOOK = "import_playbook"
_TASKS = ("import_tasks", "include_tasks")
_ROLES = ("import_role", "include_role")
#: Modules whose one text is a command or a name, not arguments.
_FREE = frozenset(
    {
        "command",
        "shell",
        "script",
        "raw",
        "meta",
        "include_vars",
        "group_by",
        "win_command",
        "win_shell",
        "import_tasks",
    }
    | {"include_tasks", "expect"}
)

_VARIABLE = re.compile(r"[A-Za-z_]\w*")
#: What `meta` does.
_META = frozenset(
    {"clear_facts", "clear_host_errors", "end_batch", "end_host", "end_play", "end_role", "flush_handlers", "noop"}
    | {"refresh_inventory", "reset_connection"}
)
_MODES = ("mode", "directory_mode")
#: Stands for a text that is encrypted or unsafe.
_HIDDEN = "{{ hidden }}"


class _Checked(Struct, frozen=True):
    """What is in a file: what is wrong with it, and what it runs beside.

    Attributes:
        runs: files and roles that it runs: each a kind, its path and what is around it.
        notified: handlers that its tasks notify, where, and whether that needs them: they may never be notified.
        handlers: what handlers in it listen to; None if that is not known.
        delegated: hosts that its tasks are delegated to, and where.
        adds_hosts: whether its tasks make hosts known.
        unknown: modules, and roles of collections, that there were not when it was read, and where.
    """

    faults: tuple[InvalidInput, ...]
    runs: tuple[tuple[str, Path, Around], ...] = ()
    notified: tuple[tuple[str, Place | None, bool], ...] = ()
    handlers: frozenset[str] | None = frozenset()
    delegated: tuple[tuple[str, Place | None], ...] = ()
    adds_hosts: bool = False
    empty: bool = False
    unknown: tuple[tuple[str, str, Place | None], ...] = ()


def play_faults(
    kind: str, target: str, operation: Operation, root: Path, tools: Collection[str] = ()
) -> Iterator[InvalidInput]:
    """What is wrong with a task file, a role or a playbook, and with what it runs.

    Args:
        kind: `tasks`, `role` or `playbook`.
        target: its path, or a role's FQCN.
        operation: what runs it.
        root: the project's folder.
        tools: those that are installed before, collections among them.
    """
    path, entry = _start(kind, target, operation, root)
    if kind == "role" and path is not None and (fault := no_tasks(path, entry, operation)) is not None:
        yield fault
    checked = _checked_files(kind, target, operation, root)
    for one in checked.values():
        yield from one.faults
        yield from _name_faults(one, root, tools)
    if kind == "tasks" and operation.resource and any(one.empty for file, one in checked.items() if file == path):
        yield InvalidInput(f"the file of {operation.title} has no tasks", Place(str(path)))
    yield from _handler_faults(checked.values())


class Named(Struct, frozen=True):
    """What tasks name.

    Attributes:
        handlers: those that they notify.
        hosts: those that they are delegated to, and where; none where tasks make hosts known.
    """

    handlers: tuple[str, ...]
    hosts: tuple[tuple[str, Place | None], ...]


def named_by_tasks(kind: str, target: str, operation: Operation, root: Path) -> Named:
    """What the tasks of a task file, a role or a playbook name; see `play_faults`."""
    checked = _checked_files(kind, target, operation, root).values()
    hosts = [host for one in checked for host in one.delegated]
    handlers = dict.fromkeys(name for one in checked for name, _place, _needed in one.notified)
    return Named(tuple(handlers), () if any(one.adds_hosts for one in checked) else tuple(hosts))


def _start(kind: str, target: str, operation: Operation, root: Path) -> tuple[Path | None, str | None]:
    """The path of a file or of a role's folder, if it is known, and the file of its tasks that the role begins with."""
    entry = operation.implementation.settings.get("tasks_from") if operation.implementation else None
    path = role_folder(target, collection_folders(root)) if kind == "role" else Path(target)
    return path if path is not None and path.is_absolute() else None, str(entry) if entry and kind == "role" else None


def _checked_files(kind: str, target: str, operation: Operation, root: Path) -> dict[Path, _Checked]:
    """The files that a task file, a role or a playbook consists of, and what is in each."""
    path, entry = _start(kind, target, operation, root)
    if path is None:
        return {}
    around = Around(root, operation.base or root)
    left = role_files(path, around, entry) if kind == "role" else [(kind, path, around)]
    seen: dict[tuple[str, Path], _Checked] = {}
    while left:
        what, file, where = left.pop()
        if (what, file) not in seen and file.is_file():
            stat = file.stat()
            checked = seen[what, file] = _checked(what, file, stat.st_mtime_ns, stat.st_size, where)
            left += checked.runs
    return {file: checked for (_what, file), checked in seen.items()}


def _name_faults(checked: _Checked, root: Path, tools: Collection[str]) -> Iterator[InvalidInput]:
    """Modules and roles that there are not: Ansible refuses the file, whatever the conditions of its tasks."""
    for kind, name, place in checked.unknown:
        find = module_fault if kind == "module" else role_fault
        fault = find(name, collection_folders(root), tools)  # a collection may have been installed since
        if fault is not None:
            yield InvalidInput(fault[0], place, fault[1])


def _handler_faults(files: Collection[_Checked]) -> Iterator[InvalidInput]:
    """Handlers that are notified and that there are not."""
    known: set[str] = set()
    for one in files:
        if one.handlers is None:
            return
        known |= one.handlers
    for name, place, needed in (each for one in files for each in one.notified):
        if needed and name.rpartition(" : ")[2] not in known:
            yield InvalidInput(f"there is no handler '{name}'", place, nearest(name, known))


@lru_cache(maxsize=2048)
def _checked(kind: str, file: Path, _changed: int, _size: int, around: Around) -> _Checked:
    try:
        data = read_ansible_file(file)
    except InvalidInput as error:
        return _Checked((error,), handlers=None)
    reader = _FileChecker(file, around)
    if kind == "playbook":
        faults = tuple(reader.playbook(data))
    elif kind == "values":
        faults = tuple(reader.values(data))
    else:
        faults = tuple(reader.tasks(data, handlers=kind == "handlers"))
    handlers = frozenset(reader.handlers) if reader.is_closed and not faults else None
    return _Checked(
        faults,
        tuple(reader.runs),
        tuple(reader.notified),
        handlers,
        tuple(reader.delegated),
        adds_hosts=reader.adds_hosts,
        empty=not data,
        unknown=tuple(reader.unknown),
    )


class _FileChecker:
    """Looks through a file, and takes down what it runs beside."""

    def __init__(self, file: Path, around: Around) -> None:
        self._file = file
        self._around = around
        self._defaults = False
        self.runs: list[tuple[str, Path, Around]] = []
        self.notified: list[tuple[str, Place | None, bool]] = []
        self.handlers: set[str] = set()
        self.delegated: list[tuple[str, Place | None]] = []
        self.adds_hosts = False
        self.unknown: list[tuple[str, str, Place | None]] = []
        self.is_closed = True  # else something may bring handlers that are not known

    def values(self, data: Any) -> Iterator[InvalidInput]:
        """What is wrong with the variables or the metadata of a role; those of the roles that it needs are run."""
        if data is not None and not isinstance(data, Mapping):
            yield InvalidInput("it must be a map", Place(str(self._file)), "write NAME: VALUE in each line")
        elif data is not None and self._file.parent.name == "meta":
            listed = data.get("dependencies")
            for at, entry in enumerate(listed if isinstance(listed, list) else ()):
                if not (isinstance(entry, Mapping) and entry.keys() & {"src", "scm"}):
                    yield from self._role(entry, place_of(listed, at))

    def playbook(self, data: Any) -> Iterator[InvalidInput]:
        """What is wrong with a list of plays."""
        if not isinstance(data, list) or not data:
            problem = "the playbook is empty" if not data else "it is no playbook: it must be a list of plays"
            yield InvalidInput(problem, Place(str(self._file)))
            return
        for at, play in enumerate(data):
            if not isinstance(play, Mapping):
                yield InvalidInput("a play must be a map", place_of(data, at))
            elif (key := next((one for one in play if short_name(str(one)) == _IMPORT_PLAYBOOK), None)) is not None:
                yield from self._import(play[key], place_of(play, key))
            else:
                yield from self._play(play)

    def _import(self, name: Any, place: Place | None) -> Iterator[InvalidInput]:
        if not isinstance(name, str) or _is_template(name) or is_fqcn(name):
            self.is_closed = False
            return
        file = self._file.parent / name
        if file.is_file():
            self.runs.append(("playbook", file, self._around))
            return
        beside = {one.name for one in self._file.parent.iterdir()}
        yield InvalidInput(f"there is no file {name} for {_IMPORT_PLAYBOOK}", place, nearest(name, beside))

    def _vars_files(self, listed: Any) -> Iterator[InvalidInput]:
        for at, name in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(name, str) and not _is_template(name) and not name.startswith(("/", "~")):
                folder = self._file.parent
                if not any((base / name).is_file() for base in (folder / "vars", folder)):
                    beside = {one.name for base in (folder / "vars", folder) if base.is_dir() for one in base.iterdir()}
                    yield InvalidInput(
                        f"there is no file {name} for vars_files", place_of(listed, at), nearest(name, beside)
                    )

    def _play(self, play: Mapping[str, Any]) -> Iterator[InvalidInput]:
        beginning = place_of(play)
        if play.get("hosts") in (None, ""):
            yield InvalidInput("the play has no hosts", beginning, "write hosts:, with a pattern of hosts")
        for key in play:
            if str(key) not in PLAY:
                hint = nearest(key, PLAY)
                yield InvalidInput(f"'{key}' is no keyword of a play", key_place_of(play, key), hint)
        outer = self._around
        named = outer.collections or bool(play.get("collections"))
        self._around = Around(outer.root, self._file.parent, outer.role, named, outer.above)
        yield from self._shared(play)
        yield from self._vars_files(play.get("vars_files"))
        defaults, self._defaults = self._defaults, self._defaults or bool(play.get("module_defaults"))
        roles = play.get("roles")
        for at, role in enumerate(roles if isinstance(roles, list) else ()):
            yield from self._role(role, place_of(roles, at))
        for section in PLAY_TASKS:
            if play.get(section):
                yield from self.tasks(play[section], handlers=section == "handlers")
        self._around, self._defaults = outer, defaults

    def _role(self, entry: Any, place: Place | None) -> Iterator[InvalidInput]:
        name = (entry.get("role") or entry.get("name")) if isinstance(entry, Mapping) else entry
        if isinstance(entry, Mapping):
            yield from self._shared(entry)
        if isinstance(name, str):
            yield from self._run_role(name, None, place)

    def _run_role(
        self, name: str, entry: str | None, place: Place | None, *, maybe: bool = False
    ) -> Iterator[InvalidInput]:
        """What is wrong with the name of a role; its files are looked at, too."""
        if _is_template(name):
            self.is_closed = False
            return
        around = self._around
        folder = around.role_folder(name, self._file)
        if maybe:
            self.is_closed = False
            return  # for other systems, it may be
        if folder is not None:
            self.runs += role_files(folder, around, entry)
            return
        self.is_closed = False
        if is_fqcn(name) and not is_installed(name, collection_folders(around.root)):
            self.unknown.append(("role", name, place))
        elif not around.collections:
            known = {
                one.name for base in self._around.role_bases(self._file) if base.is_dir() for one in base.iterdir()
            }
            yield InvalidInput(f"there is no role {name}", place, nearest(name, known))

    def tasks(self, data: Any, *, handlers: bool = False, maybe: bool = False) -> Iterator[InvalidInput]:
        """What is wrong with a list of tasks, which may never run (`maybe`)."""
        if data is None:
            return
        if not isinstance(data, list):
            yield InvalidInput("tasks must be a list", place_of(data) or Place(str(self._file)), "begin each with '- '")
            return
        for at, task in enumerate(data):
            if not isinstance(task, Mapping):
                yield InvalidInput("a task must be a map", place_of(data, at), "write MODULE: and its arguments")
            elif any(key in BLOCK_PARTS for key in task):
                yield from self._block(task, handlers=handlers, maybe=maybe)
            else:
                if handlers:
                    self._take_handler(task)
                yield from self._task(task, place_of(data, at), maybe=maybe)

    def _take_handler(self, task: Mapping[str, Any]) -> None:
        listens = task.get("listen") or []
        for name in (task.get("name"), *(listens if isinstance(listens, list) else [listens])):
            if isinstance(name, str):
                self.handlers.add(name)
                self.is_closed = self.is_closed and not _is_template(name)
        if any(short_name(str(key)) in (*_TASKS, *_ROLES) for key in task):
            self.is_closed = False

    def _notify(self, task: Mapping[str, Any], *, needed: bool) -> None:
        listed = task.get("notify") or []
        for at, name in enumerate(listed if isinstance(listed, list) else [listed]):
            if isinstance(name, str) and not _is_template(name):
                place = place_of(listed, at) if isinstance(listed, list) else place_of(task, "notify")
                self.notified.append((name, place, needed))

    def _block(self, block: Mapping[str, Any], *, handlers: bool, maybe: bool) -> Iterator[InvalidInput]:
        for key in block:
            if str(key) not in BLOCK and not (handlers and key == "listen"):
                yield InvalidInput(f"'{key}' is no keyword of a block", key_place_of(block, key), nearest(key, BLOCK))
        if BLOCK_PARTS[0] not in block:
            part = next((part for part in BLOCK_PARTS if part in block), "")
            yield InvalidInput(f"`{part}` stands without a block", key_place_of(block, part), "write block: beside it")
        yield from self._shared(block)
        defaults, self._defaults = self._defaults, self._defaults or bool(block.get("module_defaults"))
        for part in BLOCK_PARTS:
            yield from self.tasks(
                block.get(part), handlers=handlers, maybe=maybe or part == "rescue" or "when" in block
            )
        self._defaults = defaults

    def _task(self, task: Mapping[str, Any], place: Place | None, *, maybe: bool) -> Iterator[InvalidInput]:
        yield from self._shared(task)
        given = [key for key in map(str, task) if key not in HANDLER and not key.startswith("with_")]
        for key in ("action", "local_action"):
            if key in task:
                return  # an older form, which says the module in its value
        if len(given) != 1:
            yield self._which(given, task, place)
            return
        name = given[0]
        at = key_place_of(task, name) or place
        if _is_template(name):
            return
        loops = [key for key in map(str, task) if key == "loop" or key.startswith("with_")]
        yield from self._loops(loops, task)
        maybe = maybe or "when" in task or bool(loops)
        self._notify(task, needed=not maybe)
        args, written = task[name], task.get("args")
        short = short_name(name)
        if short in _TASKS:
            yield from self._run_tasks(short, args, at, maybe=maybe and short != _TASKS[0])
        elif short in _ROLES and isinstance(args, Mapping):
            entry = args.get("tasks_from")
            if isinstance(args.get("name"), str) and not (isinstance(entry, str) and _is_template(entry)):
                asked = entry if isinstance(entry, str) else None
                may_not_run, before = maybe and short != _ROLES[0], len(self.runs)
                yield from self._run_role(args["name"], asked, place_of(args, "name"), maybe=may_not_run)
                if task.get("when") is False:  # it is there for its variables
                    del self.runs[before:]
        else:
            yield from self._module(name, args, written, at, maybe=maybe)

    def _loops(self, loops: list[str], task: Mapping[str, Any]) -> Iterator[InvalidInput]:
        if len(loops) > 1:
            yield InvalidInput(f"the task has both `{loops[0]}` and `{loops[1]}`", key_place_of(task, loops[1]))
        for key in loops:
            if key.startswith("with_") and (fault := with_fault(key, self._around.folders(self._file))) is not None:
                yield InvalidInput(f"{fault}, for `{key}`", key_place_of(task, key))

    def _which(self, given: list[str], task: Mapping[str, Any], place: Place | None) -> InvalidInput:
        """The error for a task that names no module, or several."""
        if not given:
            return InvalidInput("the task names no module", place, "write MODULE: and its arguments")
        known = [name for name in given if is_fqcn(name) or short_name(name) in builtin_modules()]
        odd = next((name for name in given if name not in known), given[-1])
        if len(known) == 1 or not known:
            return InvalidInput(
                f"'{odd}' is no keyword of a task", key_place_of(task, odd) or place, nearest(odd, HANDLER)
            )
        problem = f"the task names {len(known)} modules: {', '.join(known)}"
        return InvalidInput(problem, key_place_of(task, known[1]) or place, "make them tasks of their own")

    def _run_tasks(self, action: str, args: Any, place: Place | None, *, maybe: bool) -> Iterator[InvalidInput]:
        name = args.get("file") or args.get("_raw_params") if isinstance(args, Mapping) else args
        if not isinstance(name, str) or _is_template(name) or "=" in name:
            self.is_closed = False
            return
        around, name = self._around, name.strip()
        role = [around.role / "tasks", around.role] if around.role is not None else []
        bases = [self._file.parent, *role, around.base, around.base / "tasks"]
        file = next((one for base in bases if os.path.isfile(one := base / name)), None)  # noqa: PTH113 - any name
        if maybe:
            self.is_closed = False
            return  # for other systems, it may be
        if file is not None:
            self.runs.append(("tasks", file, around))
        else:
            beside = {one.name for one in self._file.parent.iterdir()}
            yield InvalidInput(f"there is no file {name} for {action}", place, nearest(name, beside))

    def _module(
        self, name: str, args: Any, written: Any, place: Place | None, *, maybe: bool
    ) -> Iterator[InvalidInput]:
        """What is wrong with the name and the arguments of a module."""
        full_name = self._around.full_name(name, self._file)
        if full_name is None:
            near = closest(name, builtin_modules())
            yield InvalidInput(f"there is no module {name}", place, f"did you mean {near}?" if near else None)
            return
        collections = collection_folders(self._around.root)
        if is_fqcn(full_name) and module_fault(full_name, collections) is not None:
            self.unknown.append(("module", full_name, place))
            return
        spec = module_spec(full_name, collections, tuple(self._around.libraries(self._file))) if full_name else None
        given = self._arguments(name, args, written)
        if spec is None or given is None:
            return
        yield from argument_faults(spec, given, name, place, partly=self._defaults)
        if full_name == f"{BUILTIN}{short_name(name)}":
            yield from self._of_core(short_name(name), given, place, maybe=maybe)

    def _of_core(self, name: str, given: Map, place: Place | None, *, maybe: bool) -> Iterator[InvalidInput]:
        """What is wrong with what Ansible's own modules are given to read."""
        if name == "add_host":
            self.adds_hosts = True
        elif name == "set_fact":
            for key in given:
                if not (_is_template(key) or key in (FREE, "cacheable") or _VARIABLE.fullmatch(key)):
                    yield InvalidInput(f"'{key}' is no name of a variable", key_place_of(given, key))
        elif name == "meta":
            action = given.get(FREE)
            if isinstance(action, str) and not _is_template(action) and action.split()[:1] and action not in _META:
                yield InvalidInput(f"there is no meta action {action}", place, nearest(action, _META))
        elif name == "assert":
            yield from self._conditions("that", given)
        elif not maybe:
            yield from source_faults(name, given, self._file, self._around.folders(self._file), place)

    def _arguments(self, name: str, args: Any, written: Any) -> Map | None:
        """The arguments of a task; None if they are not told apart here."""
        made = Map()
        if isinstance(args, Untouched) or (written is not None and not isinstance(written, Mapping)):
            return None
        if isinstance(args, str):
            if short_name(name) not in _FREE and (_is_template(args) or args.strip()):
                return None  # k=v, or a whole that is computed
            made[FREE] = args
        elif args is not None and not isinstance(args, Mapping):
            return None
        for one in (one for one in (args, written) if isinstance(one, Mapping)):
            for key, value in one.items():
                made.adopt(key, _HIDDEN if isinstance(value, Untouched) else value, one)
        for key in _MODES:
            if isinstance(made.get(key), int):  # octal, as YAML 1.1 reads it
                made[key] = f"{made[key]:04o}"
        return made

    def _shared(self, written: Mapping[str, Any]) -> Iterator[InvalidInput]:
        """What is wrong with what plays, blocks and tasks have in common: conditions, plugins, templates."""
        for key, problem, hint in keyword_faults(written):
            yield InvalidInput(f"`{key}` {problem}", place_of(written, key), hint)
        host = written.get("delegate_to")
        if isinstance(host, str) and not isinstance(host, Untouched) and not _is_template(host):
            self.delegated.append((host, place_of(written, "delegate_to")))
        for key in CONDITIONS:
            yield from self._conditions(key, written)
        for key, kind in PLUGINS.items():
            value = written.get(key)
            if isinstance(value, str) and value and not _is_template(value):
                folders = (self._around.base, self._around.root, self._file.parent)
                missing = plugin_fault(kind, value, self._around.root, [one / f"{kind}_plugins" for one in folders])
                if missing is not None:
                    yield InvalidInput(missing[0], place_of(written, key), missing[1])
        for key, value in written.items():
            if key not in (*BLOCK_PARTS, *PLAY_TASKS, *CONDITIONS, "roles", "vars_prompt"):
                yield from _template_faults(value, place_of(written, key), self._around.folders(self._file))

    def _conditions(self, key: str, written: Mapping[str, Any]) -> Iterator[InvalidInput]:
        listed = written.get(key)
        for at, text in enumerate(listed if isinstance(listed, list) else [listed]):
            if not isinstance(text, str) or isinstance(text, Untouched):
                continue
            where = place_of(listed, at) if isinstance(listed, list) else place_of(written, key)
            if (fault := expression_fault(text)) is not None:
                yield InvalidInput(f"the expression of `{key}` cannot be read: {fault}", where)
            elif not _is_template(text):
                for message, _line, hint in name_faults(f"{{{{ {text} }}}}", self._around.folders(self._file)):
                    yield InvalidInput(message, where, hint)


def _template_faults(data: Any, place: Place | None, folders: Sequence[Path]) -> Iterator[InvalidInput]:
    """Texts in data that are no good templates."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key not in SIGNS:
                yield from _template_faults(value, place_of(data, key) or place, folders)
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _template_faults(value, place_of(data, at) or place, folders)
    elif isinstance(data, str) and not isinstance(data, Untouched) and _is_template(data):
        if (fault := syntax_fault(data)) is not None:
            yield InvalidInput(f"the template cannot be read: {fault[0]}", place)
        for message, _line, hint in name_faults(data, folders):
            yield InvalidInput(message, place, hint)


def _is_template(text: str) -> bool:
    return "{{" in text or "{%" in text
