"""Node templates and relationship templates [TOSCA 1.3, 3.8.3, 3.8.4], but for how requirements are met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.paths import can_name_folder
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.artifacts import read_artifacts
from ansible_ensemble.language.entities import (
    Assignment,
    Capability,
    CapabilityDefinition,
    Entity,
    EntityType,
    Interface,
    NodeTemplate,
    Operation,
    Relationship,
)
from ansible_ensemble.language.filters import check_filter
from ansible_ensemble.language.interfaces import read_interfaces, with_artifacts
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.short_form import SHORT_KEYS, SHORT_KINDS
from ansible_ensemble.language.types import Scope
from ansible_ensemble.language.values import missing
from ansible_ensemble.topology.building import Building, Entry, FunctionUse
from ansible_ensemble.topology.copies import copied
from ansible_ensemble.topology.decorators import decorate
from ansible_ensemble.topology.definitions import read_assignments, read_occurrences
from ansible_ensemble.topology.directives import DEPENDENT, ON_DEMAND, read_directives

_PARTS: tuple[Literal["properties", "attributes"], ...] = ("properties", "attributes")


_LOCAL_REPOSITORY = "unfurl.nodes.LocalRepository"


def read_nodes(building: Building) -> None:
    """Read every node template of a topology; `copy` is resolved first."""
    entries = building.section("node_templates")
    wholes = copied(entries, "node template", building)
    decorate(wholes, building)
    for name, entry in entries.items():
        whole = wholes[name]
        building.entries[name] = whole or entry
        node = _read_node(name, whole, building) if whole is not None else None
        if node is not None:
            building.nodes[name] = node


def name_artifacts(building: Building) -> None:
    """Have operations run artifacts by their names: those of their own node, and of Unfurl's local repositories."""
    nodes = building.nodes.values()
    local = [one for one in nodes if one.type.is_a(_LOCAL_REPOSITORY)]
    shared = {name: artifact for one in local for name, artifact in one.artifacts.items()}
    for node in nodes:
        artifacts = {**shared, **node.artifacts}
        if artifacts:
            node.interfaces = with_artifacts(node.interfaces, artifacts)


def read_relationship_templates(building: Building) -> None:
    """Read the relationship templates of a topology."""
    for name, entry in copied(building.section("relationship_templates"), "relationship template", building).items():
        if entry is None:
            continue
        what = f"relationship template '{name}'"
        body = building.problems.mapping(entry.raw, what, entry.place)
        building.problems.check_keys(body, "relationship_template", entry.place)
        made = read_relationship(name, entry, what, building)
        if made is not None:
            if made.default_for is not None:
                made.default_for = _default_for(made.default_for, entry, what, building)
            building.topology.relationship_templates[name] = made


def _default_for(written: str, entry: Entry, what: str, building: Building) -> str | None:
    """What a relationship template is the default for, a type by its canonical name; None, and an error, if nothing."""
    scope, known = entry.scope, {"ANY", *building.entries}
    for node in building.nodes.values():
        known.update(node.capabilities)
    if written in known:
        return written
    for kind in ("node", "capability"):
        declaration = scope.types.find(kind, written, scope)
        if declaration is not None:
            return declaration.name
    message = f"default_for of {what} is '{written}', which is no node template, no type and no capability"
    building.problems.add(message, place_of(entry.raw, "default_for"), nearest(written, known) or "ANY is every target")
    return None


def _read_node(name: str, entry: Entry, building: Building) -> NodeTemplate | None:
    problems, scope, types = building.problems, entry.scope, building.types
    what = f"node template '{name}'"
    raw = problems.mapping(entry.raw, what, entry.place)
    if "type" not in raw:
        meant = next(filter(None, (nearest(key, SHORT_KINDS) for key in raw)), None)
        if module := next((key for key in raw if str(key).count(".") > 1), None):
            meant = f"write module: {module}, and its arguments in args:"
        problems.add(f"{what} has no type", entry.place, meant or "add type:, for instance tosca.nodes.Root")
        return None
    entity = types.get("node", raw["type"], scope, place_of(raw, "type"))
    if entity is None:
        return None
    if not can_name_folder(name) or not name.isprintable():  # nor may a name forge lines of a plan
        problems.add(f"a node template cannot be named {name!r}", entry.place, "folders and lines are named after it")
    problems.check_keys(raw, "node_template", entry.place, SHORT_KEYS if entity.is_a("ansible.Root") else ())
    node = NodeTemplate(building.full_name(name), entity, place=entry.place, namespace=building.namespace)
    node.directives = read_directives(raw, what, problems)
    if entry.scope is not building.scope and ON_DEMAND.isdisjoint(node.directives):
        node.directives += (DEPENDENT,)  # what another file has is there for those that require it
    node.description = str(raw.get("description") or "")
    if raw.get("metadata") is not None:
        node.metadata = dict(problems.mapping(raw["metadata"], f"metadata of {what}", place_of(raw, "metadata")))
    _read_values(node, raw, what, entry, building, complete="select" not in node.directives)
    if raw.get("artifacts") is not None:
        where = place_of(raw, "artifacts")
        node.artifacts = read_artifacts(raw["artifacts"], what, where, scope, entity.artifacts)
    else:
        node.artifacts = dict(entity.artifacts)
    _read_interfaces(node, raw, what, entry.scope, building)
    node.capabilities = _read_capabilities(node, raw.get("capabilities"), what, entry, building)
    if raw.get("node_filter") is not None:
        where = place_of(raw, "node_filter")
        check_filter(raw["node_filter"], what, where, problems, of_requirement=False)
        if "select" not in node.directives:
            message = f"the node_filter of {what} has no effect: it has no directive select"
            problems.warn(NoticeCode.IDLE_FILTER, message, where)
        node.node_filter = raw["node_filter"] if isinstance(raw["node_filter"], Mapping) else None
    _read_count(node, raw, what, building)
    _scale(node, what, building)
    return node


def _read_count(node: NodeTemplate, raw: Mapping[str, Any], what: str, building: Building) -> None:
    bounds = read_occurrences(raw, what, building.problems)
    node.count = max(1, bounds[0]) if bounds is not None else 1
    if raw.get("count") is not None:
        count, _other = building.static_value(raw["count"])
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
            node.count = count
        else:
            building.problems.add(f"the count of {what} is {kind_of(count)}, not a number", place_of(raw, "count"))


def _read_values(
    entity: Entity, raw: Mapping[str, Any], what: str, entry: Entry, building: Building, *, complete: bool
) -> None:
    """Properties and attributes of a node template or relationship, and note their functions for the check."""
    for part in _PARTS:
        where = place_of(raw, part) if raw.get(part) is not None else entry.place
        is_open = entry.scope.is_unfurl and entity.metadata.get("additionalProperties") is True
        values = read_assignments(
            raw.get(part), entity.type, part, what, where, scope=entry.scope, complete=complete, is_open=is_open
        )
        setattr(entity, part, values)
        _note_values(values, entity, building)


def _note_values(values: Mapping[str, Assignment], owner: Entity, building: Building) -> None:
    for assignment in values.values():
        if isinstance(assignment.value, Mapping | list):
            building.uses.append(FunctionUse(assignment.value, assignment.place, owner, assignment.is_default))


def _read_interfaces(entity: Entity, raw: Mapping[str, Any], what: str, scope: Scope, building: Building) -> None:
    entity.interfaces = entity.type.interfaces
    if entity.type not in building.typed:
        building.typed.add(entity.type)
        note_operations(entity.type.interfaces, {}, entity, building, in_type=True)
    if raw.get("interfaces") is not None:
        inherited = entity.type.interfaces
        where = place_of(raw, "interfaces")
        entity.interfaces = read_interfaces(raw["interfaces"], what, where, scope, inherited, declares=False)
        note_operations(entity.interfaces, inherited, entity, building)


def note_operations(
    interfaces: Mapping[str, Interface],
    inherited: Mapping[str, Interface],
    owner: Entity,
    building: Building,
    in_type: bool = False,
) -> None:
    """Note the functions in the inputs of operations that are not the inherited ones."""
    for name, interface in interfaces.items():
        base = inherited.get(name)
        if interface is base:
            continue
        for operations, known in (
            (interface.operations, base.operations if base is not None else {}),
            (interface.notifications, base.notifications if base is not None else {}),
        ):
            for key, operation in operations.items():
                _note_operation(operation, known.get(key), owner, building, in_type)


def _note_operation(
    operation: Operation, base: Operation | None, owner: Entity, building: Building, in_type: bool
) -> None:
    if operation is base:
        return
    for name, assignment in operation.inputs.items():
        if base is not None and base.inputs.get(name) is assignment:
            continue
        if isinstance(assignment.value, Mapping | list):
            building.uses.append(FunctionUse(assignment.value, assignment.place, owner, in_type))


def _read_capabilities(
    node: NodeTemplate, raw: Any, what: str, entry: Entry, building: Building
) -> dict[str, Capability]:
    """The capabilities of a node template; those it assigns nothing to are shared with others of its type."""
    given = building.problems.mapping(raw, f"the capabilities of {what}", entry.place) if raw is not None else {}
    for name in given:
        if name not in node.type.capabilities:
            hint = nearest(name, node.type.capabilities)
            building.problems.add(f"{what} has no capability '{name}'", key_place_of(given, name), hint)
    capabilities = {}
    for name, definition in node.type.capabilities.items():
        if given.get(name) is not None:
            made = _read_capability(definition, given[name], what, place_of(given, name), entry.scope)
            _note_values({**made.properties, **made.attributes}, node, building)
        else:
            key = (node.type, name)
            if key not in building.capabilities:
                building.capabilities[key] = _read_capability(definition, {}, what, entry.place, entry.scope)
            made = building.capabilities[key]
        capabilities[name] = made
    return capabilities


def _read_capability(
    definition: CapabilityDefinition, raw: Any, owner: str, place: Place | None, scope: Scope
) -> Capability:
    what = f"capability '{definition.name}' of {owner}"
    body = scope.problems.mapping(raw, what, place)
    scope.problems.check_keys(body, "capability_assignment", place)
    entity = scope.types.named("capability", definition.type) or scope.types.root("capability")
    entity = _own_type(body, entity, what, scope) or entity
    made = Capability(definition.name, entity, occurrences=definition.occurrences)
    for part, refined in zip(_PARTS, (definition.properties, definition.attributes)):
        values = read_assignments(
            body.get(part), entity, part, what, place, scope=scope, refined=refined, complete=False
        )
        setattr(made, part, values)
    made.occurrences = read_occurrences(body, what, scope.problems) or made.occurrences
    return made


def _own_type(body: Mapping[str, Any], entity: EntityType, what: str, scope: Scope) -> EntityType | None:
    """The type that an assignment gives a capability: in Unfurl's dialect one that derives from the declared one."""
    if body.get("type") is None:
        return None
    place = place_of(body, "type")
    own = scope.types.get("capability", body["type"], scope, place)
    if own is None or own is entity:
        return None
    if not scope.is_unfurl:
        scope.problems.add(f"{what} is a {entity.name}, an assignment cannot make it a {own.name}", place)
    elif not own.is_a(entity.name):
        scope.problems.add(f"{what} is a {entity.name}, and {own.name} does not derive from it", place)
    return own


def check_capabilities(building: Building) -> None:
    """Refuse capabilities whose required properties are missing, but for those of substituted and selected nodes."""
    for name, node in building.nodes.items():
        if name in building.substitutes or "select" in node.directives or "substitute" in node.directives:
            continue
        for capability in node.capabilities.values():
            definition = node.type.capabilities[capability.name]
            wanted = {**capability.type.properties, **definition.properties} if definition.properties else None
            for key in missing(capability.properties, wanted or capability.type.properties):
                message = f"the property '{key}' of capability '{capability.name}' of node template '{name}' is missing"
                building.problems.add(message, node.place)


def _scale(node: NodeTemplate, what: str, building: Building) -> None:
    """Set the number of instances from the `scalable` capability [TOSCA 1.3, 5.5.11]."""
    scalable = next((one for one in node.capabilities.values() if one.type.is_a("tosca.capabilities.Scalable")), None)
    if scalable is None:
        return
    numbers: dict[str, int] = {}
    for name in ("min_instances", "max_instances", "default_instances"):
        assignment = scalable.properties.get(name)
        value, known = building.static_value(assignment.value) if assignment is not None else (None, False)
        if known and isinstance(value, int) and not isinstance(value, bool):
            numbers[name] = value
    low = numbers.get("min_instances", 1)
    wanted = numbers.get("default_instances")
    if wanted is None:
        if "min_instances" in numbers and not scalable.properties["min_instances"].is_default:
            node.count = max(node.count, low)
        return
    high = numbers.get("max_instances")
    given = scalable.properties.get("max_instances")
    if wanted < low or (high is not None and wanted > high and given is not None and not given.is_default):
        place = scalable.properties["default_instances"].place
        message = f"default_instances of {what} is {wanted}, out of min_instances {low} and max_instances {high}"
        building.problems.add(message, place)
    node.count = max(0, wanted)


def read_relationship(
    name: str, entry: Entry, what: str, building: Building, base: EntityType | None = None
) -> Relationship | None:
    """A relationship from a relationship template or an inline one; it has neither source nor target yet.

    `base` is its type where `entry` names none.
    """
    body = building.problems.mapping(entry.raw, what, entry.place)
    entity = base
    if body.get("type") is not None:
        entity = building.types.get("relationship", body["type"], entry.scope, place_of(body, "type"))
    if entity is None:
        if body.get("type") is None:
            building.problems.add(f"{what} has no type", entry.place)
        return None
    made = Relationship(name, entity, place=entry.place)
    made.metadata = dict(building.problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
    default_for = body.get("default_for")
    made.default_for = building.problems.text(default_for, f"default_for of {what}", place_of(body, "default_for"))
    _read_values(made, body, what, entry, building, complete=made.default_for is None)
    _read_interfaces(made, body, what, entry.scope, building)
    return made
