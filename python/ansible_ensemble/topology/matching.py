"""Which node templates meet a requirement, and by which capability [TOSCA 1.3, 3.6.7, 3.7.2, 3.7.3]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.language.entities import (
    Capability,
    EntityType,
    NodeTemplate,
    RequirementDefinition,
    TargetNumber,
)
from ansible_ensemble.language.filters import match_expressions, mismatch
from ansible_ensemble.language.version_2_calls import WANTED
from ansible_ensemble.topology.allocation import Allocations
from ansible_ensemble.topology.building import Building

Target = tuple[NodeTemplate, Capability | None]


class Wanted(Struct):
    """What a requirement of a node template asks for.

    Attributes:
        definition: the requirement of its type.
        node: a node template's name.
        node_type, capability_type: canonical names of the types asked for.
        capability: the name of the target's capability.
        filters: node filters, all of which must fit.
        relationship: a template's name, a type's name, or a map; as written.
        allocation: how much of the capability's properties it takes for itself, as written.
        number: which instance of the node template is meant, None for all.
        times: how many targets are wanted.
        order: its place among the requirements of its node template.
        is_implied: whether the type asks for it and the template says nothing of it.
        is_optional: whether it may stay unmet.
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
    allocation: Mapping[str, Any] = field(default_factory=dict)
    number: TargetNumber | None = None
    times: int = 1
    order: int = 0
    is_implied: bool = False
    is_optional: bool = False

    @property
    def turn(self) -> int:
        """When it is met: what is named goes first, what looks at other relationships goes last."""
        if any("match" in one or "requirements" in one for one in self.filters):
            return 2
        return 0 if self.node is not None else 1


class Candidates(Struct):
    """Node templates by the canonical names of their types and all that these derive from.

    Attributes:
        used: how many relationships each capability serves so far, by node template and capability.
        allocations: how much of their properties these take.
    """

    nodes: Mapping[str, NodeTemplate]
    by_type: dict[str, list[NodeTemplate]] = field(default_factory=dict)
    used: Counter[tuple[str, str]] = field(default_factory=Counter)
    allocations: Allocations = field(default_factory=Allocations)

    def of(self, type_name: str | None) -> list[NodeTemplate]:
        """Node templates of a type, in the order of declaration; of any type if there is no name."""
        if type_name is None:
            return list(self.nodes.values())
        if not self.by_type:
            for node in self.nodes.values():
                for ancestor in node.type.lineage():
                    self.by_type.setdefault(ancestor.name, []).append(node)
        return self.by_type.get(type_name, [])

    def is_full(self, node: NodeTemplate, capability: Capability) -> bool:
        """Whether a capability serves as many relationships as its occurrences allow."""
        high = capability.occurrences[1]
        return high is not None and self.used[node.name, capability.name] >= high


def find_targets(
    node: NodeTemplate, wanted: Wanted, building: Building, candidates: Candidates
) -> tuple[list[Target], str | None]:
    """The node templates that meet a requirement, each with the capability that does, or why there are too few."""
    among = _matches(node, wanted, building)
    if wanted.node is not None:
        target = building.nodes[wanted.node]
        capability, reason = _fit(node, target, wanted, building, candidates)
        if reason is None and wanted.definition.node is not None and not target.type.is_a(wanted.definition.node):
            reason = f"it is a {target.type.name}, not a {wanted.definition.node}"
            if building.scope.is_unfurl:
                building.problems.warn(
                    NoticeCode.OTHER_TARGET,
                    f"'{wanted.node}' is what '{node.name}' requires, though {reason}",
                    wanted.place,
                )
                reason = None
        if reason is None and among is not None and target.name not in among:
            reason = "its node_filter's match does not lead to it"
        return ([], f"'{wanted.node}' does not fit: {reason}") if reason is not None else ([(target, capability)], None)
    found: list[Target] = []
    circular: list[Target] = []
    reasons: list[str] = []
    dependants = _dependants(node)
    for candidate in candidates.of(wanted.node_type):
        if candidate is node or (among is not None and candidate.name not in among):
            continue
        capability, reason = _fit(node, candidate, wanted, building, candidates)
        if reason is not None:
            reasons.append(f"'{candidate.name}': {reason}")
            continue
        (circular if candidate.name in dependants else found).append((candidate, capability))
        if len(found) == wanted.times:
            break
    # as if they were named: relationships of peers may form a circle, others are refused with all that is in it
    found = (found + circular)[: wanted.times]
    if len(found) == wanted.times:
        return found, None
    kind = wanted.node_type or wanted.capability_type or "anything"
    message = f"no node template of {kind} fits" if not found else f"only {len(found)} of {wanted.times} fit"
    if among is not None and not reasons:
        reasons.append(f"match leads to {', '.join(sorted(among)) or 'nothing'}")
    return found, message + (f" ({'; '.join(reasons[:3])})" if reasons else "")


def _dependants(node: NodeTemplate) -> set[str]:
    """Names of the node templates whose requirements, as far as they are met, lead to one."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        sources = [one.source for one in waiting.pop().incoming if one.source.name not in found]
        found.update(source.name for source in sources)
        waiting += sources
    return found


def _matches(node: NodeTemplate, wanted: Wanted, building: Building) -> set[str] | None:
    """Names of the node templates that every `match` of the filters leads to; None if there is none."""
    found: set[str] | None = None
    for expression, place in (pair for one in wanted.filters for pair in match_expressions(one)):
        try:
            names = set(building.find_matches(building.topology, node, expression, place))
        except InvalidInput as error:
            building.problems.errors.append(error)
            return None
        found = names if found is None else found & names
    return found


def _fit(
    source: NodeTemplate, target: NodeTemplate, wanted: Wanted, building: Building, candidates: Candidates
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
        capabilities = [one for one in allowed if not candidates.is_full(target, one)]
        if not capabilities:
            name, bounds = allowed[0].name, allowed[0].occurrences
            return None, f"its capability '{name}' already serves {bounds[1]}, the most that its occurrences allow"
        lacking = [candidates.allocations.lacking(target, one, wanted.allocation) for one in capabilities]
        if all(lacking):
            return None, f"too little of '{lacking[0]}' of its capability '{capabilities[0].name}' is left"
        capabilities = [one for one, name in zip(capabilities, lacking, strict=True) if name is None]
    for node_filter in wanted.filters:
        reason = mismatch(target, _about(node_filter, capabilities), building)
        if reason is not None:
            return None, reason
    return (capabilities[0] if capabilities else None), None


def _about(node_filter: Mapping[str, Any], capabilities: list[Capability]) -> Mapping[str, Any]:
    """A node filter that names the capability that is required, where it says no more than that."""
    entries = node_filter.get("capabilities")
    if not capabilities or not isinstance(entries, list) or not any(WANTED in one for one in entries):
        return node_filter
    name = capabilities[0].name
    return {**node_filter, "capabilities": [{name: one[WANTED]} if WANTED in one else one for one in entries]}


def _may_use(source: EntityType, target: EntityType, capability: Capability) -> bool:
    definition = target.capabilities.get(capability.name)
    allowed = (definition.valid_source_types if definition is not None else []) or capability.type.valid_source_types
    return not allowed or any(source.is_a(one) for one in allowed)
