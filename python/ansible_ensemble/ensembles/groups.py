"""Groups of a topology that are groups of Ansible's inventory, with their variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import redact, reveal
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.language.entities import Group, NodeTemplate, Topology
from ansible_ensemble.topology.host_copies import written_name

_TYPE = "unfurl.groups.AnsibleInventoryGroup"


def inventory_groups(topology: Topology) -> Iterator[tuple[Group, set[str]]]:
    """The groups that are meant for Ansible, each with the node templates in it and in its groups."""
    return ((group, members) for group, members in all_groups(topology) if group.type.is_a(_TYPE))


def all_groups(topology: Topology) -> Iterator[tuple[Group, set[str]]]:
    """The groups, each with the node templates in it and in its groups."""
    return ((group, _members(group, topology)) for group in topology.groups.values())


def group_hosts(topology: Topology, instances: Iterable[Instance]) -> dict[str, list[str]]:
    """The groups by their names as groups of Ansible, with their members: instances, and those that are yet to be.

    Groups whose names are one for Ansible are one group.
    """
    found: dict[str, dict[str, None]] = {}
    for group, members in inventory_groups(topology):
        made = [instance.name for instance in instances if instance.template in members]
        found.setdefault(group_name(group.name), {}).update(dict.fromkeys([*made, *sorted(members)]))
    return {name: list(members) for name, members in found.items()}


def groups_of(template: NodeTemplate, instance: Instance | None, topology: Topology) -> dict[str, list[str]]:
    """The names of the groups that an instance is in by its template, type, status and node state, by which it is.

    One for a host is in the group of the node template as it is written, too.
    """
    written = written_name(topology, template.name)
    found = {
        "template": [f"template_{name}" for name in dict.fromkeys((template.name, written))],
        "type": [f"type_{ancestor.name}" for ancestor in template.type.lineage()],
        "status": [f"status_{instance.status.value}"] if instance is not None else [],
        "state": [f"state_{instance.state.value}"] if instance is not None and instance.state else [],
    }
    return {kind: [group_name(name) for name in names] for kind, names in found.items()}


def group_name(text: str) -> str:
    """A text as the name of a group."""
    return "".join(c if c.isalnum() else "_" for c in text)


def _members(group: Group, topology: Topology) -> set[str]:
    found: set[str] = set()
    seen, left = {group.name}, list(group.members)
    while left:
        name = left.pop()
        inner = topology.groups.get(name)
        if inner is None or name in topology.node_templates:
            found.add(name)
        elif name not in seen:
            seen.add(name)
            left += inner.members
    return found


def group_variables(group: Group, evaluator: Evaluator) -> dict[str, Any]:
    """The variables that a group gives its hosts.

    Raises:
        InvalidInput: they are not a map.
    """
    assignment = group.properties.get("hostvars")
    if assignment is None:
        return {}
    value = evaluator.scope().evaluate(assignment.value, assignment.place)
    variables = reveal(value) or {}
    if not isinstance(variables, dict):
        text = f"the hostvars of group '{group.name}' must be a map, not {redact(value)!r}"
        raise InvalidInput(text, assignment.place)
    return {str(name): item for name, item in variables.items()}
