"""The configurators by name: our own, and those that other packages register."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.dependencies import find_dependencies
from ansible_ensemble.configurators.implementation import MODULE, Resolved, no_role, resolve
from ansible_ensemble.configurators.keywords import check_keywords
from ansible_ensemble.configurators.locations import collection_folders, find_role, is_fqcn
from ansible_ensemble.configurators.module_names import PLUGINS, module_fault, plugin_fault, role_fault
from ansible_ensemble.configurators.protocol import Configurator
from ansible_ensemble.configurators.result_names import result_faults
from ansible_ensemble.core.errors import InvalidInput, Place, each, raise_all
from ansible_ensemble.language.entities import Operation, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.tools import comes, operations_of, tool_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Entry point group of configurators from other packages: a callable that takes the target.
GROUP = "ansible_ensemble.configurators"

#: Configurators by name, each with its module and class: only those that a topology uses are imported.
_OWN = {
    "command": ("command", "CommandConfigurator"),
    "script": ("command", "ScriptConfigurator"),
    "module": ("module", "ModuleConfigurator"),
    "tasks": ("play", "PlayConfigurator"),
    "role": ("play", "PlayConfigurator"),
    "playbook": ("play", "PlayConfigurator"),
    "template": ("template", "TemplateConfigurator"),
    "python": ("python", "PythonConfigurator"),
    "helm": ("helm", "HelmConfigurator"),
    "helm-repository": ("helm_repository", "HelmRepositoryConfigurator"),
    "terraform": ("terraform", "TerraformConfigurator"),
    "delegate": ("template", "DelegateConfigurator"),
    "machine": ("machine", "MachineConfigurator"),
    "kubernetes": ("kubernetes", "KubernetesConfigurator"),
    "installer": ("installer", "InstallerConfigurator"),
    "external-job": ("external_job", "ExternalJobConfigurator"),
}
PLAYS = ("tasks", "role", "playbook")


def configurator_for(operation: Operation, root: Path, tools: Collection[str] = ()) -> Configurator:
    """The configurator that executes an operation; `tools` are installed before, Ansible collections among them."""
    resolved = resolve(operation, root)
    configurator = make(resolved, operation)
    if isinstance(configurator, BaseConfigurator):  # one of another package may act on any key
        check_keywords(operation, resolved.configurator, configurator.keys)
    _check_plugins(operation, root)
    find_dependencies(operation, root)
    if resolved.configurator == "role" and is_fqcn(resolved.target):
        if fault := role_fault(resolved.target, collection_folders(root), tools):
            raise InvalidInput(f"{operation.title}: {fault[0]}", operation.place, fault[1])
        if not comes(resolved.target, tools) and find_role(resolved.target, operation, root) is None:
            raise no_role(resolved.target, operation, root)
    if resolved.configurator in PLAYS:
        from ansible_ensemble.configurators.play_files import check_filters, play_texts
        from ansible_ensemble.configurators.task_files import play_faults

        check_filters(play_texts(operation, resolved.target), operation.place)
        raise_all(play_faults(resolved.configurator, resolved.target, operation, root, tools))
    if resolved.configurator == MODULE:
        fault = _module_fault(resolved.target, root, frozenset(tools))
        if fault is not None:
            raise InvalidInput(f"{operation.title}: {fault[0]}", operation.place, fault[1])
    return configurator


def _check_plugins(operation: Operation, root: Path) -> None:
    """Refuse keywords that name a plugin which is not there."""
    settings = operation.implementation.settings if operation.implementation is not None else {}
    bases = [base for base in (operation.base, root) if base is not None]
    for keyword, kind in PLUGINS.items():
        name = settings.get(keyword)
        if isinstance(name, str) and name and not is_computed(name):
            fault = plugin_fault(kind, name, root, [base / f"{kind}_plugins" for base in bases])
            if fault is not None:
                raise InvalidInput(f"{operation.title}: {fault[0]}", operation.place, fault[1])


@lru_cache(maxsize=1024)
def _module_fault(name: str, root: Path, tools: frozenset[str]) -> tuple[str, str | None] | None:
    return module_fault(name, collection_folders(root), tools)


def find_faults(topology: Topology, root: Path) -> Iterator[InvalidInput]:
    """What is wrong with the implementations of a topology's operations: each that a job could never execute.

    What is kept of templates that left the specification has no place in it, and is not looked at, nor is what others
    stand for. What is wrong with several operations that are made of the same words is wrong once.
    """
    seen: set[int] = set()
    causes: set[tuple[Place | None, str]] = set()
    tools = tool_names(topology)
    written = [
        template
        for template in topology.node_templates.values()
        if template.place is not None and not STAND_FOR_OTHERS.intersection(template.directives)
    ]
    for operation in operations_of(topology, written):
        if operation.implementation is None or id(operation) in seen:
            continue
        seen.add(id(operation))
        try:
            configurator_for(operation, root, tools)
        except InvalidInput as found:
            for error in each(found):
                cause = error.place, error.message.replace(operation.full_name, "")
                if cause not in causes:
                    causes.add(cause)
                    yield error
    yield from result_faults(topology, root)


def make(resolved: Resolved, operation: Operation) -> Configurator:
    """Make a configurator of a name."""
    name = resolved.configurator
    if name in _OWN:
        module, of_class = _OWN[name]
        factory = getattr(import_module(f"{__package__}.{module}"), of_class)
        own: Configurator = factory(name, resolved.subject) if name in PLAYS else factory(resolved.subject)
        return own
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        return _load(point, operation)(resolved.subject)
    known = sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})
    raise InvalidInput(f'there is no configurator "{name}"', operation.place, f"there are {', '.join(known)}")


def _load(point: EntryPoint, operation: Operation) -> Callable[[str], Configurator]:
    try:
        registered: Callable[[str], Configurator] = point.load()
    except Exception as error:  # code of another package: anything may come of its import
        raise InvalidInput(
            f'the configurator "{point.name}" ({point.value}) cannot be loaded: {error}', operation.place
        ) from error
    return registered
