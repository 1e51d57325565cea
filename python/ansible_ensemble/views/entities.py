"""Instances as expressions see them, with their relationships, capabilities and artifacts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import Artifact, Assignment, Capability, Entity, NodeTemplate, Relationship
from ansible_ensemble.topology.directives import RETAINED
from ansible_ensemble.topology.scaling import instance_names, is_asked_for, link_targets
from ansible_ensemble.views.data import MISSING
from ansible_ensemble.views.lazy import LazyMap
from ansible_ensemble.views.reads import Deferred, Tracker
from ansible_ensemble.views.view import Model, View


def find_node(model: Model, name: str) -> NodeView | None:
    """The instance of this name, recorded or to be made."""
    instance = model.instances.get(name)
    if instance is not None:
        return NodeView(model, name, instance.template)
    templates = model.topology.node_templates
    stem = name if name in templates else name.rpartition("_")[0]
    template = templates.get(stem)
    return NodeView(model, name, stem) if template is not None and is_asked_for(template, name) else None


def nodes_of(model: Model, template: NodeTemplate) -> list[NodeView]:
    """The instances of a template, those that are to be made too."""
    asked_for = [] if RETAINED in template.directives else instance_names(template)
    recorded = [instance.name for instance in model.instances.of_template(template.name)]
    return [NodeView(model, name, template.name) for name in dict.fromkeys([*asked_for, *recorded])]


class NodeView(View):
    """An instance of a node template; before it is made, the instance that will be."""

    __slots__ = ("_fixed", "_template_name")

    def __init__(self, evaluator: Model, name: str, template: str, fixed: Instance | None = None) -> None:
        super().__init__(evaluator, name, f"{evaluator.prefix}::{name}")
        self._template_name = template
        self._fixed = fixed

    @property
    def instance(self) -> Instance | None:
        """Its status; None before it is made."""
        return self._fixed or self.evaluator.instances.get(self.name)

    @property
    def template(self) -> NodeTemplate | None:
        """Its node template; None if that is gone from the spec."""
        return self.evaluator.topology.node_templates.get(self._template_name)

    @property
    def declared(self) -> NodeTemplate | None:
        """Its node template."""
        return self.template

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set."""
        return self.instance.attributes if self.instance is not None else {}

    def withheld(self) -> Collection[str]:
        """Secrets that operations set, where there was no vault password to keep them by."""
        return self.instance.withheld if self.instance is not None else ()

    def recorded(self) -> Mapping[str, Any]:
        """Properties as they were when it was configured, if its template is gone."""
        return self.instance.properties if self.template is None and self.instance is not None else {}

    def reflected(self, name: str) -> Any:
        """`tosca_id`, `tosca_name` and `state` [TOSCA 1.3, 5.9.1.3]."""
        if name == "state":
            state = self.instance.state if self.instance is not None else None
            return state.value if state is not None else "initial"
        return {"tosca_id": self.name, "tosca_name": self._template_name}.get(name, MISSING)

    @property
    def template_name(self) -> str:
        """Name of its node template."""
        return self._template_name

    def siblings(self) -> list[NodeView]:
        """All instances of its template."""
        return nodes_of(self.evaluator, self.template) if self.template is not None else [self]

    def requirements(self) -> list[RelationshipView]:
        """Its relationships, in the order of declaration."""
        live = self.instance.relationships if self.instance is not None else {}
        found: list[RelationshipView] = []
        if self.template is None:
            for key, status in live.items():
                target = find_node(self.evaluator, status.target)
                if target is not None:
                    found.append(RelationshipView(self, target, key, None))
            return found
        for declared in self.template.requirements:
            for number, name in enumerate(link_targets(declared, self.name)):
                key = f"{declared.name}#{declared.index}" + (f".{number}" if number else "")
                recorded = live[key].target if key in live else name
                target = find_node(self.evaluator, recorded) or find_node(self.evaluator, name)
                if target is not None:
                    found.append(RelationshipView(self, target, key, declared))
        return found

    def incoming(self) -> list[RelationshipView]:
        """Relationships of which it is the target."""
        if self.template is None:
            return []
        return [
            relationship
            for source in dict.fromkeys(declared.source for declared in self.template.incoming)
            for instance in nodes_of(self.evaluator, source)
            for relationship in instance.requirements()
            if relationship.target == self
        ]

    def hosts(self) -> Iterator[NodeView]:
        """The instances that host it, nearest first [TOSCA 1.3, 4.1, HOST]."""
        seen = {self.ref}
        host = self._host()
        while host is not None and host.ref not in seen:
            seen.add(host.ref)
            yield host
            host = host._host()

    def _host(self) -> NodeView | None:
        for relationship in self.requirements():
            if relationship.is_hosted_on:
                return relationship.target
        name = self.instance.host if self.instance is not None else None
        return find_node(self.evaluator, name) if name else None

    def capabilities(self) -> dict[str, CapabilityView]:
        """Its capabilities by name."""
        declared = self.template.capabilities if self.template is not None else {}
        return {name: CapabilityView(self, capability) for name, capability in declared.items()}

    def artifacts(self) -> dict[str, ArtifactView]:
        """Its artifacts by name."""
        declared = self.template.artifacts if self.template is not None else {}
        return {name: ArtifactView(self, artifact) for name, artifact in declared.items()}


class TemplateView(NodeView):
    """A node template, by an instance of it."""

    __slots__ = ()

    def lookup(self, name: str, tracker: Tracker) -> Any:
        """The template's `name` and `type`, else what the instance has."""
        own = {"name": self.template_name, "type": self.type_name}
        return own[name] if name in own else super().lookup(name, tracker)


class RelationshipView(View):
    """A relationship between two instances.

    Attributes:
        source, target: its two sides.
        declared: its declaration in the topology; None if that is gone from the spec.
    """

    __slots__ = ("_fixed", "declared", "source", "target")
    declared: Relationship | None

    def __init__(
        self,
        source: NodeView,
        target: NodeView,
        key: str,
        declared: Relationship | None,
        fixed: RelationshipInstance | None = None,
    ) -> None:
        super().__init__(source.evaluator, key.partition("#")[0], f"{source.ref}::.requirements::{key}")
        self.source = source
        self.target = target
        self.declared = declared
        self._fixed = fixed

    @property
    def key(self) -> str:
        """`<requirement>#<number>`, by which its source's status lists it."""
        return self.ref.rpartition("::")[2]

    @property
    def instance(self) -> RelationshipInstance | None:
        """Its status; None before it is made."""
        if self._fixed is not None:
            return self._fixed
        return self.source.instance.relationships.get(self.key) if self.source.instance is not None else None

    @property
    def label(self) -> str:
        """`source.requirement`."""
        return f"{self.source.name}.{self.name}"

    @property
    def is_hosted_on(self) -> bool:
        """Whether its target hosts its source."""
        if self.declared is not None:
            return self.declared.is_hosted_on
        return self.source.instance is not None and self.source.instance.host == self.target.name

    @property
    def capability(self) -> CapabilityView | None:
        """The capability of its target that it leads to, if it does not lead to the target as a whole."""
        name = self.declared.capability if self.declared is not None else None
        return self.target.capabilities().get(name) if name is not None else None

    @property
    def owner(self) -> View:
        """Its source."""
        return self.source

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set."""
        return self.instance.attributes if self.instance is not None else {}


class CapabilityView(View):
    """A capability of an instance.

    Attributes:
        node: the instance.
    """

    __slots__ = ("declared", "node")
    declared: Capability

    def __init__(self, node: NodeView, declared: Capability) -> None:
        super().__init__(node.evaluator, declared.name, f"{node.ref}::.capabilities::{declared.name}")
        self.node = node
        self.declared = declared

    @property
    def label(self) -> str:
        """`instance.capability`."""
        return f"{self.node.name}.{self.name}"

    @property
    def owner(self) -> View:
        """Its instance."""
        return self.node

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set: the instance keeps them as a map under the capability's name."""
        values = self.node.live().get(self.name)
        return values if isinstance(values, Mapping) else {}

    def derived(self, name: str, tracker: Tracker) -> Any:
        """The `ip_address` of an endpoint is that of what hosts its node [TOSCA 1.3, 5.5.7]."""
        if name != "ip_address" or not self.declared.type.is_a("tosca.capabilities.Endpoint"):
            return MISSING
        is_public = self.has_property("network_name") and self.property("network_name", tracker) == "PUBLIC"
        address = "public_address" if is_public else "private_address"
        for node in (self.node, *self.node.hosts()):
            if address in node.names():
                return node.attribute(address, tracker)
        return MISSING


class ArtifactView(View):
    """An artifact of an instance.

    Attributes:
        node: the instance.
        artifact: its declaration.
    """

    __slots__ = ("artifact", "node")

    def __init__(self, node: NodeView, artifact: Artifact) -> None:
        super().__init__(node.evaluator, artifact.name, f"{node.ref}::.artifacts::{artifact.name}")
        self.node = node
        self.artifact = artifact

    @property
    def label(self) -> str:
        """`instance.artifact`."""
        return f"{self.node.name}.{self.name}"

    @property
    def type_name(self) -> str:
        """Name of its artifact type."""
        return self.artifact.type

    @property
    def owner(self) -> View:
        """Its instance."""
        return self.node

    @property
    def path(self) -> Path:
        """The file as a path; relative ones start in the folder of the file that declares it."""
        base = self.artifact.base or self.evaluator.environment.folder
        return base / self.artifact.file

    def properties(self) -> Mapping[str, Assignment]:
        """Properties that the template assigns."""
        return self.artifact.properties

    def live(self) -> Mapping[str, Any]:
        """What an operation recorded of it."""
        values = self.node.instance.artifacts.get(self.name) if self.node.instance is not None else None
        return values if isinstance(values, Mapping) else {}

    def recorded(self) -> Mapping[str, Any]:
        """The keys of its declaration."""
        artifact = self.artifact
        keys = {
            "file": artifact.file,
            "repository": artifact.repository,
            "deploy_path": artifact.deploy_path,
            "checksum": artifact.checksum,
            "checksum_algorithm": artifact.checksum_algorithm,
            "version": artifact.version,
        }
        return {key: value for key, value in keys.items() if value is not None}


class ValuesView(View):
    """A policy, a group, or a relationship template that no requirement uses: it has properties and no status."""

    __slots__ = ("declared",)
    declared: Entity

    def __init__(self, evaluator: Model, declared: Entity, namespace: str) -> None:
        ref = f"{evaluator.prefix}::.declared::{namespace}::{declared.type.name}::{declared.name}"
        super().__init__(evaluator, declared.name, ref)
        self.declared = declared


def find_values(model: Model, name: str, namespace: str) -> ValuesView | None:
    """A relationship template, a policy or a group by its name, or a policy by that of its type."""
    topology = model.topology.nested.get(namespace, model.topology) if namespace else model.topology
    found = topology.relationship_templates.get(name) or topology.policies.get(name) or topology.groups.get(name)
    found = found or next((one for one in topology.policies.values() if one.type.name == name), None)
    if found is None:
        return None
    entity = found if isinstance(found, Relationship) else Entity(found.name, found.type, found.properties)
    return ValuesView(model, entity, namespace)


class RootView(View):
    """The topology itself: its inputs, its outputs, and every instance by name."""

    __slots__ = ()

    def __init__(self, evaluator: Model) -> None:
        super().__init__(evaluator, "root", f"{evaluator.prefix}::root")

    def names(self) -> list[str]:
        """What it has beside its instances."""
        return ["inputs", "outputs"]

    def lookup(self, name: str, tracker: Tracker) -> Any:
        """`inputs`, `outputs`, or an instance."""
        if name == "inputs":
            return LazyMap(self.evaluator.topology.inputs, lambda key: self.evaluator.input_value(key, "", tracker))
        if name == "outputs":
            return LazyMap(self.evaluator.topology.outputs, lambda key: self.evaluator.output_value(key, tracker))
        return find_node(self.evaluator, name) or MISSING

    def attribute(self, name: str, tracker: Tracker) -> Any:
        """What the path `::root::<name>` gives."""
        value = self.lookup(name, tracker)
        if value is MISSING:
            raise Deferred(f"root.{name} is not known yet", refs=(f"root.{name}",))
        return value
