"""Placement: which operations of a plan run on nodes of a mesh."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from ansible_ensemble.configurators.implementation import MODULE, Resolved, resolve
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.hosts import all_groups
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.projects.mesh_settings import LOCAL, MeshSettings, Rule
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
    if settings is None or not settings.rules or not _can_go(task):
        return
    for rule in settings.rules:
        if _matches(rule, task):
            task.planned.node = None if rule.node == LOCAL else rule.node
            return


def _matches(rule: Rule, task: JobTask) -> bool:
    named = all(_match(patterns, _NAMES[key](task)) for key, patterns in rule.match.items())
    return named and all(_match(patterns, _metadata(task, key)) for key, patterns in rule.metadata.items())


def _match(patterns: Iterable[str], names: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _host(task: JobTask) -> str:
    """The name of the host that it is for, or that of the instance or host that is to be it."""
    with suppress(EnsembleError):
        return task.host.name
    return task.planned.host


def _groups(task: JobTask) -> Iterator[str]:
    """The groups that its host is in by the inventory, and its instance by the topology."""
    evaluator = task.scope.evaluator
    inventory = evaluator.environment.inventory
    with suppress(EnsembleError, KeyError):
        if inventory is not None:
            yield from inventory().value(_host(task), "group_names")
    around = {one.name for one in _with_hosts(task)}
    yield from (group.name for group, members in all_groups(evaluator.topology) if around & members)


def _metadata(task: JobTask, key: str) -> Iterator[str]:
    """What the metadata of its node template has by a key, or of the nearest host that has it."""
    found = (one.metadata[key] for one in _with_hosts(task) if key in one.metadata)
    return (str(value) for value in islice(found, 1))


def _with_hosts(task: JobTask) -> Iterator[NodeTemplate]:
    """Its node template, and those that it is hosted on, the nearest first."""
    evaluator, instance, seen = task.scope.evaluator, task.instance, {task.instance.name}
    yield task.template
    while instance.host and instance.host not in seen:
        seen.add(instance.host)
        host = evaluator.instances.get(instance.host)
        template = evaluator.topology.node_templates.get(host.template) if host is not None else None
        if host is None or template is None:
            return
        yield template
        instance = host


#: By what rules match: what it is called.
_NAMES: Mapping[str, Callable[[JobTask], Iterable[str]]] = {
    "instance": lambda task: [task.instance.name],
    "template": lambda task: [task.template.name],
    "type": lambda task: [task.template.type.name],
    "host": lambda task: [_host(task)],
    "group": _groups,
}


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
