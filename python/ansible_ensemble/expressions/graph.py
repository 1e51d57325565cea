"""Instances, templates and relations of one ensemble, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ansible_ensemble.expressions.entities import NodeView, View
from ansible_ensemble.expressions.parts import ArtifactView, CapabilityView, RelationshipView, ValuesView
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import NodeTemplate, Relationship
from ansible_ensemble.topology.directives import RETAINED
from ansible_ensemble.topology.scaling import instance_names, is_asked_for, link_targets

if TYPE_CHECKING:
    from ansible_ensemble.expressions.evaluator import Evaluator


class Graph:
    """Instances, templates and relations of one ensemble, by name.

    An instance that is not made yet stands here as it will be. The name of a scaled template is the name of its first
    instance; `.siblings` gives all.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._topology = evaluator.topology
        self._instances = evaluator.instances
        self._used: dict[tuple[str, str], Relationship] | None = None

    def membership(self) -> tuple[int, str | None]:
        """What changes when an instance is added: values that rest on which instances there are look at it."""
        names = self._instances.by_name
        return len(names), next(reversed(names), None)

    def view(self, instance: Instance) -> NodeView:
        """An instance as expressions see it, recorded or not."""
        fixed = instance if self._instances.get(instance.name) is not instance else None
        return NodeView(self._evaluator, instance.name, instance.template, fixed)

    def find(self, name: str) -> NodeView | None:
        """The instance of this name, recorded or to be made."""
        instance = self._instances.get(name)
        if instance is not None:
            return NodeView(self._evaluator, name, instance.template)
        stem = name if name in self._topology.node_templates else name.rpartition("_")[0]
        template = self._topology.node_templates.get(stem)
        if template is None or not is_asked_for(template, name):
            return None
        return NodeView(self._evaluator, name, stem)

    def nodes_of(self, template: NodeTemplate) -> list[NodeView]:
        """The instances of a template, those that are to be made too."""
        asked_for = [] if RETAINED in template.directives else instance_names(template)
        recorded = [instance.name for instance in self._instances.of_template(template.name)]
        names = dict.fromkeys([*asked_for, *recorded])
        return [NodeView(self._evaluator, name, template.name) for name in names]

    def nodes(self) -> list[NodeView]:
        """All instances: by template in the order of declaration, then those whose template is gone."""
        templates = self._topology.node_templates
        found = [node for template in templates.values() for node in self.nodes_of(template)]
        found.extend(self.view(instance) for instance in self._instances if instance.template not in templates)
        return found

    def names(self) -> list[str]:
        """Names of all instances."""
        return [node.name for node in self.nodes()]

    def relationships_of(self, node: NodeView) -> list[RelationshipView]:
        """An instance's relationships to others."""
        live = node.instance.relationships if node.instance is not None else {}
        found = []
        if node.template is None:
            for key, status in live.items():
                target = self.find(status.target)
                if target is not None:
                    found.append(RelationshipView(node, target, key, None))
            return found
        for declared in node.template.requirements:
            for number, name in enumerate(link_targets(declared, node.name)):
                key = f"{declared.name}#{declared.index}" + (f".{number}" if number else "")
                target = self.find(live[key].target if key in live else name) or self.find(name)
                if target is not None:
                    found.append(RelationshipView(node, target, key, declared))
        return found

    def declared(self, name: str, namespace: str) -> View | None:
        """A relationship template, a policy or a group by its name, or a policy by that of its type.

        A relationship template is the relationship of the first requirement that uses it.
        """
        if self._used is None:
            self._used = {}
            for node in self._topology.node_templates.values():
                for one in node.requirements:
                    if one.template is not None:
                        self._used.setdefault((node.namespace, one.template), one)
        used = self._used.get((namespace, name))
        for source in self.nodes_of(used.source) if used is not None else ():
            for relationship in self.relationships_of(source):
                if relationship.declared is used:
                    return relationship
        topology = self._topology.nested.get(namespace, self._topology) if namespace else self._topology
        found = topology.relationship_templates.get(name) or topology.policies.get(name) or topology.groups.get(name)
        found = found or next((one for one in topology.policies.values() if one.type.name == name), None)
        return ValuesView(self._evaluator, found, namespace) if found is not None else None

    def relationships_to(self, node: NodeView) -> list[RelationshipView]:
        """Relationships of others to an instance."""
        if node.template is None:
            return []
        sources = dict.fromkeys(declared.source for declared in node.template.incoming)
        return [
            relationship
            for source in sources
            for instance in self.nodes_of(source)
            for relationship in self.relationships_of(instance)
            if relationship.target == node
        ]

    def relationship(self, node: NodeView, live: RelationshipInstance) -> RelationshipView | None:
        """The relationship of this status that an instance is the source or the target of."""
        for item in self.relationships_of(node):
            if item.key == live.key and (item.instance is live or live.target != node.name):
                return self._with(item, live)
        for item in self.relationships_to(node):
            if item.key == live.key and item.instance in (live, None):
                return self._with(item, live)
        return self._former(node, live)

    def _former(self, node: NodeView, live: RelationshipInstance) -> RelationshipView | None:
        """The relationship to an instance past the count of its template, which is there to be taken apart."""
        target = self.find(live.target)
        if target is None or node.template is None:
            return None
        for declared in node.template.requirements:
            key = f"{declared.name}#{declared.index}"
            if key in (live.key, live.key.rpartition(".")[0]) and declared.target is target.template:
                return RelationshipView(node, target, live.key, declared)
        return None

    def _with(self, item: RelationshipView, live: RelationshipInstance) -> RelationshipView:
        if item.instance is live:
            return item
        return RelationshipView(item.source, self.find(live.target) or item.target, live.key, item.declared, live)

    def capabilities_of(self, node: NodeView) -> dict[str, CapabilityView]:
        """An instance's capabilities by name."""
        declared = node.template.capabilities if node.template is not None else {}
        return {name: CapabilityView(node, capability) for name, capability in declared.items()}

    def artifacts_of(self, node: NodeView) -> dict[str, ArtifactView]:
        """An instance's artifacts by name."""
        declared = node.template.artifacts if node.template is not None else {}
        return {name: ArtifactView(node, artifact) for name, artifact in declared.items()}
