"""Placement: which operations of a plan run on nodes of a mesh."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.configurators.keywords import BY_ANSIBLE
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.projects.mesh_settings import LOCAL, MeshSettings
from ansible_ensemble.topology.tools import files_of


def place(task: JobTask, settings: MeshSettings | None) -> None:
    """Note in a planned operation on which nodes it runs, if it does not run here.

    Lines of shell do that are to run on the controller, and want nothing else of it: neither files that are put beside
    them nor tools that are installed for them.
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
    settings = operation.implementation.settings
    by_ansible = settings.get("become") or any(name in settings for name in BY_ANSIBLE if name != "become")
    return not by_ansible and resolve(operation, task.root).configurator == "command"
