"""Instances, templates and relations of one ensemble, by name."""

from __future__ import annotations

from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import Relationship
from ansible_ensemble.views.entities import NodeView, RelationshipView, find_node, find_values, nodes_of
from ansible_ensemble.views.view import Model, View


class Graph:
    """Instances, templates and relations of one ensemble, by name.

    An instance that is not created yet is shown as it will be. The name of a scaled template is the name of its first
    instance; `.siblings` gives all.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._topology = model.topology
        self._instances = model.instances
        self._used: dict[tuple[str, str], Relationship] | None = None

    def membership(self) -> tuple[int, str | None]:
        """What changes when an instance is added: values that rest on which instances there are look at it."""
        names = self._instances.by_name
        return len(names), next(reversed(names), None)

    def view(self, instance: Instance) -> NodeView:
        """An instance as expressions see it, recorded or not."""
        fixed = instance if self._instances.get(instance.name) is not instance else None
        return NodeView(self._model, instance.name, instance.template, fixed)

    def find(self, name: str) -> NodeView | None:
        """The instance of this name, recorded or to be made."""
        return find_node(self._model, name)

    def nodes(self) -> list[NodeView]:
        """All instances: by template in the order of declaration, then those whose template is gone."""
        templates = self._topology.node_templates
        found = [node for template in templates.values() for node in nodes_of(self._model, template)]
        found.extend(self.view(instance) for instance in self._instances if instance.template not in templates)
        return found

    def names(self) -> list[str]:
        """Names of all instances."""
        return [node.name for node in self.nodes()]

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
        for source in nodes_of(self._model, used.source) if used is not None else ():
            for relationship in source.requirements():
                if relationship.declared is used:
                    return relationship
        return find_values(self._model, name, namespace)

    def relationship(self, node: NodeView, live: RelationshipInstance) -> RelationshipView | None:
        """The relationship of this status that an instance is the source or the target of."""
        for item in node.requirements():
            if item.key == live.key and (item.instance is live or live.target != node.name):
                return self._with(item, live)
        for item in node.incoming():
            if item.key == live.key and item.instance in (live, None):
                return self._with(item, live)
        return self._former(node, live)

    def _former(self, node: NodeView, live: RelationshipInstance) -> RelationshipView | None:
        """The relationship to an instance past the count of its template, which is only there to be disconnected."""
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
