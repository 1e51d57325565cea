"""Variables of Ansible's inventory, as templates see them: by their names, and by `hostvars`.

They are those of the host of the inventory that the instance is, is hosted on, or names as `inventory_host`, else of
localhost.
The inventory is read when a template has a name that nothing else gives, and each variable is a read of its own,
`inventory::<host>::<name>`: change it, and what was made with it is out of date.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.topology.host_copies import inventory_names
from ansible_ensemble.views.evaluation_environment import Inventory

KIND = "inventory"
_LOCAL = "localhost"
_HOSTVARS = "hostvars"
#: A lookup that reads the variable `groups`.
_BY_GROUPS = "inventory_hostnames"


@lru_cache(maxsize=4096)
def free_names(environment: Any, text: str) -> frozenset[str]:
    """Names that a template needs and that Jinja does not give; none of a text that is not a template."""
    from jinja2 import TemplateError, meta

    try:
        names = meta.find_undeclared_variables(environment.parse(text)) - set(environment.globals)
        return frozenset(names | {"groups"} if _BY_GROUPS in text else names)
    except (TemplateError, EnsembleError):
        return frozenset()


def inventory_variables(
    names: Collection[str], context: Context, expose: Callable[[Any], Any], errors: list[EnsembleError]
) -> dict[str, Any]:
    """Those of the names that are variables of the inventory, with their values.

    Args:
        names: what a template needs and nothing else defines.
        context: of the expression.
        expose: makes of a value what templates see.
        errors: takes the errors that tests such as `is defined` would swallow.
    """
    inventory = find_inventory(context) if names else None
    if inventory is None:
        return {}
    here = HostMap(inventory, own_host(context, inventory.hosts), context, expose, errors)
    found: dict[str, Any] = {}
    for name in sorted(names):
        if name == _HOSTVARS:
            found[name] = HostsMap(inventory, context, expose, errors)
        elif name in here:
            found[name] = here[name]
        else:
            here.miss(name)
    return found


def read_variable(path: str, context: Context) -> Any:
    """The variable of a reference (`host::name`), taken down as read; null where there is none.

    One that only a play can evaluate, for it is made of facts or of what a task registers, is read as it is written.

    Raises:
        KeyError: there is no such host now.
    """
    host, _separator, name = path.partition("::")
    inventory = find_inventory(context)
    if inventory is None:
        raise KeyError(path)
    value = None
    if name in inventory.names(host):
        try:
            value = inventory.value(host, name)
        except InvalidInput:
            value = inventory.raw(host, name)
    return context.tracker.read(f"{KIND}::{path}", value)


def note_variables(names: Collection[str], host: str, context: Context) -> None:
    """Take down the variables of a host that something but an expression has read, and that there were none of a name.

    Of names that Ansible gives values while it runs, only those that are in the inventory count. A host that only the
    topology has sees what all hosts see.
    """
    inventory = find_inventory(context) if names else None
    if inventory is None:
        return
    host = host if host in inventory.hosts else _LOCAL
    known = inventory.names(host)
    for name in names:
        if name in known or not name.startswith("ansible_"):
            with suppress(EnsembleError):  # a template that fails here did not where it was read
                read_variable(f"{host}::{name}", context)


def undefined_variables(names: Collection[str], operation_host: str, context: Context) -> dict[str, str]:
    """Those of the names that are no variables of the host where an operation runs, each with that host.

    None if nobody knows its variables: it is not in the inventory.
    """
    inventory = find_inventory(context) if names else None
    if inventory is None:
        return {}
    hosts = inventory.hosts
    machine = operation_host if operation_host in hosts else own_host(context, hosts)
    instance = context.frame.instance
    is_hosted = instance is not None and any(instance.hosts())
    is_elsewhere = is_hosted and operation_host not in (_LOCAL, "ORCHESTRATOR")
    if machine == _LOCAL and machine != operation_host and is_elsewhere:
        return {}
    known = {name for host in (machine, own_host(context, hosts)) for name in inventory.names(host)}
    return {name: machine for name in names if name not in known}


def find_inventory(context: Context) -> Inventory | None:
    """The inventory, read now; None where there is none. An error that it may not be read names what needs it."""
    source = context.environment.inventory
    try:
        return source() if source is not None else None
    except InvalidInput as error:
        raise error if error.place is not None else InvalidInput(error.message, context.place, error.hint) from error


def own_host(context: Context, hosts: Collection[str]) -> str:
    """The host of the inventory that the instance of an expression is, or is hosted on; else localhost."""
    relationship = context.frame.relationship
    node = context.frame.instance or (relationship.source if relationship is not None else None)
    if node is None:
        return _LOCAL
    outermost = [node, *node.hosts()][-1]
    names = inventory_names(context.evaluator.topology, outermost.template, outermost.name)
    return next((name for name in names if name in hosts), _LOCAL)


class HostMap(Mapping[str, Any]):
    """The variables of a host; each is evaluated, and taken down as read, when it is asked for."""

    def __init__(
        self,
        inventory: Inventory,
        host: str,
        context: Context,
        expose: Callable[[Any], Any],
        errors: list[EnsembleError],
    ) -> None:
        self._inventory, self._host, self._context = inventory, host, context
        self._expose, self._errors = expose, errors

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._inventory.value(self._host, name)
        except EnsembleError as error:
            self._errors.append(error)
            raise
        return self._expose(self._context.tracker.read(f"{KIND}::{self._host}::{name}", value))

    def miss(self, name: str) -> None:
        """Take down that there is no variable of this name: a template with a default depends on that, too."""
        self._context.tracker.read(f"{KIND}::{self._host}::{name}", None)

    def __contains__(self, name: object) -> bool:
        return name in self._inventory.names(self._host)

    def __iter__(self) -> Iterator[str]:
        return iter(self._inventory.names(self._host))

    def __len__(self) -> int:
        return len(self._inventory.names(self._host))


class HostsMap(Mapping[str, Any]):
    """`hostvars`: the variables of each host, by its name."""

    def __init__(
        self, inventory: Inventory, context: Context, expose: Callable[[Any], Any], errors: list[EnsembleError]
    ) -> None:
        self._inventory, self._context, self._expose, self._errors = inventory, context, expose, errors

    def __getitem__(self, host: str) -> HostMap:
        if host not in self._inventory.hosts and host != _LOCAL:
            raise KeyError(host)
        return HostMap(self._inventory, host, self._context, self._expose, self._errors)

    def __iter__(self) -> Iterator[str]:
        return iter(self._inventory.hosts)

    def __len__(self) -> int:
        return len(self._inventory.hosts)
