"""The configurators by name: our own, and those that other packages register."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from ansible_ensemble.configurators.command import CommandConfigurator, ScriptConfigurator
from ansible_ensemble.configurators.implementation import MODULE, Resolved, collection_folders, resolve
from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.module_names import module_fault
from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.configurators.protocol import Configurator
from ansible_ensemble.configurators.python import PythonConfigurator
from ansible_ensemble.configurators.template import DelegateConfigurator, TemplateConfigurator
from ansible_ensemble.configurators.terraform import TerraformConfigurator
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.topology.entities import Operation

#: Entry point group of configurators from other packages: a callable that takes the target.
GROUP = "ansible_ensemble.configurators"

_OWN: dict[str, Callable[[str], Configurator]] = {
    "command": CommandConfigurator,
    "script": ScriptConfigurator,
    "module": ModuleConfigurator,
    "tasks": lambda target: PlayConfigurator("tasks", target),
    "role": lambda target: PlayConfigurator("role", target),
    "playbook": lambda target: PlayConfigurator("playbook", target),
    "template": lambda _: TemplateConfigurator(),
    "python": PythonConfigurator,
    "terraform": TerraformConfigurator,
    "delegate": lambda _: DelegateConfigurator(),
}


def configurator_for(operation: Operation, root: Path) -> Configurator:
    """The configurator that carries out an operation.

    Raises:
        InvalidInput: there is none of the name asked for, or no such module.
    """
    resolved = resolve(operation, root)
    if resolved.configurator == MODULE:
        fault = _module_fault(resolved.target, root)
        if fault is not None:
            message, hint = fault
            raise InvalidInput(f"operation {operation.full_name}: {message}", operation.place, hint)
    return make(resolved, operation)


@lru_cache(maxsize=1024)
def _module_fault(name: str, root: Path) -> tuple[str, str | None] | None:
    return module_fault(name, list(collection_folders(root)))


def make(resolved: Resolved, operation: Operation) -> Configurator:
    """Make a configurator of a name."""
    factory = _OWN.get(resolved.configurator)
    if factory is not None:
        return factory(resolved.subject)
    for point in entry_points(group=GROUP, name=resolved.configurator):
        return _load(point, operation)(resolved.subject)
    known = sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})
    raise InvalidInput(
        f'there is no configurator "{resolved.configurator}"', operation.place, f"there are {', '.join(known)}"
    )


def _load(point: EntryPoint, operation: Operation) -> Callable[[str], Configurator]:
    try:
        registered: Callable[[str], Configurator] = point.load()
    except Exception as error:  # code of another package: anything may come of its import
        raise InvalidInput(
            f'the configurator "{point.name}" ({point.value}) cannot be loaded: {error}', operation.place
        ) from error
    return registered
