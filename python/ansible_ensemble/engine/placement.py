"""Placement: which operations of a plan run on nodes of a mesh."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from ansible_ensemble.configurators.implementation import MODULE, resolve
from ansible_ensemble.configurators.keywords import BY_ANSIBLE
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.projects.mesh_settings import LOCAL, MeshSettings
from ansible_ensemble.topology.tools import files_of

_BY_ANSIBLE = frozenset({MODULE, "tasks", "role"})
#: Settings by which something has to do with other hosts, or is taken away by what it noted here.
_STAYING = frozenset({"delegate_to", "connection", "port", "remote_user", "teardown"})


def place(task: JobTask, settings: MeshSettings | None) -> None:
    """Note in a planned operation on which nodes it runs, if it does not run here.

    Lines of shell, modules, task files and roles do that are to run on the controller, and want nothing else of it: no
    files that are put beside them, no tools that are installed for them, and no other host.
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
    if operation.implementation is None or not task.is_on_controller or task.tools or files_of(operation):
        return False
    settings, found = operation.implementation.settings, resolve(operation, task.root)
    if found.configurator == "command":
        return not settings.get("become") and not any(name in settings for name in BY_ANSIBLE if name != "become")
    by_ansible = found.configurator in _BY_ANSIBLE and task.base.is_relative_to(task.root)
    has_files = not Path(found.target).is_absolute() or Path(found.target).is_relative_to(task.root)
    return by_ansible and bool(found.target) and has_files and not _STAYING.intersection(settings)
