"""Tell of hosts of operations that the inventory does not have, before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import ip_address

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place, raise_all
from ansible_ensemble.core.orders import CONTROLLER
from ansible_ensemble.engine.named import named_by, operation_of
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import HostFinder, is_place_of_its_own
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.topology.host_copies import INVENTORY_HOST, host_of, hosts_of, written_name
from ansible_ensemble.views.evaluation_environment import Inventory

#: Workflows that go on without a host: they take down what can be taken down, or tell that the host is gone.
_WITHOUT = frozenset({"undeploy", "stop", "check", "discover"})
#: Operations that may be of a host that is gone for good: only they fail then.
_TAKING_DOWN = frozenset({"delete", "stop"})


class NamedHost(Struct, frozen=True):
    """A host of the inventory as an operation names it.

    Attributes:
        place: where it is written.
        several: whether it may be a group or a pattern: validate takes what is in `hosts` for one host.
    """

    name: str
    place: Place | None
    several: bool = False


def check_inventory(ensemble: Ensemble, options: JobOptions) -> None:
    """Refuse an inventory that cannot be read, whether or not it is needed."""
    around = ensemble.evaluator.environment
    if (options.inventory or options.session is not None) and around.trusted and around.inventory is not None:
        around.inventory()


def check_hosts(ensemble: Ensemble, plan: Plan) -> None:
    """Refuse a plan that was made without all of the inventory, or for hosts that it does not have."""
    around = ensemble.evaluator.environment
    raise_all(around.unread)
    if plan.workflow in _WITHOUT or around.inventory is None or not around.trusted:
        return
    faults = list(ensemble.unknown_hosts)
    named = list(named_hosts(ensemble, plan.operations))
    if named:
        faults += unknown_hosts(named, around.inventory())
    raise_all(faults)
    delegates = dict(_delegates(ensemble, plan.operations))
    if delegates:
        plan.warnings += map(str, _unknown_delegates(delegates, around.inventory()))


def _delegates(ensemble: Ensemble, operations: Iterable[PlannedOperation]) -> Iterator[tuple[str, Place | None]]:
    """The hosts that operations, or the tasks of their plays, are delegated to by name, and where."""
    for one in operations:
        operation = operation_of(one, ensemble.topology)
        if operation is not None and operation.implementation is not None:
            host = operation.implementation.settings.get("delegate_to")
            if isinstance(host, str) and not is_computed(host):
                yield host, operation.place
            named = named_by(operation, ensemble.root)
            yield from named.hosts if named is not None else ()


def _unknown_delegates(delegates: Mapping[str, Place | None], inventory: Inventory) -> Iterator[InvalidInput]:
    """Those that the inventory does not have: Ansible takes them, so that they are no faults."""
    for host, place in delegates.items():
        fault = inventory.unknown(host) if not _is_address(host) else None
        if fault is not None:
            text = f"delegate_to names {host}, which is no host of the inventory: Ansible connects to it by that name"
            yield InvalidInput(text, place, fault.hint)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def named_hosts(ensemble: Ensemble, operations: Collection[PlannedOperation]) -> Iterator[NamedHost]:
    """The hosts of the inventory that operations name, each once."""
    topology, found = ensemble.topology, set[str]()
    machines = _machines(ensemble) if operations else {}
    for one in operations:
        if not one.implementation or one.operation in _TAKING_DOWN:
            continue
        host = one.host
        if not is_place_of_its_own(host, topology, ensemble.instances):
            place = _place(topology, one)
        elif machines and host not in CONTROLLER:
            template = topology.node_templates.get(host) or topology.node_templates.get(one.template)
            outermost = hosts_of(template)[-1] if template is not None else None
            if outermost is None or outermost.name not in machines:
                continue
            host, place = machines[outermost.name], outermost.place
        else:
            continue
        if host not in found:
            found.add(host)
            yield NamedHost(host, place, _is_of_pattern(topology, one.template, host))


def _is_of_pattern(topology: Topology, name: str, host: str) -> bool:
    """Whether a node template is for what a pattern means: of a list, each name is that of one host."""
    template = topology.node_templates.get(name)
    around = [one.name for one in hosts_of(template)] if template is not None else [name]
    return host_of(name) == host and topology.listed.isdisjoint(written_name(topology, one) for one in around)


def _machines(ensemble: Ensemble) -> dict[str, str]:
    """The node templates that have to be hosts of the inventory, with these hosts."""
    finder = HostFinder(ensemble.evaluator, ensemble.instances, frozenset())
    templates, instances = ensemble.topology.node_templates, ensemble.instances.by_name
    types = {one.type.name: one.type for one in templates.values()}
    hosts = {name for name, type_ in types.items() if type_.is_a(INVENTORY_HOST)}
    found = {}
    for name, template in templates.items():
        known = instances.get(name)
        if template.type.name in hosts or (known is not None and known.inventory_host is not None):
            machine = known or Instance(name, name)
            host = finder.has_to_be(machine)
            if host is not None and not finder.may_have_address(machine):
                found[name] = host
    return found


def unknown_hosts(named: Iterable[NamedHost], inventory: Inventory) -> list[InvalidInput]:
    """What is wrong with names of hosts: one that means no host, or several where one is meant."""
    faults = []
    for host in named:
        fault = inventory.unknown(host.name)
        if fault is None and not host.several and host.name not in inventory.hosts:
            text = f'"{host.name}" is no host of the inventory, but a group or a pattern'
            fault = InvalidInput(text, hint=f"`hosts: {host.name}` has an instance on each of its hosts")
        if fault is not None:
            fault.place = host.place
            faults.append(fault)
    return faults


def _place(topology: Topology, planned: PlannedOperation) -> Place | None:
    template = topology.node_templates.get(planned.template)
    if template is None:
        return None
    if "inventory_host" in template.properties:
        return template.properties["inventory_host"].place or template.place
    operation = operation_of(planned, topology)
    return template.place if "@" in template.name or operation is None else operation.place or template.place
