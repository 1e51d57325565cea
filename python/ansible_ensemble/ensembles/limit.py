"""What the limit of a job matches: instances of an ensemble, and hosts and groups of the inventory."""

from __future__ import annotations

from collections.abc import Collection

from ansible_ensemble.core.orders import Host
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import HostFinder, all_groups, group_name, groups_of
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.lanes.host_patterns import host_matches
from ansible_ensemble.planning.context import PlannedInstance
from ansible_ensemble.views.evaluation_environment import Inventory


def matches(
    ensemble: Ensemble, pattern: str, members: Collection[PlannedInstance]
) -> list[tuple[str, Collection[str]]]:
    """The terms of a pattern, each with the hosts and instances that it matches."""
    names = [member.name for member in members]
    inventory = _inventory(ensemble)
    if inventory is None:
        return host_matches(pattern, names, _groups(ensemble, members))
    return inventory.matches(pattern, names, _groups(ensemble, members))


def host_of(ensemble: Ensemble, member: PlannedInstance) -> str:
    """The name of the host that the operations of an instance run on that nothing hosts."""
    return _finder(ensemble).name_of_machine(member.instance or Instance(member.name, member.template.name))


def has_host(ensemble: Ensemble, name: str) -> bool:
    """Whether a host of the inventory, which may be the controller, is there; it is if there is no inventory to ask."""
    inventory = _inventory(ensemble)
    return inventory is None or name == Host().name or name in inventory.hosts


def missing_host(ensemble: Ensemble, member: PlannedInstance) -> str | None:
    """The host of the inventory that an instance is on, if the inventory does not have it; None if there is none."""
    finder, instance = _finder(ensemble), member.instance
    if instance is None or _inventory(ensemble) is None or finder.machine(instance) is not None:
        return None
    return finder.name_of_machine(instance)


def _finder(ensemble: Ensemble) -> HostFinder:
    inventory = _inventory(ensemble)
    hosts = frozenset(inventory.hosts if inventory is not None else ())
    return HostFinder(ensemble.evaluator, ensemble.instances, hosts)


def _inventory(ensemble: Ensemble) -> Inventory | None:
    source = ensemble.evaluator.environment.inventory
    return source() if source is not None else None


def _groups(ensemble: Ensemble, members: Collection[PlannedInstance]) -> dict[str, list[str]]:
    """The groups that instances are in by what they are, and those of the topology, by their names for Ansible."""
    groups: dict[str, list[str]] = {}
    for member in members:
        for names in groups_of(member.template, member.instance, ensemble.topology).values():
            for name in names:
                groups.setdefault(name, []).append(member.name)
    for group, templates in all_groups(ensemble.topology):
        inside = [member.name for member in members if member.template.name in templates]
        groups.setdefault(group_name(group.name), []).extend(inside)
    return groups
