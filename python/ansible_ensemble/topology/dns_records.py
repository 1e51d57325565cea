"""Records that relationships add to DNS zones: each such relationship has a node `dns.Record`, hosted on the zone.

So they are planned, compared with the zone and deleted as those of any other record are: `app-dns-records` for the
requirement `dns` of `app`. It goes along with `app`, and depends on it, as the records tell where that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Assignment, Entity, NodeTemplate, Relationship, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import ACCOMPANYING

ZONE = "dns.Zone"
RECORD = "dns.Record"
_RELATIONSHIP = "unfurl.relationships.DNSRecords"
_RELATED = {"host": "tosca.relationships.HostedOn", "dependency": "tosca.relationships.DependsOn"}
_RECORDS, _EXCLUSIVE, _KEEP = "records", "exclusive", "keep"


def add_dns_records(topology: Topology) -> None:
    """Add the nodes of relationships with records; zones that delete others' records keep those of their nodes."""
    for node in list(topology.node_templates.values()):
        links = [link for link in node.requirements if link.type.is_a(_RELATIONSHIP)]
        called = Counter(link.name for link in links)
        for link in links:
            _check(link, node, called[link.name])
            name = _name(link)
            if name in topology.node_templates:
                message = f"the node template '{name}' has the name of the records that '{node.name}' adds to a zone"
                raise InvalidInput(message, topology.node_templates[name].place, "give it another name")
            topology.node_templates[name] = _record(name, link, topology)
    for node in topology.node_templates.values():
        if node.type.is_a(ZONE):
            value, is_known = static_value(topology, node.properties[_EXCLUSIVE].value)
            if value is True or not is_known:
                _keep(node, topology)


def _name(link: Relationship) -> str:
    return f"{link.source.name}-{link.name}-records"


def _check(link: Relationship, source: NodeTemplate, number: int) -> None:
    what, place = f"the requirement '{link.name}' of '{source.name}'", link.place or source.place
    if not link.target.type.is_a(ZONE):
        raise InvalidInput(f"{what} adds DNS records to '{link.target.name}', which is no {ZONE}", place)
    if number > 1:
        raise InvalidInput(f"{what} adds DNS records twice", place, "give one of them another name")
    if source.count > 1:
        message = f"{what} adds DNS records, and '{source.name}' has {source.count} instances"
        raise InvalidInput(message, place, f"write a node of the type {RECORD} for all of them")


def _record(name: str, link: Relationship, topology: Topology) -> NodeTemplate:
    source, kind = link.source, topology.seen_types("node")[RECORD]
    made = NodeTemplate(name, kind, place=link.place, directives=(ACCOMPANYING,), namespace=source.namespace)
    given = link.properties.get(_RECORDS)
    path = f"::{source.name}::.requirements::[.name={link.name}]::{_RECORDS}"
    made.properties = {
        key: Assignment(definition.default, definition, definition.place, is_default=True)
        for key, definition in kind.properties.items()
        if definition.has_default
    }
    made.properties[_RECORDS] = Assignment(
        {"eval": path}, kind.properties[_RECORDS], given.place if given else link.place, given.base if given else None
    )
    made.interfaces = kind.interfaces
    for key, target in (("host", link.target), ("dependency", source)):
        related = topology.seen_types("relationship")[_RELATED[key]]
        one = Relationship(key, related, index=len(made.requirements), source=made, target=target)
        one.interfaces = related.interfaces
        made.requirements.append(one)
        target.incoming.append(one)
    return made


def _keep(zone: NodeTemplate, topology: Topology) -> None:
    """Have a zone that deletes others' records keep those of the nodes that it hosts."""
    names = {name for link in zone.incoming if link.is_hosted_on for name in _names(link.source, zone, topology)}
    given = zone.properties.get(_KEEP) or Assignment([], zone.type.properties[_KEEP])
    if isinstance(given.value, list) and (more := sorted(names.difference(given.value))):
        zone.properties[_KEEP] = replace(given, value=[*given.value, *more])


def _names(node: NodeTemplate, zone: NodeTemplate, topology: Topology) -> Collection[str]:
    """Names of the records of a node."""
    given = _written(node)
    if given is None:
        return []
    value, _other = static_value(topology, given.value)
    if not isinstance(value, Mapping) or is_computed(value):
        message = f"the zone '{zone.name}' is exclusive, and what it keeps of '{node.name}' is computed as a whole"
        raise InvalidInput(message, given.place or node.place, "write a map, each record of which may be computed")
    return ["" if name == "@" else str(name) for name in value]


def _written(node: NodeTemplate) -> Assignment | None:
    """Where the records of a node are written; those of a relationship stand there."""
    if not node.type.is_a(RECORD):
        return None
    owner: Entity = node
    if ACCOMPANYING in node.directives:
        source = node.requirements[-1].target
        owner = next(link for link in source.requirements if _name(link) == node.name)
    return owner.properties.get(_RECORDS)
