"""How the requirements of node templates are met [TOSCA 1.3, 3.6.7, 3.8.2].

A requirement names a node template, or says what it wants by type, capability and filter; then the first node template
in the order of declaration that fits is taken. Those that name one go first, so that no other one takes the last place
of a capability. Everything is linear in the number of node templates and relationships, but for filters that most
candidates fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import (
    Capability,
    EntityType,
    NodeTemplate,
    Relationship,
    RequirementDefinition,
)
from ansible_ensemble.language.filters import check_filter
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.schema import read_boolean
from ansible_ensemble.topology.building import Building, Entry
from ansible_ensemble.topology.definitions import read_assignments, read_occurrences
from ansible_ensemble.topology.matching import Candidates, Wanted, find_targets
from ansible_ensemble.topology.nodes import note_operations, read_relationship

#: The relationship that a capability is met by, unless given; the first that fits.
_BY_CAPABILITY = (
    ("tosca.capabilities.Container", "tosca.relationships.HostedOn"),
    ("tosca.capabilities.Endpoint", "tosca.relationships.ConnectsTo"),
    ("tosca.capabilities.Attachment", "tosca.relationships.AttachesTo"),
    ("tosca.capabilities.network.Linkable", "tosca.relationships.network.LinksTo"),
    ("tosca.capabilities.network.Bindable", "tosca.relationships.network.BindsTo"),
)

#: The relationship that a requirement of Unfurl's is met by which no type declares.
_BY_NAME = {"host": "tosca.relationships.HostedOn"}


class Requirer(Struct):
    """A node template whose requirements are being met.

    Attributes:
        name: its name in its own file.
        entry: the node template as written.
        defaults: relationship templates that requirements use which name none.
    """

    node: NodeTemplate
    name: str
    entry: Entry
    building: Building
    candidates: Candidates
    defaults: Sequence[Relationship]


def resolve_requirements(building: Building) -> None:
    """Make the relationships of every node template.

    A node template with Unfurl's directive `conditional` is left out if a requirement of its is unmet; then all is
    done again without it, for others may have required it.
    """
    problems = building.problems
    errors, notices, uses = list(problems.errors), list(problems.notices), list(building.uses)
    while True:
        known = len(building.dropped)
        _resolve_all(building)
        if len(building.dropped) == known:
            return
        problems.errors[:], problems.notices[:], building.uses[:] = errors, notices, uses
        for node in building.nodes.values():
            node.requirements, node.incoming = [], []
        for name in [one for one in building.nodes if one in building.dropped]:
            message = f"the conditional node template '{name}' is left out: a requirement is unmet"
            problems.warn(NoticeCode.LEFT_OUT, message)
            del building.nodes[name]
        notices = list(problems.notices)


def _resolve_all(building: Building) -> None:
    candidates = Candidates(building.nodes)
    defaults = [one for one in building.topology.relationship_templates.values() if one.default_for is not None]
    later: list[tuple[Requirer, Wanted]] = []
    for name, node in building.nodes.items():
        requirer = Requirer(node, name, building.entries[name], building, candidates, defaults)
        order = 0
        for wanted in _all_wanted(requirer):
            wanted.order = order
            order += wanted.times
            if wanted.turn == 0:
                _meet(requirer, wanted)
            else:
                later.append((requirer, wanted))
    later.sort(key=lambda one: one[1].turn)
    for requirer, wanted in later:
        _meet(requirer, wanted)
    _put_in_order(building, is_sorted=not later)


def _put_in_order(building: Building, *, is_sorted: bool) -> None:
    """Number the relationships of each node template in the order in which they are declared."""
    if not is_sorted:
        places = {node.name: number for number, node in enumerate(building.nodes.values())}
        for node in building.nodes.values():
            node.requirements.sort(key=lambda one: one.index)
            node.incoming.sort(key=lambda one: (places[one.source.name], one.index))
    for node in building.nodes.values():
        for number, relationship in enumerate(node.requirements):
            relationship.index = number


def _all_wanted(requirer: Requirer) -> Iterator[Wanted]:
    """What a node template asks for: its own assignments, then what its type asks for besides."""
    made: Counter[str] = Counter()
    raw, problems = requirer.entry.raw.get("requirements"), requirer.building.problems
    if raw is not None:
        what = f"the requirements of node template '{requirer.name}'"
        for key, value, place in problems.entries(raw, what, place_of(requirer.entry.raw, "requirements")):
            wanted = _assigned(requirer, key, value, place)
            made[key] += 1 if wanted is None else wanted.times
            if wanted is not None and (wanted.node is not None or (requirer.name, key) not in requirer.building.mapped):
                yield wanted
    for key, definition in requirer.node.type.requirements.items():
        wanted = _implied(requirer, definition, made[key])
        if wanted is not None:
            yield wanted


def _assigned(requirer: Requirer, key: str, raw: Any, place: Place | None) -> Wanted | None:
    """What a requirement assignment asks for; None, and an error, if it is wrong."""
    building, name = requirer.building, requirer.name
    definition = requirer.node.type.requirements.get(key)
    if definition is None:
        if _is_whole(requirer, raw):
            related = _BY_NAME.get(key) if requirer.entry.scope.is_unfurl else None
            definition = RequirementDefinition(key, occurrences=(0, None), relationship=related)
            message = f"'{name}' has the requirement '{key}', which its type does not declare"
            building.problems.warn(NoticeCode.UNDECLARED_REQUIREMENT, message, place)
        else:
            hint = nearest(key, requirer.node.type.requirements)
            building.problems.add(f"node template '{name}' has no requirement '{key}'", place, hint)
            return None
    return _read(requirer, definition, raw, place)


def _is_whole(requirer: Requirer, raw: Any) -> bool:
    """Whether an assignment needs no definition, for it says itself how it is met; tosca-parser's samples have such.

    In Unfurl's dialect it is enough to say by what.
    """
    if requirer.entry.scope.is_unfurl:
        return isinstance(raw, str) or (isinstance(raw, Mapping) and "node" in raw)
    return isinstance(raw, Mapping) and "node" in raw and "relationship" in raw


def _implied(requirer: Requirer, definition: RequirementDefinition, number: int) -> Wanted | None:
    """What is to be met though it is not assigned; one that is assigned too often is refused."""
    building, name, place = requirer.building, requirer.name, requirer.entry.place
    low, high = definition.occurrences
    if high is not None and number > high:
        message = f"node template '{name}' has the requirement '{definition.name}' {number} times, not at most {high}"
        building.problems.add(message, place)
    is_left = (name, definition.name) in building.mapped or name in building.substitutes
    if number >= low or is_left or "select" in requirer.node.directives:
        return None
    wanted = Wanted(definition, place, node_type=definition.node, capability_type=definition.capability)
    wanted.filters = list(definition.node_filters)
    wanted.times, wanted.is_implied = low - number, True
    return wanted


def _meet(requirer: Requirer, wanted: Wanted) -> None:
    """Make the relationships that a requirement asks for."""
    targets, reason = find_targets(requirer.node, wanted, requirer.building, requirer.candidates)
    if reason is not None and not (wanted.is_optional and wanted.node is None):
        key, name = wanted.definition.name, requirer.name
        message = f"requirement '{key}' of '{name}' is not met: {reason}"
        hint = "add one, or name it with node:" if wanted.node is None else None
        if wanted.is_implied:
            message = f"requirement '{key}' of '{name}' is missing, and {reason}"
            hint = f"add it: requirements: [{key}: ...]"
        if _may_stay_unmet(requirer, wanted):
            requirer.building.problems.warn(NoticeCode.UNMET_REQUIREMENT, message, wanted.place)
        else:
            _unmet(requirer, message, wanted.place, hint, certain=wanted.node is not None)
    for number, (target, capability) in enumerate(targets):
        _connect(requirer, target, capability, wanted, wanted.order + number)


def _may_stay_unmet(requirer: Requirer, wanted: Wanted) -> bool:
    """Whether Unfurl's dialect does without: where no node is named, but for what types of the user's ask for."""
    if not requirer.entry.scope.is_unfurl or wanted.node is not None:
        return False
    name, definition = wanted.definition.name, wanted.definition
    holders = [one for one in requirer.node.type.lineage() if one.requirements.get(name) is definition]
    return not wanted.is_implied or (bool(holders) and holders[-1].name.startswith("tosca."))


def _read(requirer: Requirer, definition: RequirementDefinition, raw: Any, place: Place | None) -> Wanted | None:
    """What an assignment asks for, over its definition; None, and an error, if it cannot be understood."""
    building, scope = requirer.building, requirer.entry.scope
    problems = building.problems
    wanted = Wanted(definition, place, node_type=definition.node, capability_type=definition.capability)
    wanted.filters = list(definition.node_filters)
    what = f"requirement '{definition.name}' of '{requirer.name}'"
    if isinstance(raw, str) or (isinstance(raw, list) and building.types.is_strict):
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
    if "optional" in body:
        where = place_of(body, "optional")
        wanted.is_optional = bool(read_boolean(body["optional"], f"'optional' of {what}", where, problems))
    if "allocation" in body:
        place = place_of(body, "allocation")
        allocation = problems.mapping(body["allocation"], f"the allocation of {what}", place)
        inner = allocation.get("properties") if list(allocation) == ["properties"] else allocation
        wanted.allocation = problems.mapping(inner, f"the properties that {what} allocates", place)
    wanted.relationship = body.get("relationship")
    wanted.relationship_place = place_of(body, "relationship") or place
    bounds = read_occurrences(body, what, problems)
    if bounds is not None and wanted.node is None:
        wanted.times = max(1, bounds[0])
    if body.get("count") is not None:
        _read_count(requirer, wanted, body, what)
    return wanted


def _read_count(requirer: Requirer, wanted: Wanted, body: Mapping[str, Any], what: str) -> None:
    """How many relationships a requirement makes [TOSCA 2.0, 8.5.3]; a node template that is named counts by itself."""
    count, _known = requirer.building.static_value(body["count"])
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        message = f"the count of {what} is {kind_of(count)}, not a number"
        requirer.building.problems.add(message, place_of(body, "count"))
    elif wanted.node is None:
        wanted.times = count


def _read_node(requirer: Requirer, wanted: Wanted, target: Any, what: str, place: Place | None) -> bool:
    """Note the node template or node type that an assignment names; False, and an error, if it is neither."""
    building, scope = requirer.building, requirer.entry.scope
    wanted.place = place or wanted.place
    if isinstance(target, list) and building.types.is_strict:
        from ansible_ensemble.topology.target_numbers import numbered  # of TOSCA 2.0 alone

        target, wanted.number = numbered(target, requirer.node, what, wanted.place, building)
        if target is None:
            return False
    if not isinstance(target, str):
        message = f"{what} names {kind_of(target)} as its node"
        building.problems.add(message, wanted.place, "name a node template or a node type")
        return False
    if target == requirer.name and scope.is_unfurl:
        message = f"{what} is the node itself, and orders nothing"
        building.problems.warn(NoticeCode.OTHER_TARGET, message, wanted.place)
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
        building.problems.warn(NoticeCode.UNMET_REQUIREMENT, message, place)


def _connect(
    requirer: Requirer, target: NodeTemplate, capability: Capability | None, wanted: Wanted, index: int
) -> None:
    made = _relationship(requirer, target, capability, wanted)
    if made is None:
        return
    allowed = made.type.valid_target_types
    if capability is None:
        fitting = (one for one in target.capabilities.values() if any(one.type.is_a(kind) for kind in allowed))
        capability = next(fitting, None)
    offered = capability.type if capability is not None else target.type
    if allowed and not any(offered.is_a(one) or target.type.is_a(one) for one in allowed):
        message = f"a {made.type.name} cannot be with '{target.name}': {offered.name} is not a {' or '.join(allowed)}"
        is_loose = requirer.entry.scope.is_unfurl and wanted.definition.name not in requirer.node.type.requirements
        problems, place = requirer.building.problems, wanted.relationship_place or wanted.place
        if is_loose:
            problems.warn(NoticeCode.OTHER_TARGET, message, place)
        else:
            problems.add(message, place)
    wrong = _wrong_relationship(made.type, target, capability)
    if wrong is not None:
        requirer.building.problems.add(wrong, wanted.relationship_place or wanted.place)
    source = requirer.node
    made.name, made.index, made.target_number = wanted.definition.name, index, wanted.number
    made.source, made.target = source, target
    made.capability = capability.name if capability is not None else None
    if capability is not None:
        requirer.candidates.used[target.name, capability.name] += 1
        _allocate(requirer, target, capability, wanted)
    source.requirements.append(made)
    target.incoming.append(made)


def _allocate(requirer: Requirer, target: NodeTemplate, capability: Capability, wanted: Wanted) -> None:
    if wanted.allocation:
        what = f"what requirement '{wanted.definition.name}' of '{requirer.name}' allocates of '{capability.name}'"
        scope = requirer.entry.scope
        read_assignments(
            wanted.allocation, capability.type, "properties", what, wanted.place, scope=scope, complete=False
        )
        requirer.candidates.allocations.take(target, capability, wanted.allocation)


def _wrong_relationship(kind: EntityType, target: NodeTemplate, capability: Capability | None) -> str | None:
    """Why no relationship of a type may lead to a node and its capability, None if one may [TOSCA 2.0, 7.3, 8.1]."""
    nodes = kind.valid_target_node_types
    if nodes and not any(target.type.is_a(one) for one in nodes):
        return f"a {kind.name} cannot lead to '{target.name}', only to a {' or '.join(nodes)}"
    if capability is None:
        return None
    definition = target.type.capabilities.get(capability.name)
    allowed = definition.valid_relationship_types if definition is not None else []
    allowed = allowed or capability.type.valid_relationship_types
    if not allowed or any(kind.is_a(one) for one in allowed):
        return None
    return f"a {kind.name} cannot lead to the capability '{capability.name}', only a {' or '.join(allowed)} can"


def _relationship(
    requirer: Requirer, target: NodeTemplate, capability: Capability | None, wanted: Wanted
) -> Relationship | None:
    """The relationship that a requirement makes: a template's, an inline one, a default one, or of a type alone."""
    building, scope = requirer.building, requirer.entry.scope
    definition, raw, place = wanted.definition, wanted.relationship, wanted.relationship_place or wanted.place
    what = f"the relationship '{definition.name}' of '{requirer.name}'"
    templates = building.topology.relationship_templates
    base = _default_type(capability, definition, building)
    if isinstance(raw, Mapping):
        building.problems.check_keys(raw, "inline_relationship", place)
    name = raw.get("type") if isinstance(raw, Mapping) else raw
    if raw is None:
        fitting = (one.name for one in requirer.defaults if _is_default(one, base, target, capability, building))
        name = next(fitting, None)
    if isinstance(name, str) and name in templates:
        return replace(templates[name], template=name)
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


def _is_default(
    template: Relationship, base: EntityType, target: NodeTemplate, capability: Capability | None, building: Building
) -> bool:
    """Whether a relationship template is the default for what leads to a target (`default_for`, as Unfurl has it)."""
    wanted = template.default_for
    if wanted is None or not template.type.is_a(base.name):
        return False
    if wanted == "ANY" or building.nodes.get(wanted) is target or target.type.is_a(wanted):
        return True
    return capability is not None and (capability.name == wanted or capability.type.is_a(wanted))


def _default_type(capability: Capability | None, definition: RequirementDefinition, building: Building) -> EntityType:
    if definition.relationship is not None:
        found = building.types.named("relationship", definition.relationship)
        if found is not None:
            return found
    name = "tosca.relationships.DependsOn"
    if capability is not None:
        name = next((kind for offered, kind in _BY_CAPABILITY if capability.type.is_a(offered)), name)
    return building.types.named("relationship", name) or building.types.root("relationship")
