"""Types and definitions: what node templates, relationships and their values are declared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.core.errors import Place
from ansible_ensemble.language.definitions import Artifact, Interface, ParameterDefinition, Schema, Trigger


class CapabilityDefinition(Struct, eq=False):
    """A capability that a node type offers [TOSCA 1.3, 3.7.2].

    Attributes:
        type: canonical name of the capability type.
        properties, attributes: refinements of the capability type's own definitions.
        valid_source_types: canonical names of the node types that may require it; empty is every type.
        valid_relationship_types: those of the relationships that may lead to it; empty is every type.
        occurrences: how many requirements it may serve; an upper bound of None is UNBOUNDED.
    """

    name: str
    type: str
    properties: dict[str, ParameterDefinition] = field(default_factory=dict)
    attributes: dict[str, ParameterDefinition] = field(default_factory=dict)
    valid_source_types: list[str] = field(default_factory=list)
    valid_relationship_types: list[str] = field(default_factory=list)
    occurrences: tuple[int, int | None] = (0, None)


class RequirementDefinition(Struct, eq=False):
    """A requirement of a node type [TOSCA 1.3, 3.7.3].

    Attributes:
        capability, node, relationship: canonical names of types, None where none is asked for.
        interfaces: interfaces that the definition adds to the relationship.
        occurrences: how often it is to be met; an upper bound of None is UNBOUNDED.
        node_filters: as written, those of the type that it is inherited from first; all must fit.
    """

    name: str
    capability: str | None = None
    node: str | None = None
    relationship: str | None = None
    interfaces: dict[str, Interface] = field(default_factory=dict)
    occurrences: tuple[int, int | None] = (1, 1)
    node_filters: list[Mapping[str, Any]] = field(default_factory=list)
    description: str = ""
    place: Place | None = None


class EntityType(Struct, eq=False):
    """A type of any kind, with what it inherits merged in.

    Attributes:
        kind: `node`, `relationship`, `capability`, `interface`, `artifact`, `data`, `policy` or `group`.
        name: canonical name.
        parent: the type it derives from, the first of several.
        ancestors: of a type that derives from several, nearest first.
        capabilities, requirements, interfaces, artifacts: what its templates have, by name.
        valid_source_types, valid_target_types, valid_target_node_types, valid_relationship_types, members, targets:
            canonical names of types; empty is any.
        triggers: of a policy type.
        schema: of a data type that derives from a primitive one.
    """

    kind: str
    name: str
    parent: EntityType | None = None
    properties: dict[str, ParameterDefinition] = field(default_factory=dict)
    attributes: dict[str, ParameterDefinition] = field(default_factory=dict)
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    capabilities: dict[str, CapabilityDefinition] = field(default_factory=dict)
    requirements: dict[str, RequirementDefinition] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    valid_source_types: list[str] = field(default_factory=list)
    valid_target_types: list[str] = field(default_factory=list)
    valid_target_node_types: list[str] = field(default_factory=list)
    valid_relationship_types: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    schema: Schema | None = None
    ancestors: list[EntityType] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        """Whether its templates may have properties that it does not declare (`additionalProperties` in metadata)."""
        return any(ancestor.metadata.get("additionalProperties") is True for ancestor in self.lineage())

    def __repr__(self) -> str:
        return f"EntityType({self.kind!r}, {self.name!r})"

    def lineage(self) -> Iterator[EntityType]:
        """The type and its ancestors, nearest first; one that several of them derive from comes behind all of these."""
        current: EntityType | None = self
        while current is not None:
            yield current
            if current.ancestors:
                yield from current.ancestors
                return
            current = current.parent

    def is_a(self, name: str) -> bool:
        """Whether the type is, or derives from, the type of this canonical name."""
        current: EntityType | None = self
        while current is not None:  # as `lineage` goes, which takes four times as long
            if current.name == name:
                return True
            if current.ancestors:
                return any(ancestor.name == name for ancestor in current.ancestors)
            current = current.parent
        return False


_LISTS = (
    *("valid_source_types", "valid_target_types", "valid_target_node_types", "valid_relationship_types"),
    *("members", "targets"),
)


def inherit(entity: EntityType, parents: Sequence[EntityType]) -> None:
    """Give a type what it inherits; of two parents that differ the first wins, unless the other refines what it has."""
    first = entity.parent = parents[0]
    if len(parents) > 1:
        ancestors = [one for parent in parents for one in parent.lineage()]
        entity.ancestors = [*dict.fromkeys(reversed(ancestors))][::-1]
    for part in ("properties", "attributes", "capabilities", "requirements", "interfaces", "artifacts", "triggers"):
        setattr(entity, part, _united([[getattr(one, part) for one in parent.lineage()] for parent in parents]))
    for part in (*_LISTS, "schema"):
        setattr(entity, part, getattr(first, part))
    for name, interface in entity.interfaces.items() if len(parents) > 1 else ():
        holders = [
            [one.interfaces[name] for one in parent.lineage() if name in one.interfaces]
            for parent in parents
            if name in parent.interfaces
        ]
        entity.interfaces[name] = made = replace(interface, is_open=any(line[0].is_open for line in holders))
        for part in ("operations", "notifications", "inputs", "input_definitions"):
            setattr(made, part, _united([[getattr(one, part) for one in line] for line in holders]))


def _united(lines: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The entries of several parents; each parent's are followed by those of its ancestors."""
    if len(lines) == 1:
        return dict(lines[0][0])
    found = {}
    for key in dict.fromkeys(key for line in lines for key in line[0]):
        held = [line for line in lines if key in line[0]]
        values = [line[0][key] for line in held]
        newest = (one for one in values if not any(_refines(line, key, one) for line in held))
        found[key] = next(newest, values[0])
    return found


def _refines(line: Sequence[Mapping[str, Any]], key: str, value: Any) -> bool:
    """Whether a parent has an entry in place of what one of its ancestors has."""
    return line[0][key] is not value and any(older.get(key) is value for older in line[1:])
