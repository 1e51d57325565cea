"""Substitution: a node template that is itself a topology [TOSCA 1.3, 3.8.13].

The nested topology is flattened into the outer one under names `outer:inner`; mappings become plain
attributes and relationships, so that nothing behind needs to know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import (
    Assignment,
    EntityType,
    NodeTemplate,
    Relationship,
    Topology,
    Workflow,
    WorkflowStep,
)
from ansible_ensemble.language.filters import check_filter, mismatch
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.types import Scope
from ansible_ensemble.language.values import part_of
from ansible_ensemble.topology.building import Building
from ansible_ensemble.topology.directives import NOT_DEPLOYED

_HINT = "its steps call operations of node templates one after the other, without inputs, filters and on_failure"


def map_operations(node: NodeTemplate, raw: Mapping[str, Any], nested: Topology, building: Building) -> None:
    """Give a substituted node what its operations call inside of it: those of the steps of the workflows, in order."""
    problems = building.problems
    section = problems.mapping(raw.get("interfaces"), "the mapped interfaces", place_of(raw, "interfaces"))
    for interface, entry in section.items():
        operations = problems.mapping(entry, f"the mapped interface '{interface}'", place_of(section, interface))
        for name, called in operations.items():
            full, place = f"{interface}.{name}", place_of(operations, name)
            workflow = nested.workflows.get(called) if isinstance(called, str) else None
            if node.declared(full) is None:
                problems.add(f"{node.type.name} has no operation {full}", place)
            elif workflow is None:
                hint = nearest(str(called), nested.workflows) or "[a workflow of this topology]"
                problems.add(f"the operation {full} is mapped to no workflow of the topology", place, hint)
            else:
                node.mapped[full] = list(_calls(workflow, nested, building, place))


def _calls(workflow: Workflow, nested: Topology, building: Building, place: Place | None) -> Iterator[tuple[str, str]]:
    """The node template and the operation of each call of a workflow; what else it does is an error."""
    steps = _in_order(workflow)
    if workflow.preconditions or workflow.inputs or len(steps) < len(workflow.steps):
        building.problems.add(f"workflow '{workflow.name}' cannot carry out an operation", place, _HINT)
    for step in steps:
        target = nested.node_templates.get(step.target)
        for activity in step.activities:
            called = activity.get("call_operation")
            if target is None or not isinstance(called, str) or step.filter or step.on_failure or step.relationship:
                message = f"step '{step.name}' of workflow '{workflow.name}' cannot carry out a part of an operation"
                building.problems.add(message, step.place or place, _HINT)
            else:
                yield target.name, called


def _in_order(workflow: Workflow) -> list[WorkflowStep]:
    """The steps, each behind those that lead to it; those of a circle are left out."""
    done: dict[str, WorkflowStep] = {}
    left = dict(workflow.steps)
    while left:
        waiting = {name for step in left.values() for name in step.on_success}
        ready = {name: step for name, step in left.items() if name not in waiting}
        if not ready:
            break
        done |= ready
        left = {name: step for name, step in left.items() if name not in ready}
    return list(done.values())


#: Name of the relationships by which a substituted node template requires the nodes inside of it.
INSIDE = "inside"

BuildTopology = Callable[[Scope, str, Mapping[str, Any]], Building]


def check_substitution(building: Building) -> None:
    """Check the names in the file's own substitution mapping."""
    scope, problems = building.scope, building.problems
    raw = scope.template.get("substitution_mappings")
    if raw is None:
        return
    place = place_of(scope.template, "substitution_mappings")
    body = problems.mapping(raw, "substitution_mappings", place)
    problems.check_keys(body, "substitution_mapping", place)
    if body.get("node") is not None and body.get("node_type") is None:
        building.topology.primary = str(body["node"])
        return
    entity = building.types.get("node", body.get("node_type"), scope, place_of(body, "node_type"))
    if entity is None:
        return
    if body.get("substitution_filter") is not None:
        where = place_of(body, "substitution_filter")
        for one in _filters(body["substitution_filter"]):
            check_filter(one, "the substitution_filter", place_of(one) or where, problems)
    _check_properties(body, entity, building)
    attributes = problems.mapping(body.get("attributes"), "the mapped attributes", place_of(body, "attributes"))
    for name in attributes:
        if name not in entity.attributes and name not in entity.properties and not entity.is_open:
            hint = nearest(name, entity.attributes)
            problems.add(f"{entity.name} has no attribute '{name}'", place_of(attributes, name), hint)
    for part, known in (("capabilities", entity.capabilities), ("requirements", entity.requirements)):
        section = body.get(part)
        for name, target, where in problems.entries(section, f"the mapped {part}", place_of(body, part)):
            if name not in known:
                problems.add(f"{entity.name} has no {_SINGULAR[part]} '{name}'", where, nearest(name, known))
            elif isinstance(target, list) or (part == "requirements" and building.types.is_strict):
                _check_targets(part, target, where, building)


_SINGULAR = {"capabilities": "capability", "requirements": "requirement"}


def _check_properties(body: Mapping[str, Any], entity: EntityType, building: Building) -> None:
    problems, inputs = building.problems, building.topology.inputs
    section = problems.mapping(body.get("properties"), "the mapped properties", place_of(body, "properties"))
    for name, target in section.items():
        if name not in entity.properties and not entity.is_open:
            hint = nearest(name, entity.properties)
            problems.add(f"{entity.name} has no property '{name}'", place_of(section, name), hint)
        source = target[0] if isinstance(target, list) and len(target) == 1 else None
        if source is None and building.types.is_strict:
            source = target
            _check_fed(name, target, entity, building, place_of(section, name))
        if isinstance(source, str) and source not in inputs:
            message = f"the property '{name}' is mapped to '{source}', which is not an input"
            problems.add(message, place_of(section, name), nearest(source, inputs))
    for name, definition in entity.properties.items():
        if definition.required and not definition.has_default and name not in section and name not in inputs:
            message = f"the property '{name}' of {entity.name} has no default, and feeds no input"
            problems.add(message, place_of(building.scope.template, "substitution_mappings"), nearest(name, inputs))
    fed = {_input_of(name, section) for name in entity.properties}
    for name, definition in inputs.items():
        if definition.required and not definition.has_default and not definition.has_value and name not in fed:
            message = f"the input '{name}' has no default and is fed by no property of {entity.name}"
            problems.add(message, definition.place, nearest(name, entity.properties))


def _check_fed(name: str, source: Any, entity: EntityType, building: Building, place: Place | None) -> None:
    """Refuse an input of another type than the property that feeds it [TOSCA 2.0, 15.2]."""
    definition, fed = entity.properties.get(name), building.topology.inputs.get(str(source))
    if definition is None or fed is None or building.types.refines(definition.schema.type, fed.schema.type):
        return
    message = f"the property '{name}' of type {definition.schema.type} feeds the input '{source}' of {fed.schema.type}"
    building.problems.add(message, place)


def _input_of(name: str, mapped: Mapping[str, Any]) -> str | None:
    """The input that a property of the substituted node feeds: by its mapping, or else the one of the same name."""
    target = mapped.get(name)
    if target is None:
        return name
    if isinstance(target, str):
        return target
    return target[0] if isinstance(target, list) and len(target) == 1 and isinstance(target[0], str) else None


def _check_targets(part: str, raw: Any, place: Place | None, building: Building) -> None:
    for target in _targets(raw) if part == "requirements" else [raw]:
        _check_target(part, target, place, building)


def _check_target(part: str, target: list[Any], place: Place | None, building: Building) -> None:
    node = building.nodes.get(target[0]) if target and isinstance(target[0], str) else None
    if node is not None and part == "requirements" and len(target) == 1:
        if "select" not in node.directives:
            message = f"the mapped requirement leads to '{target[0]}', which is not selected"
            building.problems.add(message, place, "name its requirement: [node, name], or give it directives: [select]")
        return
    if node is None:
        if not (target and isinstance(target[0], str) and target[0] in building.entries):
            hint = nearest(str(target[0]), building.nodes) if target else None
            building.problems.add(f"the mapped {_SINGULAR[part]} names no node template", place, hint or "[node, name]")
        return
    known: Mapping[str, Any] = node.capabilities if part == "capabilities" else node.type.requirements
    if len(target) < 2 or not isinstance(target[1], str) or target[1] not in known:
        hint = nearest(str(target[1]), known) if len(target) > 1 else "[node, name]"
        building.problems.add(f"'{target[0]}' has no such {_SINGULAR[part]}", place, hint)


def mapped_requirements(scope: Scope) -> frozenset[tuple[str, str]]:
    """Requirements that the file's own mapping leaves to the topology around it: (node template, requirement)."""
    raw = scope.template.get("substitution_mappings")
    slots = _mapped_requirements(raw).values() if isinstance(raw, Mapping) else ()
    return frozenset((one[0], one[1]) for several in slots for targets in several for one in targets if _is_pair(one))


def _targets(raw: Any) -> list[list[Any]]:
    """What one mapping of a requirement leads to: `[node, requirement]` each, or `[node]` for a selected node template.

    There may be several, in a list [TOSCA 2.0, 15.5].
    """
    if isinstance(raw, str):
        return [[raw]]
    if not isinstance(raw, list) or not any(isinstance(one, list) for one in raw):
        return [raw] if isinstance(raw, list) else []
    return [one if isinstance(one, list) else [one] for one in raw]


def _is_pair(target: list[Any]) -> bool:
    return len(target) == 2 and all(isinstance(one, str) for one in target)


def find_substitutes(building: Building) -> None:
    """Find the nested topologies of the node templates that are substituted.

    A node template is substituted if it has the directive `substitute`, or if it is of exactly the type of a nested
    topology and nothing of its own implements it, as TOSCA 1.0 to 1.2 have it.
    """
    for name, node in building.nodes.items():
        asked = "substitute" in node.directives
        implemented = any(
            one.implementation is not None for face in node.interfaces.values() for one in face.operations.values()
        )
        if not asked and implemented:
            continue
        found = next(_candidates(node, name, building, asked), None)
        if found is not None:
            building.substitutes[name] = found
        elif asked:
            building.problems.warn(NoticeCode.NO_SUBSTITUTE, f"no imported topology substitutes '{name}'", node.place)


def substitute(building: Building, build: BuildTopology) -> None:
    """Put the nested topologies in place of the node templates that they substitute."""
    for name, scope in building.substitutes.items():
        _substitute(building.nodes[name], scope, building, build)


def _candidates(node: NodeTemplate, name: str, building: Building, asked: bool) -> Iterator[Scope]:
    """Imported topologies that substitute a node template, in the order of their import."""
    waiting, seen = list(building.entries[name].scope.imported), list[Scope]()
    while waiting:
        scope = waiting.pop(0)
        if scope in seen or scope is building.scope:
            continue
        seen.append(scope)
        waiting += scope.imported
        raw = scope.template.get("substitution_mappings")
        type_name = raw.get("node_type") if isinstance(raw, Mapping) else None
        declaration = building.types.find("node", type_name, scope) if isinstance(type_name, str) else None
        if declaration is None or not isinstance(raw, Mapping):
            continue
        entity = building.types.entity(declaration)
        fits = entity.is_a(node.type.name) if asked else entity is node.type
        wanted = [one for one in _filters(raw.get("substitution_filter")) if isinstance(one, Mapping)]
        if fits and all(mismatch(node, one, building) is None for one in wanted):
            yield scope


def _filters(raw: Any) -> list[Any]:
    """The node filters of a `substitution_filter`, which may be a list: all of them count."""
    entries = raw if isinstance(raw, list) else [] if raw is None else [raw]
    return [one["node_filter"] if isinstance(one, Mapping) and set(one) == {"node_filter"} else one for one in entries]


def _substitute(node: NodeTemplate, scope: Scope, building: Building, build: BuildTopology) -> None:
    raw = scope.template["substitution_mappings"]
    mapped = raw.get("properties") if isinstance(raw.get("properties"), Mapping) else {}
    given: dict[str, Any] = {}
    for name in node.type.properties:
        source = _input_of(name, mapped)
        if source is not None and name in node.properties:
            given[source] = {"get_property": [node.name, name]}
    inner = build(scope, node.name, given)
    nested = inner.topology
    if "substitute" not in node.directives:
        node.directives = (*node.directives, "substitute")
    building.topology.nested[node.name] = nested
    building.topology.nested.update(nested.nested)
    for name, slots in _mapped_requirements(raw).items():
        outers = [one for one in node.requirements if one.name == name]
        # a single mapping is of all requirements of the name, several are of one each
        for outer, targets in zip(outers, slots * len(outers) if len(slots) == 1 else slots, strict=False):
            for target in targets:
                _hand_on(outer, target, nested)
    depends_on = building.types.named("relationship", "tosca.relationships.DependsOn")
    for one in nested.node_templates.values():
        _connect(node, one, INSIDE, depends_on or building.types.root("relationship"), None)
    _map_attributes(node, raw, nested, building)
    map_operations(node, raw, nested, building)


def _connect(source: NodeTemplate, target: NodeTemplate, name: str, entity: EntityType, capability: str | None) -> None:
    made = Relationship(name, entity, interfaces=entity.interfaces, index=len(source.requirements))
    made.source, made.target, made.capability = source, target, capability
    source.requirements.append(made)
    target.incoming.append(made)


def _mapped_requirements(raw: Mapping[str, Any]) -> dict[str, list[list[list[Any]]]]:
    """By the name of a requirement, what each of its mappings leads to, in order."""
    section = raw.get("requirements")
    found: dict[str, list[list[list[Any]]]] = {}
    for entry in section if isinstance(section, list) else [section]:
        for name, target in entry.items() if isinstance(entry, Mapping) else ():
            found.setdefault(name, []).append(_targets(target))
    return found


def _hand_on(outer: Relationship, target: list[Any], nested: Topology) -> None:
    """Let what a requirement of the substituted node leads to meet one of the nested topology.

    It takes the place of a selected node template [TOSCA 2.0, 15.5.3].
    """
    inner = nested.node_templates.get(target[0]) if target and isinstance(target[0], str) else None
    if inner is None:
        return
    if _is_pair(target):
        _connect(inner, outer.target, target[1], outer.type, outer.capability)
        return
    if "select" not in inner.directives:
        return
    for relationship in inner.incoming:
        relationship.target = outer.target
        if relationship.capability not in outer.target.capabilities:
            relationship.capability = outer.capability
        outer.target.incoming.append(relationship)
    del nested.node_templates[target[0]]


def _map_attributes(node: NodeTemplate, raw: Mapping[str, Any], nested: Topology, building: Building) -> None:
    """Give the substituted node the attributes that are mapped, and those of the outputs of the same name."""
    given = raw.get("attributes")
    section: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    for name, definition in {**node.type.attributes, **node.type.properties}.items():
        target = section.get(name, name) if name in node.type.attributes or name in section else None
        path = target if isinstance(target, list) else [target]
        value: Any
        if len(path) >= 2 and path[0] in nested.node_templates:
            value = {"get_attribute": [nested.node_templates[path[0]].name, *path[1:]]}
        elif isinstance(path[0], str) and path[0] in nested.outputs:
            value = _outside(nested.outputs[path[0]].value, node, nested)
        else:
            continue
        node.attributes[name] = Assignment(value, definition, place_of(section, name), building.scope.base)


def _outside(value: Any, node: NodeTemplate, nested: Topology) -> Any:
    """A value of the nested topology as it is written outside of it: with full names, and inputs as properties."""
    if isinstance(value, list):
        return [_outside(one, node, nested) for one in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1:
        name, arguments = next(iter(value.items()))
        path = arguments if isinstance(arguments, list) else [arguments]
        if name == "get_input" and path and isinstance(path[0], str) and path[0] in nested.inputs:
            given = nested.input_values.get(path[0], nested.inputs[path[0]].default)
            return _part_of_input(given, path, nested.inputs[path[0]].place)
        if name in ("get_property", "get_attribute", "get_operation_output", "get_artifact") and path:
            inner = nested.node_templates.get(path[0]) if isinstance(path[0], str) else None
            if inner is not None:
                return {name: [inner.name, *path[1:]]}
    return {key: _outside(one, node, nested) for key, one in value.items()}


def _part_of_input(given: Any, path: list[Any], place: Place | None) -> Any:
    """What `get_input` of a path means, where the input is given a value or a property."""
    if isinstance(given, Mapping) and "get_property" in given:
        return {"get_property": [*given["get_property"], *path[1:]]}
    if given is None or is_computed(given):
        return given
    return part_of(given, path[1:], f"the input '{path[0]}'", place)


#: Node types, with those that derive from them -> what implements one here.
STAND_INS: dict[str, str] = {
    "unfurl.nodes.Installer.Terraform": "a folder of *.tf files as the implementation",
}


def stand_in_fault(template: NodeTemplate) -> InvalidInput | None:
    """Why no job can deploy or delete the instances of a node template; None if one can."""
    instead = next((STAND_INS[one.name] for one in template.type.lineage() if one.name in STAND_INS), None)
    if instead is None or not NOT_DEPLOYED.isdisjoint(template.directives) or template.deploys:
        return None
    message = f"nothing implements the type {template.type.name} of node template '{template.name}'"
    return InvalidInput(message, template.place, f"give it operations: {instead}, for instance")
