"""What undeploy leaves of what tasks make: those for which no task that takes something away is written."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.ansible_files import tasks_of
from ansible_ensemble.configurators.locations import collection_folders, find_role
from ansible_ensemble.configurators.module_spec import role_folder
from ansible_ensemble.configurators.role_files import entry_file
from ansible_ensemble.configurators.teardown import GONE, MAKE_NOTHING, STATE, Way, full_name, leaves, way_of
from ansible_ensemble.configurators.there_before import REMOVAL, removing, task_title
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import REMOVING
from ansible_ensemble.language.entities import NodeTemplate, Operation
from ansible_ensemble.language.playbook_keywords import HANDLER

_ASIDE = MAKE_NOTHING | {full_name(name) for name in ("add_host", "group_by", "meta")}
#: Modules whose text is no list of arguments.
_FREE_FORM = {full_name(name) for name in ("command", "expect", "raw", "script", "shell")}
_MOST = 3  #: names that are told


def left_by_tasks(node: NodeTemplate) -> str:
    """What undeploy will leave of what the tasks of an imported node make, as far as that is known."""
    operation = node.operation("Standard", "configure")
    settings = operation.implementation.settings if operation is not None and operation.implementation else {}
    removal = settings.get(REMOVAL)
    if operation is None or not isinstance(removal, Mapping):
        return ""
    base = operation.base or Path()
    source, removing_file = _source_of(operation, base), base / str(next(iter(removal.values())))
    if source is None:
        return ""
    files = source, removing_file
    try:
        versions = tuple(file.stat().st_mtime_ns for file in files)
    except OSError:
        return ""
    return _left(*files, versions)


def _source_of(operation: Operation, base: Path) -> Path | None:
    """The file of what an operation runs: that of a role's tasks, if it runs one; None if it is not known."""
    implementation = operation.implementation
    if implementation is None or not implementation.primary:
        return None
    if implementation.class_name != "role":
        return base / implementation.primary
    role = find_role(implementation.primary, operation, base)
    folder = role_folder(role, collection_folders(base)) if role is not None else None
    return entry_file(folder, implementation.settings.get("tasks_from")) if folder is not None else None


@lru_cache(maxsize=512)
def _left(source: Path, removal: Path, _versions: tuple[int, ...]) -> str:
    try:
        taken = Counter(str(task.get("name")) for task in tasks_of(removal) if task.get("when") is not False)
        made = list(tasks_of(source))
    except InvalidInput:
        return ""
    if not all(name.startswith(REMOVING) for name in taken):
        return ""  # a part of it is written by hand
    found: dict[str, None] = {}
    for task in made:
        module, args = _module(task)
        title = str(task.get("name") or task_title(module, args))
        if not module or full_name(module) in _ASIDE or task.get("changed_when") is False:
            continue
        if way_of(module, args) is Way.RESTORE and args.get("backup"):
            continue
        takes_away, name = args.get(STATE) in GONE, removing(title)
        if not takes_away and not taken[name]:
            found[f"what '{title}' does stays: nothing takes it away"] = None
        elif text := leaves(module, args, can_delete=not takes_away):
            found[f"of '{title}' {text}"] = None
        taken[name] -= taken[name] > 0  # tasks may have one name
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return "; ".join([*list(found)[:_MOST], *more])


def _module(task: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name = next((str(key) for key in task if key not in HANDLER and not str(key).startswith("with_")), "")
    args = task.get(name)
    if isinstance(args, str) and full_name(name) not in _FREE_FORM:
        with suppress(ValueError):  # a quote that is not closed
            return name, dict(part.split("=", 1) for part in shlex.split(args) if "=" in part)
    return name, args if isinstance(args, Mapping) else {}
