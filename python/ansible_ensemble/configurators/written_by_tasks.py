"""The tasks of task files, roles and playbooks that write a path, as their files say it: nothing of them is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.written_paths import is_writer
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.places import Map
from ansible_ensemble.documents.yaml import read_yaml

_BLOCKS = ("block", "rescue", "always")
_SECTIONS = ("pre_tasks", "tasks", "post_tasks")
_FILES = ("import_tasks", "include_tasks")
_ROLES = ("import_role", "include_role")
_LOOPS = ("loop", "with_items")
#: What an entry of `roles` says beside the role's parameters, as far as a parameter may have such a name.
_OF_ROLES = ("role", "name", "vars", "tags", "when", "environment", "port")
_SUFFIXES = ("", ".yml", ".yaml")
#: In place of names that nobody knows before they are read.
_ANY = "*"


class WritingTask(Struct, frozen=True):
    """A task that writes a path.

    Attributes:
        args: of its module, as they are written.
        variables: what the files give to templates in them, whatever the inventory says; as it is written.
        defaults: what they give where the inventory says nothing: defaults of roles.
        unknown: names that tasks before it give values as they run; None where these may be any.
        base: the folder in which a file of the controller is looked for.
        delegate: the host that it is delegated to; empty if it is not.
        hosts: the pattern of its play; empty in a file of tasks.
        handlers: the handlers of its play, as Ansible tells them (file and line), if it notifies any.
    """

    module: str
    args: Mapping[str, Any]
    variables: Mapping[str, Any]
    place: Place
    base: Path
    delegate: str = ""
    hosts: str = ""
    handlers: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    unknown: frozenset[str] | None = frozenset()


class _Around(Struct, frozen=True):
    """What tasks have from what is around them.

    Attributes:
        named: names that tasks before them give values; `_ANY` among them if these may be any.
        is_computed: whether their play reads files of variables.
        parameters: what wins over the variables of a role itself.
    """

    file: Path
    base: Path
    variables: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    is_computed: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    hosts: str = ""
    handlers: tuple[str, ...] = ()
    including: frozenset[Path] = frozenset()

    def into(self, file: Path, **more: Any) -> _Around:
        """What is inside of an included file."""
        return replace(self, file=file, including=self.including | {self.file.resolve()}, **more)

    def is_within(self, file: Path) -> bool:
        """Whether a file is the one that is read, or one that includes it by others."""
        return file.resolve() in {self.file.resolve(), *self.including}

    def within(self, raw: Mapping[str, Any]) -> _Around:
        """What is inside of a block or a task with variables of its own."""
        return replace(self, variables={**self.variables, **_map(raw.get("vars"))})


def writing_tasks(kind: str, source: str, tasks_from: str | None = None) -> list[WritingTask]:
    """The tasks that write a path, in order.

    Args:
        kind: `tasks`, `role` or `playbook`.
        source: the absolute path of the file or the role; nothing is known of a role in a collection.
        tasks_from: which task file of a role runs, None for its `main`.
    """
    path = Path(source)
    if not path.is_absolute():
        return []
    if kind == "role":
        return list(_of_role(path, tasks_from or "main", _Around(path, path)))
    around = _Around(path, path.parent)
    read = _of_plays if kind == "playbook" else _of_tasks
    return list(read(_read(path), around))


def task_text(place: Place) -> str:
    """A place as Ansible tells that of a task: its file and line."""
    return f"{place.file}:{place.line}"


def _of_plays(plays: Any, around: _Around) -> Iterator[WritingTask]:
    for play in _maps(plays):
        if "hosts" not in play:
            imported = _named(play, ("import_playbook",), "file")
            file = around.base / imported if imported else None
            if file is not None and file.is_file() and not around.is_within(file):
                including = around.into(file).including
                yield from _of_plays(_read(file), _Around(file, file.parent, named=around.named, including=including))
            continue
        handlers = tuple(task_text(place) for place in _places(play.get("handlers")))
        hosts = play["hosts"]
        pattern = ",".join(map(str, hosts)) if isinstance(hosts, list) else str(hosts)
        is_computed = bool(play.get("vars_files") or play.get("vars_prompt"))
        inside = replace(around.within(play), hosts=pattern, handlers=handlers, is_computed=is_computed)
        yield from _of_tasks(play.get("pre_tasks"), inside)
        roles = play.get("roles")
        for role in roles if isinstance(roles, list) else ():
            entry = {"role": role} if isinstance(role, str) else _map(role)
            parameters = {name: value for name, value in entry.items() if name not in _OF_ROLES}
            yield from _of_named_role(entry, replace(inside, parameters={**parameters, **_map(entry.get("vars"))}))
        for section in _SECTIONS[1:]:
            yield from _of_tasks(play.get(section), inside)


def _of_tasks(tasks: Any, around: _Around) -> Iterator[WritingTask]:
    for task in _maps(tasks):
        inside = around.within(task)
        around.named.update(_named_by(task))
        if "block" in task:
            for part in _BLOCKS:
                yield from _of_tasks(task.get(part), inside)
        elif name := _named(task, _FILES, "file"):
            yield from _of_file(name, inside)
        elif entries := [entry for one in _ROLES if (entry := _entry(task, one)) is not None]:
            parameters = {**inside.parameters, **_map(task.get("vars"))}
            yield from _of_named_role(_map(entries[0]), replace(inside, parameters=parameters))
        else:
            yield from _of_task(task, inside)


def _of_task(task: Mapping[str, Any], around: _Around) -> Iterator[WritingTask]:
    module = next((str(key) for key in task if is_writer(str(key))), None)
    place = task.beginning() if isinstance(task, Map) else None
    if module is None or place is None:
        return
    raw = task[module]
    args = _words(raw) if isinstance(raw, str) else {**_map(task.get("args")), **_map(raw)}
    name = str(_map(task.get("loop_control")).get("loop_var", "item"))
    items = next((task[one] for one in _LOOPS if isinstance(task.get(one), list)), [None])
    for item in items:
        yield WritingTask(
            module,
            args,
            {**around.variables, **({name: item} if item is not None else {})},
            place,
            around.base,
            str(task.get("delegate_to") or ""),
            around.hosts,
            around.handlers if task.get("notify") else (),
            around.defaults,
            None if around.is_computed or _ANY in around.named else frozenset(around.named),
        )


def _named_by(task: Mapping[str, Any]) -> Iterator[str]:
    """Names of the variables that a task gives values when it runs."""
    if isinstance(task.get("register"), str):
        yield task["register"]
    facts = _entry(task, "set_fact")
    yield from _words(facts) if isinstance(facts, str) else map(str, _map(facts))
    if _entry(task, "include_vars") is not None:
        yield _ANY


def _of_file(name: str, around: _Around) -> Iterator[WritingTask]:
    """The tasks of an included file, which is looked for beside the one that includes it."""
    found = (folder / name for folder in (around.file.parent, around.base / "tasks", around.base))
    file = next((one for one in found if one.is_file()), None)
    if file is not None and not around.is_within(file):
        yield from _of_tasks(_read(file), around.into(file))


def _of_named_role(entry: Mapping[str, Any], around: _Around) -> Iterator[WritingTask]:
    name = entry.get("role") or entry.get("name")
    folder = around.base / "roles" / str(name)
    if name is not None and folder.is_dir():
        yield from _of_role(folder, str(entry.get("tasks_from") or "main"), around)


def _of_role(folder: Path, entry: str, around: _Around) -> Iterator[WritingTask]:
    file = _file(folder / "tasks", entry)
    if file is None or around.is_within(file):
        return
    own = (_file(folder / part, "main") for part in ("defaults", "vars"))
    defaults, variables = (_map(_read(one)) if one is not None else {} for one in own)
    handlers = _file(folder / "handlers", "main")
    inside = around.into(
        file,
        base=folder,
        variables={**around.variables, **variables, **around.parameters},
        defaults={**around.defaults, **defaults},
        handlers=(*around.handlers, *(task_text(one) for one in _places(_read(handlers) if handlers else None))),
    )
    yield from _of_tasks(_read(file), inside)


def _file(folder: Path, name: str) -> Path | None:
    return next((file for suffix in _SUFFIXES if (file := folder / f"{name}{suffix}").is_file()), None)


def _read(path: Path) -> Any:
    try:
        stat = path.stat()
        return _read_once(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, EnsembleError):  # what runs it says what is wrong with it
        return None


@lru_cache(maxsize=512)
def _read_once(path: Path, _changed: int, _size: int) -> Any:
    """The data of a file; its time and size show whether it is still the same."""
    return read_yaml(path).data


def _entry(task: Mapping[str, Any], name: str) -> Any:
    return task.get(name, task.get(f"{BUILTIN}{name}"))


def _named(task: Mapping[str, Any], names: Iterable[str], key: str) -> str | None:
    """The file that an import or include names, if it says so before it runs."""
    entry = next((found for one in names if (found := _entry(task, one)) is not None), None)
    name = entry.get(key) if isinstance(entry, Mapping) else entry
    return name if isinstance(name, str) and "{{" not in name else None


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else iter(())


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _places(tasks: Any) -> Iterator[Place]:
    return (place for one in _maps(tasks) if isinstance(one, Map) and (place := one.beginning()) is not None)


def _words(text: str) -> dict[str, str]:
    """Arguments in the form `path=/a line=b`; in that of a free text none are known."""
    words = (word.partition("=") for word in text.split())
    return {name: value.strip("\"'") for name, sign, value in words if sign}
