"""What instances have beside values: relationships, capabilities and artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.expressions.context import Frame
from ansible_ensemble.expressions.data import MISSING
from ansible_ensemble.expressions.entities import NodeView, View
from ansible_ensemble.expressions.tracker import Tracker
from ansible_ensemble.instances.instance import RelationshipInstance
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    Capability,
    Group,
    ParameterDefinition,
    Policy,
    Relationship,
)

if TYPE_CHECKING:
    from ansible_ensemble.expressions.evaluator import Evaluator


class RelationshipView(View):
    """A relationship between two instances.

    Attributes:
        source, target: its two sides.
        declared: what the topology says of it; None if that is gone from the spec.
    """

    __slots__ = ("_fixed", "declared", "source", "target")

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
    def type_name(self) -> str:
        """Name of its relationship type."""
        return self.declared.type.name if self.declared is not None else ""

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

    def frame(self) -> Frame:
        """SELF is the relationship; SOURCE and TARGET are its sides."""
        return Frame(instance=self.source, relationship=self)

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """Properties that its type declares."""
        return self.declared.type.properties if self.declared is not None else {}

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """Attributes that its type declares."""
        return self.declared.type.attributes if self.declared is not None else {}

    def properties(self) -> Mapping[str, Assignment]:
        """Properties that the template or requirement assigns."""
        return self.declared.properties if self.declared is not None else {}

    def attributes(self) -> Mapping[str, Assignment]:
        """Attributes that the template or requirement presets."""
        return self.declared.attributes if self.declared is not None else {}

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set."""
        return self.instance.attributes if self.instance is not None else {}


class CapabilityView(View):
    """A capability of an instance.

    Attributes:
        node: the instance.
    """

    __slots__ = ("_declared", "node")

    def __init__(self, node: NodeView, declared: Capability) -> None:
        super().__init__(node.evaluator, declared.name, f"{node.ref}::.capabilities::{declared.name}")
        self.node = node
        self._declared = declared

    @property
    def label(self) -> str:
        """`instance.capability`."""
        return f"{self.node.name}.{self.name}"

    @property
    def type_name(self) -> str:
        """Name of its capability type."""
        return self._declared.type.name

    @property
    def owner(self) -> View:
        """Its instance."""
        return self.node

    def frame(self) -> Frame:
        """SELF is the instance."""
        return self.node.frame()

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """Properties that its type declares."""
        return self._declared.type.properties

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """Attributes that its type declares."""
        return self._declared.type.attributes

    def properties(self) -> Mapping[str, Assignment]:
        """Properties that the template assigns."""
        return self._declared.properties

    def attributes(self) -> Mapping[str, Assignment]:
        """Attributes that the template presets."""
        return self._declared.attributes

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set: the instance keeps them as a map under the capability's name."""
        values = self.node.live().get(self.name)
        return values if isinstance(values, Mapping) else {}

    def derived(self, name: str, tracker: Tracker) -> Any:
        """The `ip_address` of an endpoint is that of what hosts its node [TOSCA 1.3, 5.5.7]."""
        if name != "ip_address" or not self._declared.type.is_a("tosca.capabilities.Endpoint"):
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

    def frame(self) -> Frame:
        """SELF is the instance."""
        return self.node.frame()

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

    __slots__ = ("_declared",)

    def __init__(self, evaluator: Evaluator, declared: Policy | Group | Relationship, namespace: str) -> None:
        ref = f"{evaluator.prefix}::.declared::{namespace}::{declared.type.name}::{declared.name}"
        super().__init__(evaluator, declared.name, ref)
        self._declared = declared

    @property
    def type_name(self) -> str:
        """Name of its type."""
        return self._declared.type.name

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """Properties that its type declares."""
        return self._declared.type.properties

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """Attributes that its type declares."""
        return self._declared.type.attributes

    def properties(self) -> Mapping[str, Assignment]:
        """Properties that it assigns."""
        return self._declared.properties
