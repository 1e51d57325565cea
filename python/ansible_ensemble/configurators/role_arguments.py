"""The arguments that a role requires, and that its host has no variables for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ansible_ensemble.configurators.ansible_files import read_ansible_file
from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.configurators.module_spec import role_folder, role_spec
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput

_OF_ANSIBLE = "ansible_"


def missing_arguments(role: str, task: Task, given: Collection[str]) -> Iterator[InvalidInput]:
    """Each argument that the role's `argument_specs` requires, and that neither it, nor its role, nor its host has.

    Args:
        role: its path or FQCN.
        task: what runs it.
        given: the variables that it is given.
    """
    collections = collection_folders(task.root)
    spec = role_spec(role, str(task.setting("tasks_from") or "main"), collections)
    folder = role_folder(role, collections)
    required = [name for name, option in spec.options.items() if option.required] if spec is not None else []
    if not required or folder is None:
        return
    vars_of_task = task.setting("vars")
    known = {*given, *(vars_of_task if isinstance(vars_of_task, Mapping) else ()), *_own_variables(folder)}
    left = [name for name in required if name not in known and not name.startswith(_OF_ANSIBLE)]
    for name, host in task.undefined(left).items():
        message = (
            f"the role {folder.name} of {task.operation.title} requires {name}, which the host {host} does not have"
        )
        yield InvalidInput(message, task.operation.place, "give it in vars:, or set it for the host")


def _own_variables(role: Path) -> set[str]:
    """The variables that a role has itself."""
    found: set[str] = set()
    for file in (file for kind in ("defaults", "vars") for file in (role / kind).rglob("*") if file.is_file()):
        with suppress(InvalidInput):
            data = read_ansible_file(file)
            found.update(map(str, data) if isinstance(data, Mapping) else ())
    return found
