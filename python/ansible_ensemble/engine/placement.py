"""Placement: which operations of a plan run on nodes of a mesh."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from ansible_ensemble.configurators.implementation import MODULE, Resolved, resolve
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.projects.mesh_settings import LOCAL, MeshSettings
from ansible_ensemble.topology.tools import files_of

_GOING = frozenset({"command", "script", MODULE, "tasks", "role", "playbook"})
#: Modules that bring something to where they are called.
_BRINGING = frozenset({"ansible.builtin.fetch", "ansible.legacy.fetch", "fetch"})


def place(task: JobTask, settings: MeshSettings | None) -> None:
    """Note in a planned operation on which nodes it runs, if it does not run here.

    Lines of shell, scripts, modules, task files, roles and playbooks do, for whichever host, if they want no more of
    the controller than files of the project: none that are put beside them, no tools that are installed for them, and
    nothing that is made or noted here.
    """
    if settings is None or not _can_go(task):
        return
    known = {"instance": task.instance.name, "template": task.template.name, "type": task.template.type.name}
    for rule in settings.rules:
        if all(fnmatchcase(known[key], pattern) for key, pattern in rule.match.items()):
            task.planned.node = None if rule.node == LOCAL else rule.node
            return


def _can_go(task: JobTask) -> bool:
    operation = task.operation
    if operation.implementation is None or task.tools or files_of(operation):
        return False
    if "teardown" in operation.implementation.settings:  # what it makes is noted here
        return False
    found = resolve(operation, task.root)
    if found.configurator not in _GOING or found.target in _BRINGING or "inventory" in operation.inputs:
        return False
    return found.configurator == "command" or _is_in_project(task, found)


def _is_in_project(task: JobTask, found: Resolved) -> bool:
    """Whether what it runs, and what it finds beside that, are among the project's files."""
    target = Path(found.target)
    has_target = bool(found.target) and (not target.is_absolute() or target.is_relative_to(task.root))
    return has_target and task.base.is_relative_to(task.root)
