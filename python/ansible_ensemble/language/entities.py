"""The nouns of a topology: what the rest of the product sees of TOSCA.

Everything here is resolved: type names are types, requirements point to node templates, inherited definitions are
merged. Values are raw (plain data that may hold TOSCA functions, `eval` expressions or templates) and are evaluated
by the expressions room when they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.notices import Notice
from ansible_ensemble.language.definitions import (
    Artifact,
    Assignment,
    Implementation,
    Interface,
    Operation,
    ParameterDefinition,
    Schema,
    Trigger,
)
from ansible_ensemble.language.entity_types import CapabilityDefinition, EntityType, RequirementDefinition
from ansible_ensemble.language.given_input import GivenInput

__all__ = [
    "Artifact",
    "Assignment",
    "Capability",
    "CapabilityDefinition",
    "Entity",
    "EntityType",
    "Group",
    "Implementation",
    "Interface",
    "NodeTemplate",
    "Operation",
    "ParameterDefinition",
    "Policy",
    "Relationship",
    "RequirementDefinition",
    "Schema",
    "Topology",
    "Trigger",
    "Workflow",
    "WorkflowStep",
]


class Capability(Struct, eq=False):
    """A capability of a node template [TOSCA 1.3, 3.8.1].

    Attributes:
        occurrences: how many relationships it may serve; an upper bound of None is UNBOUNDED. The lower bound asks
            for nothing: it says that so many can be served.
    """

    name: str
    type: EntityType
    properties: dict[str, Assignment] = field(default_factory=dict)
    attributes: dict[str, Assignment] = field(default_factory=dict)
    occurrences: tuple[int, int | None] = (0, None)


class Entity(Struct, eq=False):
    """What node templates and relationships have in common."""

    name: str
    type: EntityType
    properties: dict[str, Assignment] = field(default_factory=dict)
    attributes: dict[str, Assignment] = field(default_factory=dict)
    interfaces: dict[str, Interface] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.type.name!r})"

    def declared(self, called: str) -> Operation | None:
        """The operation `Interface.operation`, of the interface of this name or type, be it implemented or not."""
        interface, _separator, name = called.rpartition(".")
        found = self.find_interface(interface)
        return found.operations.get(name) if found is not None else None

    def find_interface(self, name: str) -> Interface | None:
        """The interface of a name, else the first of a type."""
        return self.interfaces.get(name) or next((one for one in self.interfaces.values() if one.type == name), None)

    def operation(self, interface: str, name: str) -> Operation | None:
        """The operation if it is declared and has an implementation, else None."""
        declared = self.interfaces.get(interface)
        found = declared.operations.get(name) if declared else None
        return found if found is not None and found.implementation is not None else None


class NodeTemplate(Entity, eq=False):
    """A node template [TOSCA 1.3, 3.8.3].

    Attributes:
        requirements: its resolved relationships, in the order of declaration.
        incoming: relationships of which it is the target, ordered by source.
        count: how many instances it makes (`scalable` default_instances, else 1).
        namespace: the nested topology it belongs to (empty for the root topology).
        node_filter: of a template with the directive `select`, as written.
        mapped: of a substituted one, the node template and operation of each call that carries out an operation, by
            `Interface.operation`.
    """

    capabilities: dict[str, Capability] = field(default_factory=dict)
    requirements: list[Relationship] = field(default_factory=list)
    incoming: list[Relationship] = field(default_factory=list)
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    directives: tuple[str, ...] = ()
    description: str = ""
    count: int = 1
    namespace: str = ""
    node_filter: Mapping[str, Any] | None = None
    mapped: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def deploys(self) -> bool:
        """Whether it has an operation that brings it up, or one that finds it where it is discovered."""
        if "discover" in self.directives and self.operation("Install", "discover") is not None:
            return True
        return any(self.operation("Standard", name) is not None for name in ("create", "configure", "start"))


class TargetNumber(Struct, frozen=True):
    """Which instance of its target a requirement leads to [TOSCA 2.0, 8.5.3].

    Attributes:
        number: its number from 0, None for that of the source.
        cycle: after how many the source's number begins anew.
    """

    number: int | None = None
    cycle: int | None = None

    def of(self, source: int) -> int:
        """The number of the target of a source."""
        found = source if self.number is None else self.number
        return found % self.cycle if self.cycle else found


class Relationship(Entity, eq=False):
    """A relationship between two node templates, made by a requirement of its source.

    Attributes:
        name: the requirement's name on the source.
        index: its number among the source's requirements, from 0 (requirement names may repeat).
        template: the relationship template's name, if one was used.
        capability: name of the target's capability, None for the node itself.
        default_for: of a relationship template in Unfurl's dialect: where it is a default connection (`ANY`, `SELF`,
            the name of a node template, a node type or a capability).
        target_number: which one of the target's instances it leads to, None for all of them.
    """

    index: int = 0
    source: NodeTemplate = field(default=None)  # type: ignore[assignment]
    target: NodeTemplate = field(default=None)  # type: ignore[assignment]
    capability: str | None = None
    template: str | None = None
    default_for: str | None = None
    target_number: TargetNumber | None = None

    @property
    def is_hosted_on(self) -> bool:
        """Whether its type derives from tosca.relationships.HostedOn."""
        return self.type.is_a("tosca.relationships.HostedOn")


class Group(Struct, eq=False):
    """A group of node templates [TOSCA 1.3, 3.8.5]."""

    name: str
    type: EntityType
    members: list[str] = field(default_factory=list)
    properties: dict[str, Assignment] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)


class Policy(Struct, eq=False):
    """A policy [TOSCA 1.3, 3.8.6]; targets are names of node templates or groups."""

    name: str
    type: EntityType
    properties: dict[str, Assignment] = field(default_factory=dict)
    targets: list[str] = field(default_factory=list)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)


class WorkflowStep(Struct, eq=False):
    """A step of an imperative workflow [TOSCA 1.3, 3.6.26].

    Attributes:
        target: a node template's or group's name.
        relationship: a requirement of the target whose relationship the step works on.
        activities: as written: delegate, set_state, call_operation, inline, each a one-key map.
    """

    name: str
    target: str
    relationship: str | None = None
    filter: list[Any] = field(default_factory=list)
    activities: list[dict[str, Any]] = field(default_factory=list)
    on_success: list[str] = field(default_factory=list)
    on_failure: list[str] = field(default_factory=list)
    operation_host: str | None = None
    place: Place | None = None


class Workflow(Struct, eq=False):
    """An imperative workflow [TOSCA 1.3, 3.8.7].

    Attributes:
        implementation: what it is in place of steps; base: the folder that its relative files start in.
        outputs: of an implementation, name -> [node template, attribute, ...path].
    """

    name: str
    steps: dict[str, WorkflowStep] = field(default_factory=dict)
    inputs: dict[str, ParameterDefinition] = field(default_factory=dict)
    preconditions: list[dict[str, Any]] = field(default_factory=list)
    implementation: Implementation | None = None
    outputs: dict[str, list[Any]] = field(default_factory=dict)
    base: Path | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None

    def operation(self) -> Operation | None:
        """The operation that it is in place of steps: it is of no instance, but of the ensemble."""
        if self.implementation is None or self.steps:
            return None
        inputs = {name: Assignment({"get_input": name}, one, one.place) for name, one in self.inputs.items()}
        return Operation(
            "run", self.name, self.implementation, inputs, outputs=self.outputs, place=self.place, base=self.base
        )


class Topology(Struct, eq=False):
    """A resolved topology: what should be.

    Attributes:
        inputs: definitions of the topology inputs.
        input_values: values given for them, checked (raw: they may hold expressions).
        lost_inputs: inputs that an earlier job was given, of which the value was not kept; they have none.
        files: every file it was read from, for change detection and the stale check of saved plans.
        fetched: digests of the files that were imported over https, by URL.
        hosts: hosts of the node templates that have some, by the name under which these are written; None where they
            are not known.
        listed: those of which a list names the hosts, and no pattern.
        nested: topologies of substituted node templates, by the node template's name. Their `input_values` are
            raw values that are evaluated in the namespace of the substituted node template.
        relationship_templates: those declared, by name; they have neither source nor target.
        version: the `tosca_definitions_version`.
        asked_outputs: outputs that `get_operation_output` reads somewhere, by `Interface.operation`: they are kept
            although the operation may not declare them.
        data_types: every data type but the primitive ones, by canonical name.
        notices: what is worth knowing of its files.
        seen_types: gives the types of a kind that the file sees, by the names that it knows them under.
        is_unfurl: whether an ensemble of Unfurl's has it: then expressions are what Unfurl makes of them.
        primary: the node template that stands for it, in Unfurl's dialect (`node` of its substitution mapping).
    """

    file: Path
    node_templates: dict[str, NodeTemplate] = field(default_factory=dict)
    inputs: dict[str, ParameterDefinition] = field(default_factory=dict)
    input_values: dict[str, Any] = field(default_factory=dict)
    lost_inputs: dict[str, GivenInput] = field(default_factory=dict)
    outputs: dict[str, ParameterDefinition] = field(default_factory=dict)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    nested: dict[str, Topology] = field(default_factory=dict)
    repositories: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    files: list[Path] = field(default_factory=list)
    fetched: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, Sequence[str] | None] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    notices: list[Notice] = field(default_factory=list)
    relationship_templates: dict[str, Relationship] = field(default_factory=dict)
    version: str = ""
    data_types: MutableMapping[str, EntityType] = field(default_factory=dict)
    asked_outputs: dict[str, set[str]] = field(default_factory=dict)
    seen_types: Callable[[str], Mapping[str, EntityType]] = lambda _value: {}
    is_unfurl: bool = False
    primary: str = ""

    @property
    def warnings(self) -> list[str]:
        """What is worth knowing of its files, in words."""
        return [str(notice) for notice in self.notices]
