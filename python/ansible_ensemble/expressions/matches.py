"""The node templates that an expression leads to before there are any instances: `match` of a node filter."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.expressions.reads import Deferred
from ansible_ensemble.expressions.surroundings import Surroundings
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.topology.entities import NodeTemplate, Topology


def find_matches(topology: Topology, source: NodeTemplate, expression: Any, place: Place | None) -> Collection[str]:
    """Names of the node templates that an expression leads to, as Unfurl's `node_filter: {match: [...]}` has it.

    It is evaluated from the node template that requires, as if each had one instance; what it leads to by way of
    values that are not known yet is left out.

    Args:
        topology: as far as it is connected.
        source: the node template that requires.
        expression: a path, or a map with `eval`.
        place: where it stands.

    Raises:
        InvalidInput: the expression is wrong.
    """
    nodes = {node.name: node for node in topology.node_templates.values()}
    instances = Instances()
    for node in nodes.values():
        made = Instance(node.name, node.name)
        for relationship in node.requirements:
            live = RelationshipInstance(f"{relationship.name}#{relationship.index}", relationship.target.name)
            made.relationships[live.key] = live
        instances.add(made)
    folder = topology.file.parent
    whole = dataclasses.replace(topology, node_templates=nodes)
    scope = Evaluator(whole, instances, Surroundings(folder, folder)).scope(instances.by_name[source.name])
    written = expression if isinstance(expression, Mapping) else {"eval": expression}
    try:
        found = scope.evaluate(written, place)
    except Deferred:
        return ()
    except InvalidInput as error:
        error.place = error.place or place
        raise
    return {name for name in (found if isinstance(found, list) else [found]) if isinstance(name, str)}
