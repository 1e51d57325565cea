"""What undeploy leaves of what tasks make: those for which no task that takes something away is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.ansible_files import file_run_by, read_ansible_file
from ansible_ensemble.configurators.teardown import GONE, MAKE_NOTHING, STATE, Way, full_name, leaves, way_of
from ansible_ensemble.configurators.there_before import REMOVAL, REMOVING, removing, task_title
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.language.playbook_keywords import BLOCK_PARTS, HANDLER, PLAY_TASKS

_ASIDE = MAKE_NOTHING | {full_name(name) for name in ("add_host", "group_by", "meta")}
_ROLE = full_name("include_role")
_MOST = 3  #: names that are told


def left_by_tasks(node: NodeTemplate) -> str:
    """What undeploy will leave of what the tasks of an imported node make, as far as that is known."""
    operation = node.operation("Standard", "configure")
    settings = operation.implementation.settings if operation is not None and operation.implementation else {}
    removal = settings.get(REMOVAL)
    source = operation.implementation.primary if operation is not None and operation.implementation else None
    if operation is None or source is None or not isinstance(removal, Mapping):
        return ""
    base = operation.base or Path()
    files = base / source, base / str(next(iter(removal.values())))
    try:
        versions = tuple(file.stat().st_mtime_ns for file in files)
    except OSError:
        return ""
    return _left(*files, versions)


@lru_cache(maxsize=512)
def _left(source: Path, removal: Path, _versions: tuple[int, ...]) -> str:
    try:
        taken = {str(task.get("name")) for task in _tasks(removal)}
        made = list(_tasks(source))
    except InvalidInput:
        return ""
    if not any(name.startswith(REMOVING) for name in taken):
        return ""  # it is written by hand
    found: dict[str, None] = {}
    for task in made:
        module, args = _module(task)
        title = str(task.get("name") or task_title(module, args))
        if not module or full_name(module) in _ASIDE or task.get("changed_when") is False:
            continue
        if way_of(module, args) is Way.RESTORE and args.get("backup"):
            continue
        takes_away = args.get(STATE) in GONE
        if removing(title) not in taken and not takes_away:
            found[f"what '{title}' does stays: nothing takes it away"] = None
        elif text := leaves(module, args, can_delete=not takes_away):
            found[f"of '{title}' {text}"] = None
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return "; ".join([*list(found)[:_MOST], *more])


def _tasks(file: Path, above: tuple[Path, ...] = ()) -> Iterator[Mapping[str, Any]]:
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
            yield from _tasks(run, files)
        elif not parts and "hosts" not in one:
            yield one


def _module(task: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name = next((str(key) for key in task if key not in HANDLER and not str(key).startswith("with_")), "")
    args = task.get(name)
    return name, args if isinstance(args, Mapping) else {}
