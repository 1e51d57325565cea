"""Where an operation runs (TOSCA `operation_host`, HostedOn, the inventory), and groups of the inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import CONTROLLER, Host
from ansible_ensemble.core.sensitive import redact, reveal
from ansible_ensemble.expressions.connections import Connections
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.language.entities import Assignment, Group, NodeTemplate, Operation, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.topology.host_copies import copy_for_hosts, host_that_has_to_be, inventory_names, written_name
from ansible_ensemble.views.data import plain
from ansible_ensemble.views.evaluation_environment import Inventory

_CONNECTION = "unfurl.relationships.ConnectsTo.Ansible"
_LOCAL = CONTROLLER | {"ORCHESTRATOR"}
_ENDS = frozenset({"SELF", "HOST", "SOURCE", "TARGET"})
#: Endpoint properties -> host variables.
_ENDPOINT = {"connection": "ansible_connection", "port": "ansible_port", "user": "ansible_user", "host": "ansible_host"}


def known_attribute(scope: Scope, name: str) -> Any:
    """An attribute's value; None where there is no such attribute, or it is not known yet."""
    try:
        return scope.attribute(name)
    except EnsembleError:
        return None


def copy_for_inventory(
    topology: Topology, inventory: Callable[[], Inventory] | None
) -> tuple[list[str], list[InvalidInput]]:
    """Put copies in place of node templates with hosts, by what the inventory says.

    Returns:
        What is to be known of patterns that mean no host, or whose hosts are not known; and what is wrong with those
        that name what the inventory does not have.
    """
    notices: dict[str, None] = {}
    faults: list[InvalidInput] = []
    places = {one.value: one.place for one in _patterns(topology)}

    def find(pattern: str) -> Sequence[str] | None:
        try:
            known = inventory() if inventory is not None else None
        except EnsembleError as error:
            notices[f"the hosts of {pattern} are not known: {error}"] = None
            return None
        fault = known.unknown(pattern) if known is not None else None
        if fault is not None:
            fault.place = places.get(pattern)
            faults.append(fault)
            return None
        found = known.matching(pattern) if known is not None else None
        if found is not None and not found:
            notices[f"no host of the inventory is one of {pattern} (-i names the inventory)"] = None
        return found

    copy_for_hosts(topology, find)
    left = [name for name, hosts in topology.hosts.items() if hosts is None]
    without = [name for name, hosts in topology.hosts.items() if hosts == []]
    texts = [*notices, *([f"left alone, as their hosts are unknown: {', '.join(left)}"] if left else [])]
    texts += [f"without instances, as they have no hosts: {', '.join(without)}"] if without else []
    return texts, faults


def _patterns(topology: Topology) -> Iterator[Assignment]:
    """Where patterns of hosts are written."""
    assigned = (node.properties.get("hosts") for node in topology.node_templates.values())
    return (one for one in assigned if one is not None and isinstance(one.value, str))


def is_place_of_its_own(keyword: str, topology: Topology, instances: Instances) -> bool:
    """Whether an `operation_host` means something else than a host of the inventory, or is not known yet."""
    if keyword in _LOCAL or keyword in _ENDS or is_computed(keyword):
        return True
    return instances.get(keyword) is not None or keyword in topology.node_templates


class HostFinder:
    """Finds the host of an operation.

    Args:
        inventory: names of the hosts that the Ansible inventory knows.
    """

    def __init__(self, evaluator: Evaluator, instances: Instances, inventory: Set[str]) -> None:
        self._evaluator = evaluator
        self._instances = instances
        self._inventory = inventory
        self._groups = list(inventory_groups(evaluator.topology))

    def find(
        self, keyword: str, instance: Instance, relationship: RelationshipInstance | None, operation: Operation | None
    ) -> Host:
        """The host that an `operation_host` means.

        SELF and HOST are the machine that the instance is hosted on; an instance that is hosted on nothing is looked
        at from the controller, as is ORCHESTRATOR. SOURCE and TARGET are the machines of the relationship's ends.
        Other names are instances, or hosts of the inventory.
        """
        at: Instance | None = instance
        if keyword in _LOCAL:
            return Host()
        if keyword == "TARGET" and relationship is not None:
            at, keyword = self._target(relationship.target), relationship.target
        elif keyword not in _ENDS:
            at = self._instances.get(keyword)
        elif keyword != "SELF" and not instance.host:
            return Host()
        if at is None and keyword in self._inventory:
            return Host(keyword)
        host = self.machine(at) if at is not None else None
        if host is not None:
            return host
        name, more = (keyword, ", and no instance") if at is None else (self.name_of_machine(at), "")
        raise self._absent(f'its host "{name}" is no host of the inventory{more}', instance, operation)

    def _target(self, name: str) -> Instance | None:
        """The target of a relationship, as it will be if no operation has made it yet."""
        known = self._instances.get(name)
        template = self._evaluator.topology.node_templates.get(name) if known is None else None
        if template is None or name in self._inventory:
            return known
        host = next((one.target.name for one in template.requirements if one.is_hosted_on), None)
        return Instance(name, template.name, host=host)

    def _absent(self, text: str, instance: Instance, operation: Operation | None) -> InvalidInput:
        hint = "-i names the inventory"
        if self._instances.get(instance.name) is not None:
            remedy = f"`ansible-ensemble forget {instance.name}` takes this off the status"
            hint += f"; if the host is gone for good, {remedy}"
        return InvalidInput(text, operation.place if operation else None, hint)

    def machine(self, instance: Instance) -> Host | None:
        """The host of the outermost instance that this one is hosted on, or of itself.

        Without an address it is the controller. None for one of the inventory, which does not have it: what was meant
        for that host has no business on the controller.
        """
        return self._host_of(self.outermost(instance))

    def name_of_machine(self, instance: Instance) -> str:
        """The name of that host, whether or not it is there."""
        host, outermost = self.machine(instance), self.outermost(instance)
        return host.name if host is not None else self.has_to_be(outermost) or outermost.name

    def outermost(self, instance: Instance) -> Instance:
        """The outermost instance that this one is hosted on, or itself."""
        seen: set[str] = set()
        current = instance
        while current.host and current.host not in seen:
            seen.add(current.host)
            host = self._instances.get(current.host)
            if host is None:
                break
            current = host
        return current

    def newly_found(self, keyword: str, instance: Instance) -> dict[str, Any] | None:
        """What is to be recorded of the machine of an instance: the host of the inventory that it is, unless known."""
        outermost = self.outermost(instance)
        if keyword not in ("SELF", "HOST") or (outermost is instance and keyword == "HOST"):
            return None
        found = self._in_inventory(outermost)
        if found in (None, outermost.inventory_host):
            return None
        return {"name": outermost.name, "inventoryHost": found}

    def _in_inventory(self, instance: Instance) -> str | None:
        topology = self._evaluator.topology
        names = inventory_names(topology, topology.node_templates.get(instance.template), instance.name)
        return next((name for name in names if name in self._inventory), None)

    def has_to_be(self, instance: Instance) -> str | None:
        """The host of the inventory that a machine has to be; None if it may be the controller."""
        if instance.inventory_host is not None:
            return instance.inventory_host
        if instance.host and self._instances.get(instance.host) is None:
            return instance.host  # nobody knows what that was
        topology = self._evaluator.topology
        template = topology.node_templates.get(instance.template)
        return host_that_has_to_be(topology, template, instance.name) if template is not None else None

    def _host_of(self, instance: Instance) -> Host | None:
        inside = [group for group, members in self._groups if instance.template in members]
        shared: dict[str, Any] = {}
        for group in inside:
            shared |= group_variables(group, self._evaluator)  # a later one wins
        names = tuple(group_name(group.name) for group in inside)
        if (found := self._in_inventory(instance)) is not None:
            return Host(found, shared, names)
        variables = self._connection(instance)
        address = variables.get("ansible_host")
        if (address is None or (address in _LOCAL and "ansible_port" not in variables)) and (
            variables.get("ansible_connection") in (None, "local")
        ):
            if (self.has_to_be(instance) or Host().name) not in CONTROLLER:
                return None
            variables.pop("ansible_host", None)
            return Host(variables={**shared, **variables}, groups=names)
        return Host(instance.name, {**shared, **variables}, names)

    def may_have_address(self, instance: Instance) -> bool:
        """Whether a machine has an address of its own, or may get one from other instances."""
        template = self._evaluator.topology.node_templates[instance.template]
        endpoint = template.capabilities.get("endpoint")
        given = endpoint.properties.values() if endpoint is not None else ()
        if any(one.value is not None and not one.is_default for one in given):
            return True
        return bool(self._connection(instance))

    def _connection(self, instance: Instance) -> dict[str, Any]:
        """Connection variables from the machine's addresses and its endpoint capability."""
        variables: dict[str, Any] = {}
        scope = self._evaluator.scope(instance)
        for name in ("private_ip", "public_ip", "private_address", "public_address"):
            address = known_attribute(scope, name)
            if address:
                variables["ansible_host"] = str(reveal(address))
        template = self._evaluator.topology.node_templates.get(instance.template)
        endpoint = template.capabilities.get("endpoint") if template else None
        if endpoint is not None:
            for name, assignment in endpoint.properties.items():
                if name in _ENDPOINT and assignment.value is not None and not assignment.is_default:
                    variables[_ENDPOINT[name]] = reveal(scope.evaluate(assignment.value, assignment.place))
                elif name == "hostvars":
                    variables.update(reveal(scope.evaluate(assignment.value, assignment.place)) or {})
        return {**variables, **_by_connection(scope)}


def _by_connection(scope: Scope) -> dict[str, Any]:
    """Host variables of the nearest connection that is for Ansible: its `hostvars`, and its credential."""
    context = scope.context()
    view = Connections(context).get(_CONNECTION)
    if view is None:
        return {}
    given = {name: reveal(plain(view.lookup(name, context.tracker))) for name in ("credential", "hostvars")}
    found: dict[str, Any] = {}
    if isinstance(credential := given["credential"], dict):
        found |= {"ansible_user": credential["user"]} if credential.get("user") else {}
        if credential.get("token"):
            found[f"ansible_{credential.get('token_type') or 'password'}"] = credential["token"]
        found |= credential.get("keys") or {}
    return found | (given["hostvars"] if isinstance(given["hostvars"], dict) else {})


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
    """The variables that a group gives its hosts."""
    assignment = group.properties.get("hostvars")
    if assignment is None:
        return {}
    value = evaluator.scope().evaluate(assignment.value, assignment.place)
    variables = reveal(value) or {}
    if not isinstance(variables, dict):
        text = f"the hostvars of group '{group.name}' must be a map, not {redact(value)!r}"
        raise InvalidInput(text, assignment.place)
    return {str(name): item for name, item in variables.items()}
