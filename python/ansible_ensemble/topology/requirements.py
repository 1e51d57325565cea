"""How the requirements of node templates are met [TOSCA 1.3, 3.6.7, 3.8.2].

A requirement names a node template, or says what it wants by type, capability and filter; then the first node template
in the order of declaration that fits is taken. Everything is linear in the number of node templates and relationships,
but for filters that most candidates fail.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.topology.building import Building, Entry
from ansible_ensemble.topology.definitions import read_occurrences
from ansible_ensemble.topology.entities import (
    Capability,
    EntityType,
    NodeTemplate,
    Relationship,
    RequirementDefinition,
)
from ansible_ensemble.topology.filters import check_filter, mismatch
from ansible_ensemble.topology.nodes import note_operations, read_relationship
from ansible_ensemble.topology.problems import kind_of, nearest

#: The relationship that a capability is met by where nothing else is said, the first that fits.
_BY_CAPABILITY = (
    ("tosca.capabilities.Container", "tosca.relationships.HostedOn"),
    ("tosca.capabilities.Endpoint", "tosca.relationships.ConnectsTo"),
    ("tosca.capabilities.Attachment", "tosca.relationships.AttachesTo"),
    ("tosca.capabilities.network.Linkable", "tosca.relationships.network.LinksTo"),
    ("tosca.capabilities.network.Bindable", "tosca.relationships.network.BindsTo"),
)


@dataclass(slots=True)
class Wanted:
    """What a requirement of a node template asks for.

    Attributes:
        definition: the requirement of its type.
        node: a node template's name.
        node_type, capability_type: canonical names of the types asked for.
        capability: the name of the target's capability.
        filters: node filters, all of which must fit.
        relationship: a template's name, a type's name, or a map; as written.
    """

    definition: RequirementDefinition
    place: Place | None
    node: str | None = None
    node_type: str | None = None
    capability: str | None = None
    capability_type: str | None = None
    filters: list[Mapping[str, Any]] = field(default_factory=list)
    relationship: Any = None
    relationship_place: Place | None = None
    times: int = 1


@dataclass(slots=True)
class Candidates:
    """Node templates by the canonical names of their types and all that these derive from."""

    nodes: Mapping[str, NodeTemplate]
    by_type: dict[str, list[NodeTemplate]] = field(default_factory=dict)

    def of(self, type_name: str | None) -> list[NodeTemplate]:
        """Node templates of a type, in the order of declaration; of any type if there is no name."""
        if type_name is None:
            return list(self.nodes.values())
        if not self.by_type:
            for node in self.nodes.values():
                for ancestor in node.type.lineage():
                    self.by_type.setdefault(ancestor.name, []).append(node)
        return self.by_type.get(type_name, [])


@dataclass(slots=True)
class Requirer:
    """A node template whose requirements are being met.

    Attributes:
        name: its name in its own file.
        entry: the node template as written.
    """

    node: NodeTemplate
    name: str
    entry: Entry
    building: Building
    candidates: Candidates


def resolve_requirements(building: Building) -> None:
    """Make the relationships of every node template.

    A node template with Unfurl's directive `conditional` is left out if a requirement of its is unmet; then all is
    done again without it, for others may have required it.
    """
    problems = building.problems
    errors, warnings, uses = list(problems.errors), list(problems.warnings), list(building.uses)
    while True:
        known = len(building.dropped)
        _resolve_all(building)
        if len(building.dropped) == known:
            return
        problems.errors[:], problems.warnings[:], building.uses[:] = errors, warnings, uses
        for node in building.nodes.values():
            node.requirements, node.incoming = [], []
        for name in [one for one in building.nodes if one in building.dropped]:
            problems.warnings.append(f"the conditional node template '{name}' is left out: a requirement is unmet")
            del building.nodes[name]
        warnings = list(problems.warnings)


def _resolve_all(building: Building) -> None:
    candidates = Candidates(building.nodes)
    for name, node in building.nodes.items():
        entry = building.entries[name]
        requirer = Requirer(node, name, entry, building, candidates)
        made: dict[str, int] = {}
        raw = entry.raw.get("requirements")
        if raw is not None:
            what = f"the requirements of node template '{name}'"
            for key, value, place in building.problems.entries(raw, what, place_of(entry.raw, "requirements")):
                made[key] = made.get(key, 0) + _resolve(requirer, key, value, place)
        for key, definition in node.type.requirements.items():
            _check_number(requirer, definition, made.get(key, 0))


def _resolve(requirer: Requirer, key: str, raw: Any, place: Place | None) -> int:
    """Make the relationships of one requirement assignment; how many it stands for, faulty ones too."""
    building, name = requirer.building, requirer.name
    definition = requirer.node.type.requirements.get(key)
    if definition is None:
        # One that says how it is met by itself needs no definition; tosca-parser's samples have such.
        if isinstance(raw, Mapping) and "node" in raw and "relationship" in raw:
            definition = RequirementDefinition(key, occurrences=(0, None))
            building.problems.warn(f"'{name}' has the requirement '{key}', which its type does not declare", place)
        else:
            hint = nearest(key, requirer.node.type.requirements)
            building.problems.add(f"node template '{name}' has no requirement '{key}'", place, hint)
            return 1
    wanted = _read(requirer, definition, raw, place)
    if wanted is None:
        return 1
    if wanted.node is None and (name, key) in building.mapped:
        return wanted.times
    targets, reason = _targets(requirer.node, wanted, building, requirer.candidates)
    if reason is not None:
        message = f"requirement '{key}' of '{name}' is not met: {reason}"
        hint = "add one, or name it with node:" if wanted.node is None else None
        _unmet(requirer, message, wanted.place, hint, certain=wanted.node is not None)
    for target, capability in targets:
        _connect(requirer, target, capability, wanted)
    return max(wanted.times, len(targets))


def _read(requirer: Requirer, definition: RequirementDefinition, raw: Any, place: Place | None) -> Wanted | None:
    """What an assignment asks for, over its definition; None, and an error, if it cannot be understood."""
    building, scope = requirer.building, requirer.entry.scope
    problems = building.problems
    wanted = Wanted(definition, place, node_type=definition.node, capability_type=definition.capability)
    if definition.node_filter is not None:
        wanted.filters.append(definition.node_filter)
    what = f"requirement '{definition.name}' of '{requirer.name}'"
    if isinstance(raw, str):
        body: Mapping[str, Any] = {"node": raw}
    else:
        body = problems.mapping(raw, what, place)
        problems.check_keys(body, "requirement_assignment", place)
    if body.get("node") is not None and not _read_node(requirer, wanted, body["node"], what, place_of(body, "node")):
        return None
    capability = body.get("capability")
    if capability is not None:
        found = scope.types.find("capability", capability, scope) if isinstance(capability, str) else None
        if found is not None:
            wanted.capability_type = found.name
        else:
            wanted.capability = problems.text(capability, f"the capability of {what}", place_of(body, "capability"))
    if body.get("node_filter") is not None:
        check_filter(body["node_filter"], what, place_of(body, "node_filter"), problems)
        if isinstance(body["node_filter"], Mapping):
            wanted.filters.append(body["node_filter"])
    wanted.relationship = body.get("relationship")
    wanted.relationship_place = place_of(body, "relationship") or place
    if body.get("occurrences") is not None:
        bounds = read_occurrences(body["occurrences"], what, place_of(body, "occurrences"), problems)
        if bounds is not None and wanted.node is None:
            wanted.times = max(1, bounds[0])
    return wanted


def _read_node(requirer: Requirer, wanted: Wanted, target: Any, what: str, place: Place | None) -> bool:
    """Note the node template or node type that an assignment names; False, and an error, if it is neither."""
    building, scope = requirer.building, requirer.entry.scope
    wanted.place = place or wanted.place
    if not isinstance(target, str):
        message = f"{what} names {kind_of(target)} as its node"
        building.problems.add(message, wanted.place, "name a node template or a node type")
        return False
    if target in building.nodes:
        wanted.node = target
        return True
    if target in building.dropped:
        if wanted.definition.occurrences[0] > 0:
            _unmet(requirer, f"{what} is not met: '{target}' is left out", wanted.place, None, certain=True)
        return False
    if target in building.entries:
        # the faults of that node template are reported with it
        return False
    declaration = scope.types.find("node", target, scope)
    if declaration is None:
        hint = nearest(target, building.entries)
        _unmet(requirer, f"{what} is not met: there is no '{target}'", wanted.place, hint, certain=True)
        return False
    wanted.node_type = declaration.name
    return True


def _unmet(requirer: Requirer, message: str, place: Place | None, hint: str | None, *, certain: bool = False) -> None:
    """Note an unmet requirement; `certain` ones are errors in a part of a whole, too."""
    building = requirer.building
    if "conditional" in requirer.node.directives:
        building.dropped.add(requirer.name)
    elif certain or building.complete:
        building.problems.add(message, place, hint)
    else:
        building.problems.warn(message, place)


def _targets(
    node: NodeTemplate, wanted: Wanted, building: Building, candidates: Candidates
) -> tuple[list[tuple[NodeTemplate, Capability | None]], str | None]:
    """The node templates that meet a requirement, each with the capability that does, or why there are too few."""
    if wanted.node is not None:
        target = building.nodes[wanted.node]
        capability, reason = _fit(node, target, wanted, building)
        if reason is None and wanted.definition.node is not None and not target.type.is_a(wanted.definition.node):
            reason = f"it is a {target.type.name}, not a {wanted.definition.node}"
        return ([], f"'{wanted.node}' does not fit: {reason}") if reason is not None else ([(target, capability)], None)
    found: list[tuple[NodeTemplate, Capability | None]] = []
    reasons: list[str] = []
    for candidate in candidates.of(wanted.node_type):
        if candidate is node:
            continue
        capability, reason = _fit(node, candidate, wanted, building)
        if reason is None:
            found.append((candidate, capability))
            if len(found) == wanted.times:
                return found, None
        elif len(reasons) < 3:
            reasons.append(f"'{candidate.name}': {reason}")
    kind = wanted.node_type or wanted.capability_type or "anything"
    message = f"no node template of {kind} fits" if not found else f"only {len(found)} of {wanted.times} fit"
    return found, message + (f" ({'; '.join(reasons)})" if reasons else "")


def _fit(
    source: NodeTemplate, target: NodeTemplate, wanted: Wanted, building: Building
) -> tuple[Capability | None, str | None]:
    """The capability by which a node template meets a requirement, or why it does not."""
    if wanted.capability is not None:
        offered = target.capabilities.get(wanted.capability)
        if offered is None:
            return None, f"it has no capability '{wanted.capability}'"
        capabilities = [offered]
    elif wanted.capability_type is not None:
        capabilities = [one for one in target.capabilities.values() if one.type.is_a(wanted.capability_type)]
        if not capabilities:
            return None, f"it has no capability of type {wanted.capability_type}"
    else:
        capabilities = []
    if capabilities:
        allowed = [one for one in capabilities if _may_use(source.type, target.type, one)]
        if not allowed:
            return None, f"its capability '{capabilities[0].name}' is not for a {source.type.name}"
        capabilities = allowed
    for node_filter in wanted.filters:
        reason = mismatch(target, node_filter, building)
        if reason is not None:
            return None, reason
    return (capabilities[0] if capabilities else None), None


def _may_use(source: EntityType, target: EntityType, capability: Capability) -> bool:
    definition = target.capabilities.get(capability.name)
    allowed = (definition.valid_source_types if definition is not None else []) or capability.type.valid_source_types
    return not allowed or any(source.is_a(one) for one in allowed)


def _connect(requirer: Requirer, target: NodeTemplate, capability: Capability | None, wanted: Wanted) -> None:
    made = _relationship(requirer, capability, wanted)
    if made is None:
        return
    allowed = made.type.valid_target_types
    if capability is None:
        fitting = (one for one in target.capabilities.values() if any(one.type.is_a(kind) for kind in allowed))
        capability = next(fitting, None)
    offered = capability.type if capability is not None else target.type
    if allowed and not any(offered.is_a(one) or target.type.is_a(one) for one in allowed):
        message = f"a {made.type.name} cannot be with '{target.name}': {offered.name} is not a {' or '.join(allowed)}"
        requirer.building.problems.add(message, wanted.relationship_place or wanted.place)
    source = requirer.node
    made.name, made.index = wanted.definition.name, len(source.requirements)
    made.source, made.target = source, target
    made.capability = capability.name if capability is not None else None
    source.requirements.append(made)
    target.incoming.append(made)


def _relationship(requirer: Requirer, capability: Capability | None, wanted: Wanted) -> Relationship | None:
    """The relationship that a requirement makes: a template's, an inline one, or of a type alone."""
    building, scope = requirer.building, requirer.entry.scope
    definition, raw, place = wanted.definition, wanted.relationship, wanted.relationship_place or wanted.place
    what = f"the relationship '{definition.name}' of '{requirer.name}'"
    templates = building.topology.relationship_templates
    base = _default_type(capability, definition, building)
    if isinstance(raw, Mapping):
        building.problems.check_keys(raw, "inline_relationship", place)
    name = raw.get("type") if isinstance(raw, Mapping) else raw
    if isinstance(name, str) and name in templates:
        return dataclasses.replace(templates[name], template=name)
    if isinstance(raw, str):
        if scope.types.find("relationship", raw, scope) is None:
            known = [*templates, *scope.names["relationship"], *scope.types.normative.names["relationship"]]
            building.problems.add(f"{what} is '{raw}', which is no template and no type", place, nearest(raw, known))
            return None
        raw = {"type": raw}
    elif raw is not None and not isinstance(raw, Mapping):
        building.problems.add(f"{what} must be a name or a map, not {kind_of(raw)}", place)
        return None
    made = read_relationship(definition.name, Entry(raw or {}, place, scope), what, building, base)
    if made is not None and definition.interfaces and made.interfaces is made.type.interfaces:
        made.interfaces = {**made.interfaces, **definition.interfaces}
        note_operations(definition.interfaces, made.type.interfaces, made, building, in_type=True)
    return made


def _default_type(capability: Capability | None, definition: RequirementDefinition, building: Building) -> EntityType:
    if definition.relationship is not None:
        found = building.types.named("relationship", definition.relationship)
        if found is not None:
            return found
    name = "tosca.relationships.DependsOn"
    if capability is not None:
        name = next((kind for offered, kind in _BY_CAPABILITY if capability.type.is_a(offered)), name)
    return building.types.named("relationship", name) or building.types.root("relationship")


def _check_number(requirer: Requirer, definition: RequirementDefinition, number: int) -> None:
    """Meet a requirement that was not assigned but must be, and refuse one that is assigned too often."""
    building, name, place = requirer.building, requirer.name, requirer.entry.place
    low, high = definition.occurrences
    if high is not None and number > high:
        message = f"node template '{name}' has the requirement '{definition.name}' {number} times, not at most {high}"
        building.problems.add(message, place)
    is_left = (name, definition.name) in building.mapped or name in building.substitutes
    if number >= low or is_left or "select" in requirer.node.directives:
        return
    wanted = Wanted(definition, place, node_type=definition.node, capability_type=definition.capability)
    wanted.filters = [definition.node_filter] if definition.node_filter is not None else []
    wanted.times = low - number
    targets, reason = _targets(requirer.node, wanted, building, requirer.candidates)
    if reason is not None:
        message = f"requirement '{definition.name}' of '{name}' is missing, and {reason}"
        _unmet(requirer, message, place, f"add it: requirements: [{definition.name}: ...]")
    for target, capability in targets:
        _connect(requirer, target, capability, wanted)
