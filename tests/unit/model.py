"""A small model to evaluate expressions in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import Place
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    Capability,
    EntityType,
    NodeTemplate,
    Operation,
    ParameterDefinition,
    Relationship,
    Schema,
    Topology,
)
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

ROOT = EntityType("node", "tosca.nodes.Root")
HOSTED_ON = EntityType("relationship", "tosca.relationships.HostedOn")
DEPENDS_ON = EntityType("relationship", "tosca.relationships.DependsOn")


class Model:
    """Builds a topology and its instances step by step."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.place = Place(str(root / "ensemble.yaml"), 7, 3)
        self.topology = Topology(root / "ensemble.yaml")
        self.instances = Instances()
        self.environment = EvaluationEnvironment(root, root, digest_key=b"key", trusted=True)
        self.types = {"tosca.nodes.Root": ROOT}

    def type(self, name: str, parent: str = "tosca.nodes.Root", **attributes: Any) -> EntityType:
        made = EntityType("node", name, self.types[parent])
        made.attributes = {key: self.definition(key, "any", default) for key, default in attributes.items()}
        self.types[name] = made
        return made

    def definition(self, name: str, kind: str = "any", default: Any = None, **more: Any) -> ParameterDefinition:
        return ParameterDefinition(
            name, Schema(kind), default=default, has_default=default is not None, place=self.place, **more
        )

    def assign(self, values: dict[str, Any]) -> dict[str, Assignment]:
        return {key: Assignment(value, None, self.place, self.root) for key, value in values.items()}

    def node(
        self,
        name: str,
        properties: dict[str, Any] | None = None,
        *,
        type: str = "tosca.nodes.Root",
        capabilities: dict[str, dict[str, Any]] | None = None,
        artifacts: dict[str, str] | None = None,
        attributes: dict[str, Any] | None = None,
        **more: Any,
    ) -> NodeTemplate:
        made = NodeTemplate(
            name, self.types[type], self.assign(properties or {}), self.assign(attributes or {}), **more
        )
        for key, values in (capabilities or {}).items():
            kind = EntityType("capability", "tosca.capabilities.Root")
            made.capabilities[key] = Capability(key, kind, self.assign(values))
        for key, file in (artifacts or {}).items():
            made.artifacts[key] = Artifact(key, "tosca.artifacts.File", file, base=self.root)
        self.topology.node_templates[name] = made
        return made

    def require(
        self,
        source: str,
        requirement: str,
        target: str,
        *,
        hosted: bool = False,
        capability: str | None = None,
        **properties: Any,
    ) -> Relationship:
        nodes = self.topology.node_templates
        made = Relationship(
            requirement,
            HOSTED_ON if hosted else DEPENDS_ON,
            self.assign(properties),
            index=len(nodes[source].requirements),
            source=nodes[source],
            target=nodes[target],
            capability=capability,
        )
        nodes[source].requirements.append(made)
        nodes[target].incoming.append(made)
        return made

    def connection(self, name: str, type: str, default_for: str = "ANY", **properties: Any) -> Relationship:
        made = Relationship(name, EntityType("relationship", type), self.assign(properties), default_for=default_for)
        self.topology.relationship_templates[name] = made
        return made

    def input(self, name: str, value: Any = None, kind: str = "any", **more: Any) -> None:
        self.topology.inputs[name] = self.definition(name, kind, **more)
        if value is not None:
            self.topology.input_values[name] = value

    def output(self, name: str, value: Any, **more: Any) -> None:
        definition = self.definition(name, **more)
        definition.value, definition.has_value = value, True
        self.topology.outputs[name] = definition

    def instance(self, name: str, template: str | None = None, **attributes: Any) -> Instance:
        made = Instance(name, template or name, attributes=attributes)
        node = self.topology.node_templates.get(made.template)
        for relationship in node.requirements if node is not None else ():
            live = RelationshipInstance(f"{relationship.name}#{relationship.index}", relationship.target.name)
            made.relationships[live.key] = live
        self.instances.add(made)
        return made

    def operation(self, **inputs: Any) -> Operation:
        return Operation("Standard", "configure", inputs=self.assign(inputs), base=self.root)

    def evaluator(self) -> Evaluator:
        return Evaluator(self.topology, self.instances, self.environment, function_table())

    def evaluate(self, value: Any, on: str | None = None) -> Any:
        evaluator = self.evaluator()
        instance = (self.instances.get(on) or Instance(on, on)) if on else None
        return evaluator.scope(instance).evaluate(value)


@pytest.fixture
def empty(tmp_path: Path) -> Model:
    return Model(tmp_path)


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """app -> hosted on server; app -> db; server has a capability, app an artifact."""
    made = Model(tmp_path)
    made.type("t.Server", public_address=None, private_address=None)
    made.type("t.App", url=None, mode="fast")
    made.input("size", 3, "integer")
    made.input("database", {"port": 5432, "hosts": ["a", "b"]})
    made.node("server", {"os": "linux"}, type="t.Server", capabilities={"host": {"num_cpus": 2}})
    made.node(
        "db",
        {"name": "orders", "tags": ["x", "y"], "settings": {"a": {"b": 1}}},
        capabilities={"endpoint": {"port": {"get_input": ["database", "port"]}}},
    )
    made.node("app", {"port": 8080, "base": "/srv"}, type="t.App", artifacts={"image": "image.txt"})
    made.require("app", "host", "server", hosted=True, capability="host")
    made.require("app", "db", "db", capability="endpoint", weight=7)
    (tmp_path / "image.txt").write_text("contents")
    return made


@pytest.fixture
def build(tmp_path: Path) -> Callable[[], Model]:
    return lambda: Model(tmp_path)
