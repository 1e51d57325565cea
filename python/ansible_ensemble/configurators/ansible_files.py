"""YAML as Ansible reads it, with places: the words and tags of YAML 1.1, of which nothing is opened or rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.places import Map, Seq, Source
from ansible_ensemble.documents.syntax_errors import explain
from ansible_ensemble.language.playbook_keywords import BLOCK_PARTS, PLAY_TASKS

_ROLE = f"{BUILTIN}include_role"
_RUN_TASKS = ("import_tasks", "include_tasks")
#: What a task that runs a file of tasks may have that a block could have in its place.
_AS_OF_BLOCK = frozenset(
    {
        *("name", "become", "become_user", "become_method", "become_flags"),
        *("tags", "no_log", "when", "vars", "environment"),
    }
)


class Untouched(str):
    """A text that Ansible does not take for a template: it is tagged as encrypted or unsafe."""

    __slots__ = ()


def read_ansible_file(path: Path) -> Any:
    """What is in a file of Ansible's: `Map`, `Seq` and scalars."""
    try:
        stat = path.stat()
        return _read(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"it cannot be read: {error}", Place(str(path))) from None


@lru_cache(maxsize=1024)
def _read(path: Path, _changed: int, _size: int) -> Any:
    import yaml

    content = path.read_bytes()
    if content.startswith(b"$ANSIBLE_VAULT"):
        return None
    source = Source(str(path), content.decode("utf-8").removeprefix("\ufeff"))
    try:
        node = yaml.compose(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _Reader(source).value(node) if node is not None else None
    except yaml.YAMLError as error:
        raise explain(error, source) from None


class _Reader:
    def __init__(self, source: Source) -> None:
        from yaml.constructor import SafeConstructor

        self._source = source
        self._constructor = SafeConstructor()
        self._known: dict[int, Any] = {}

    def value(self, node: Any) -> Any:
        """The data of a node; that of an anchor is the same for each of its aliases."""
        if id(node) not in self._known:
            self._known[id(node)] = self._value(node)
        return self._known[id(node)]

    def _value(self, node: Any) -> Any:
        from yaml import MappingNode, SequenceNode
        from yaml.constructor import ConstructorError

        if isinstance(node, MappingNode):
            self._constructor.flatten_mapping(node)
            return self._map(node)
        if isinstance(node, SequenceNode):
            made = Seq(self.value(one) for one in node.value)
            made.source, made.start = self._source, node.start_mark.index
            made.marks = [one.start_mark.index for one in node.value]
            return made
        try:
            return self._constructor.construct_object(node)
        except (ConstructorError, ValueError):
            return Untouched(node.value)

    def _map(self, node: Any) -> Map:
        made = Map()
        made.source, made.start = self._source, node.start_mark.index
        marks: list[Any] = []
        for key, value in node.value:
            name = self.value(key)
            name = name if isinstance(name, str | int | float | bool) else str(name)
            made[name] = self.value(value)
            marks += [name, key.start_mark.index, value.start_mark.index]
        made.marks = marks
        return made


def file_run_by(task: Mapping[str, Any], folder: Path) -> Path | None:
    """The file of tasks that a task runs, if its name is known and the task does no more to them than a block does."""
    keys = {str(key).removeprefix(BUILTIN): value for key, value in task.items()}
    given = next((keys.pop(name) for name in _RUN_TASKS if name in keys), None)
    name = given.get("file") if isinstance(given, Mapping) and given.keys() == {"file"} else given
    if not isinstance(name, str) or "{{" in name or not keys.keys() <= _AS_OF_BLOCK:
        return None
    return next((file for part in (folder, folder / "tasks") if (file := part / name.strip()).is_file()), None)


def tasks_of(file: Path, above: tuple[Path, ...] = ()) -> Iterator[Mapping[str, Any]]:
    """The tasks of a file or a playbook, with those of blocks and of the files that it runs."""
    if file not in above:
        yield from _tasks_in(read_ansible_file(file), (*above, file))


def _tasks_in(data: Any, files: tuple[Path, ...]) -> Iterator[Mapping[str, Any]]:
    """The tasks in data; a role of a play is one."""
    for one in data if isinstance(data, list) else ():
        if not isinstance(one, Mapping):
            continue
        parts = [name for name in (*BLOCK_PARTS, *PLAY_TASKS) if name in one]
        for name in parts:
            yield from _tasks_in(one[name], files)
        for role in one.get("roles") or ():
            yield {"name": role.get("role") or role.get("name") if isinstance(role, Mapping) else role, _ROLE: None}
        if (run := file_run_by(one, files[-1].parent)) is not None:
            yield from tasks_of(run, files)
        elif not parts and "hosts" not in one:
            yield one
