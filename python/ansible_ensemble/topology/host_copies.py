"""Node templates with `hosts`: one template for each host, `site@web1`, and for what is hosted on it the same.

Hosts of a group with `serial` take turns: what is on it comes up on some of them after all of it is up on those before.
What is to `run_once` is on the first host only, of each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.language.entities import Interface, NodeTemplate, Relationship, Topology
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.topology.building import static_value

_REQUIREMENT = "dependency"
_DEPENDS_ON = "tosca.relationships.DependsOn"


class Turns(Struct, frozen=True):
    """The turns of the hosts of a group.

    Attributes:
        group: the node template of the group.
        batches: the hosts of each turn.
    """

    group: str
    batches: Sequence[Sequence[str]]
    place: Place | None = None

    def batch_of(self, host: str) -> Sequence[str]:
        """The hosts that have their turn together with one."""
        return next((batch for batch in self.batches if host in batch), ())


def turns_of(group: str, hosts: Sequence[str], serial: Any, place: Place | None) -> Turns:
    """The turns that hosts take by `serial`: a number, a percentage, or a list of these, the last of which repeats."""
    sizes = [_size(one, len(hosts)) for one in (serial if isinstance(serial, list) else [serial])]
    if not sizes or None in sizes:
        message = f"the serial of '{group}' is {serial!r}"
        raise InvalidInput(message, place, "write how many hosts, as 2 or 30%, or a list of that")
    batches, left = list[Sequence[str]](), list(hosts)
    while left:
        size = (sizes.pop(0) if len(sizes) > 1 else sizes[0]) or len(left)
        batches.append(left[:size])
        left = left[size:]
    return Turns(group, batches, place)


def _size(written: Any, count: int) -> int | None:
    """How many of so many hosts are meant, 0 for all; None if that is no number."""
    text = str(written).strip()
    if isinstance(written, bool) or not text.removesuffix("%").lstrip("-").isdecimal():
        return None
    if text.endswith("%"):
        return max(int(int(text[:-1]) / 100 * count), 1)
    return max(int(text), 0)


def add_order(
    topology: Topology,
    turns: Mapping[str, Turns],
    needs: Mapping[str, set[str]],
    copies: Mapping[str, Mapping[str, NodeTemplate]],
) -> None:
    """Have what comes first in a turn require what comes last in the turn before.

    `needs` are the names of what node templates required before they were copied for their hosts.
    """
    for one in {one.group: one for one in turns.values()}.values():
        members = [name for name, other in turns.items() if other.group == one.group and name != one.group]
        _check_between(one, members, needs, topology)
        needed = {name for member in members for name in needs[member]}
        firsts = [name for name in members if not needs[name] & {*members}]
        lasts = [name for name in members if name not in needed]
        for before, batch in zip(one.batches, one.batches[1:], strict=False):
            for source in _on(firsts, batch, copies):
                for target in _on(lasts, before, copies):
                    _require(source, target, topology)


def needs_of(node: NodeTemplate) -> set[str]:
    """The names of the node templates that one requires without being hosted on them."""
    return {link.target.name for link in node.requirements if not link.is_hosted_on}


def _check_between(turns: Turns, members: Sequence[str], needs: Mapping[str, set[str]], topology: Topology) -> None:
    """Refuse what is not on the group, requires something on it, and is required by something on it."""
    dependents: dict[str, set[str]] = {}
    for name, targets in needs.items():
        for target in targets:
            dependents.setdefault(target, set()).add(name)
    between = (_reached(members, needs) & _reached(members, dependents)) - {*members}
    if between:
        name = min(between)
        message = f"'{name}' comes between what hosts of '{turns.group}' do in turns"
        node = topology.node_templates.get(name)
        raise InvalidInput(message, node.place if node else turns.place, f"write host: {turns.group}, or remove serial")


def _reached(start: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    found, left = set[str](), list(start)
    while left:
        for name in edges.get(left.pop(), ()):
            if name not in found:
                found.add(name)
                left.append(name)
    return found


def _on(
    names: Iterable[str], hosts: Sequence[str], copies: Mapping[str, Mapping[str, NodeTemplate]]
) -> list[NodeTemplate]:
    return [copies[name][host] for name in names for host in hosts if host in copies.get(name, {})]


def _require(source: NodeTemplate, target: NodeTemplate, topology: Topology) -> None:
    kind = topology.seen_types("relationship")[_DEPENDS_ON]
    index = max((one.index for one in source.requirements), default=-1) + 1
    made = Relationship(_REQUIREMENT, kind, place=target.place, index=index, source=source, target=target)
    made.interfaces = kind.interfaces
    source.requirements.append(made)


#: The property that says on which hosts.
_HOSTS = "hosts"
#: The property of a group that says how many hosts are in a turn.
_SERIAL = "serial"
#: The property of a resource that is on one host of all.
_ONCE = "run_once"
#: The property of a resource that names its host.
HOST_PROPERTY = "inventory_host"
#: Types that have `hosts`.
_TYPES = ("ansible.Root", "ansible.Group")
#: The type of what is a host of the inventory.
INVENTORY_HOST = "ansible.Host"
#: The directive of a node template whose hosts are not known.
_UNKNOWN = "virtual"
#: Stands between the name of a node template and that of its host.
_SIGN = "@"
#: So many requirements a node template may have before the numbers of those that are added meet them.
_MANY = 1000

#: The hosts that a pattern of Ansible's means, in the inventory's order; none or None if that is not known.
FindHosts = Callable[[str], Sequence[str] | None]


def host_of(instance: str) -> str:
    """The host in the name of an instance; empty if it has none."""
    return instance.rpartition(_SIGN)[2] if _SIGN in instance else ""


def written_name(topology: Topology, name: str) -> str:
    """The name of a node template, or of an instance of it, as it is written: without the host that it is for."""
    written = name.rpartition(_SIGN)[0]
    return written if written in topology.hosts else name


def is_of_unknown_hosts(topology: Topology, instance: str) -> bool:
    """Whether an instance is one for a host of a node template whose hosts are not known: then there are no copies."""
    return topology.hosts.get(instance.rpartition(_SIGN)[0], ()) is None


def inventory_names(topology: Topology, template: NodeTemplate | None, instance: str) -> Iterator[str]:
    """The names that the host of an instance that nothing hosts may have in the inventory, the likeliest first."""
    yield from (instance, host_of(instance))
    if template is not None and (name := named_host(topology, template)) is not None:
        yield name


def hosts_of(template: NodeTemplate) -> list[NodeTemplate]:
    """A node template, the one that it is hosted on, and so on."""
    found = [template]
    while (host := next((one.target for one in found[-1].requirements if one.is_hosted_on), None)) is not None:
        if host in found:
            break
        found.append(host)
    return found


def host_that_has_to_be(topology: Topology, template: NodeTemplate, instance: str) -> str | None:
    """The host of the inventory that an instance that nothing hosts is, or names; None if it may be elsewhere."""
    if template.type.is_a(INVENTORY_HOST):
        return host_of(instance) or instance
    return (may_name_host(template) and host_of(instance)) or named_host(topology, template)


def named_host(topology: Topology, template: NodeTemplate) -> str | None:
    """The host of the inventory that a resource names; None if it names none."""
    if HOST_PROPERTY not in template.properties or not may_name_host(template):
        return None
    name, _known = static_value(topology, template.properties[HOST_PROPERTY].value)
    return name if isinstance(name, str) else None


def may_name_host(template: NodeTemplate) -> bool:
    """Whether a node template is a resource, which may name its host."""
    return template.type.is_a(_TYPES[0])


def copy_for_hosts(topology: Topology, find_hosts: FindHosts) -> None:
    """Put copies in place of each node template that has hosts, itself or by what it is hosted on.

    Where the hosts of a pattern are not known, the node template is virtual: no job deploys it.
    """
    hosts, turns = _all_hosts(topology, find_hosts)
    topology.hosts |= hosts
    if not hosts:
        return
    _check_steps(topology, hosts)
    copies = {
        name: {host: _copy(topology.node_templates[name], host) for host in found}
        for name, found in hosts.items()
        if found is not None
    }
    _check_names(topology, copies)
    for name in hosts.keys() - copies.keys():
        node = topology.node_templates[name]
        node.directives = tuple(dict.fromkeys((*node.directives, _UNKNOWN)))
    templates = {
        made.name: made
        for name, node in topology.node_templates.items()
        for made in (copies[name].values() if name in copies else (node,))
    }
    needs = {name: needs_of(node) for name, node in topology.node_templates.items()}
    for node in templates.values():
        node.requirements = [one for link in node.requirements for one in _links(link, node, copies, turns)]
        node.incoming = []
    add_order(topology, turns, needs, copies)
    for node in templates.values():
        for link in node.requirements:
            link.target.incoming.append(link)
    topology.node_templates = templates
    for group in topology.groups.values():
        group.members = _named(group.members, copies)
    for policy in topology.policies.values():
        policy.targets = _named(policy.targets, copies)


def _all_hosts(topology: Topology, find_hosts: FindHosts) -> tuple[dict[str, Sequence[str] | None], dict[str, Turns]]:
    """The hosts of each node template that has some, None where they are not known; and the turns that these take."""
    found: dict[str, Sequence[str] | None] = {}
    turns: dict[str, Turns] = {}
    waiting = list(topology.node_templates.values())
    for node in waiting:
        if any(map(node.type.is_a, _TYPES)) and _HOSTS in node.properties:
            raw = node.properties[_HOSTS].value
            if raw is not None:
                value = static_value(topology, raw)
                hosts = _hosts(node, value, find_hosts)
                topology.listed |= {node.name} if isinstance(value[0], list) else set()
                serial = node.properties.get(_SERIAL) if node.type.is_a(_TYPES[1]) else None
                if hosts and serial is not None and serial.value is not None:
                    size, known = static_value(topology, serial.value)
                    turns[node.name] = turns_of(node.name, hosts, size if known else serial.value, serial.place)
                found[node.name] = _once(topology, node, hosts, None)
    while True:
        more = {
            node.name: link.target.name
            for node in waiting
            for link in node.requirements
            if link.is_hosted_on and link.target.name in found and node.name not in found
        }
        if not more:
            return found, turns
        turns |= {name: turns[target] for name, target in more.items() if target in turns}
        for name, target in more.items():
            found[name] = _once(topology, topology.node_templates[name], found[target], turns.get(name))


def _once(
    topology: Topology, node: NodeTemplate, hosts: Sequence[str] | None, turns: Turns | None
) -> Sequence[str] | None:
    """The hosts of a node template; if it is to run once, the first of them, of each turn."""
    given = node.properties.get(_ONCE) if node.type.is_a(_TYPES[0]) else None
    if not hosts or given is None or static_value(topology, given.value)[0] is not True:
        return hosts
    some = ([host for host in batch if host in hosts] for batch in (turns.batches if turns else [hosts]))
    return [batch[0] for batch in some if batch]


def _hosts(node: NodeTemplate, known: tuple[Any, bool], find_hosts: FindHosts) -> Sequence[str] | None:
    value, is_known = known
    if is_known and isinstance(value, str) and value.strip():
        try:
            return find_hosts(value) or None  # a forgotten inventory or a typo deletes nothing: only `[]` says no host
        except InvalidInput as error:
            error.place = error.place or node.properties[_HOSTS].place
            raise
    if is_known and isinstance(value, list) and all(isinstance(one, str) and one for one in value):
        return list(dict.fromkeys(value))
    message = f"the hosts of '{node.name}' are {kind_of(value)}"
    hint = "write a pattern of the inventory, or a list of names; they are known before anything runs"
    raise InvalidInput(message, node.properties[_HOSTS].place, hint)


def _check_steps(topology: Topology, hosts: Mapping[str, Any]) -> None:
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            if step.target in hosts:
                message = (
                    f"the step '{step.name}' has '{step.target}' as its target, which has an instance for each host"
                )
                raise InvalidInput(message, step.place, "put it into a group, and name the group")


def _check_names(topology: Topology, copies: Mapping[str, Mapping[str, NodeTemplate]]) -> None:
    others = topology.node_templates.keys() - copies.keys()
    for name, made in copies.items():
        for one in made.values():
            if one.name in others:
                message = f"the node template '{one.name}' has the name that '{name}' has on a host"
                raise InvalidInput(message, topology.node_templates[one.name].place, "give it another name")


def _copy(node: NodeTemplate, host: str) -> NodeTemplate:
    """The template of one host; its own operations run there."""
    properties = {name: value for name, value in node.properties.items() if name not in (_HOSTS, _SERIAL, _ONCE)}
    interfaces = node.interfaces
    if _HOSTS in node.properties:
        interfaces = {name: _on_host(interface, host) for name, interface in interfaces.items()}
    return replace(node, name=f"{node.name}{_SIGN}{host}", properties=properties, interfaces=interfaces)


def _on_host(interface: Interface, host: str) -> Interface:
    made = {}
    for name, one in interface.operations.items():
        implementation = one.implementation
        if implementation is not None and implementation.operation_host is None:
            implementation = replace(implementation, operation_host=host)
        made[name] = replace(one, implementation=implementation)
    return replace(interface, operations=made)


def _links(
    link: Relationship,
    source: NodeTemplate,
    copies: Mapping[str, Mapping[str, NodeTemplate]],
    turns: Mapping[str, Turns],
) -> Sequence[Any]:
    """The relationships of a node template that one of its requirements makes, to copies of its target, too."""
    if link.target.name not in copies:
        return [replace(link, source=source)]
    there = copies[link.target.name]
    if link.is_hosted_on:
        there = {host: one for host, one in there.items() if host == host_of(source.name)}
    elif (own := turns.get(link.source.name)) is not None and own == turns.get(link.target.name):
        there = {host: one for host, one in there.items() if host in own.batch_of(host_of(source.name))}
    return [
        replace(link, source=source, target=target, index=link.index + number * _MANY)
        for number, target in enumerate(there.values())
    ]


def _named(names: Sequence[str], copies: Mapping[str, Mapping[str, NodeTemplate]]) -> list[str]:
    made = ([one.name for one in copies[name].values()] if name in copies else [name] for name in names)
    return [name for some in made for name in some]
