"""The files of a role that run first, and what is wrong with a role that has none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.ansible_files import read_ansible_file
from ansible_ensemble.configurators.play_around import Around
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Operation

_MAIN = ("main.yml", "main.yaml", "main", "main.json")


def no_tasks(role: Path, entry: str | None, operation: Operation) -> InvalidInput | None:
    """The error for a role that does nothing: it has no tasks, and needs no other role."""
    if entry or not role.is_dir() or _has_dependencies(role):
        return None
    try:
        if any(read_ansible_file(file) for name in _MAIN if (file := role / "tasks" / name).is_file()):
            return None
    except InvalidInput:  # told of the file itself
        return None
    near = [one.name for one in role.glob("*/*.y*ml") if one.parent.name == "tasks"]
    hint = (
        f"it has tasks/{', tasks/'.join(sorted(near))}: tasks_from names one" if near else "they are in tasks/main.yml"
    )
    return InvalidInput(f"the role {role.name} of {operation.title} has no tasks", operation.place, hint)


def _has_dependencies(role: Path) -> bool:
    return any(_dependencies(role))


def _dependencies(role: Path) -> list[Any]:
    for file in (role / "meta" / name for name in _MAIN):
        if file.is_file():
            try:
                data = read_ansible_file(file)
            except InvalidInput:
                return []
            listed = data.get("dependencies") if isinstance(data, Mapping) else None
            return list(listed) if isinstance(listed, list) else []
    return []


def role_files(role: Path, around: Around, entry: str | None = None) -> list[tuple[str, Path, Around]]:
    """The files that a role runs first."""
    named = around.collections or _names_collections(role)
    within = Around(around.root, around.base, role, named, around.roles)
    tasks = [("tasks", file, within) for file in _entry_files(role, entry)]
    values = [("values", role / kind / name, within) for kind in ("meta", "defaults", "vars") for name in _MAIN]
    return [*tasks, *(("handlers", role / "handlers" / name, within) for name in _MAIN), *values]


def entry_file(role: Path, entry: str | None = None) -> Path | None:
    """The file of tasks that a role runs, of those that `tasks_from` may mean; None if there is none."""
    return next((file for file in _entry_files(role, entry) if file.is_file()), None)


def _entry_files(role: Path, entry: str | None) -> list[Path]:
    names = (entry, f"{entry}.yml", f"{entry}.yaml") if entry else _MAIN
    return [role / "tasks" / name for name in names]


def _names_collections(role: Path) -> bool:
    """Whether short names in a role may be those of collections."""
    if "ansible_collections" in role.parts:
        return True
    for file in (role / "meta" / name for name in _MAIN):
        try:
            data = read_ansible_file(file) if file.is_file() else None
        except InvalidInput:
            data = None
        if isinstance(data, Mapping) and data.get("collections"):
            return True
    return False
