"""The node templates that an expression leads to before there are any instances: `match` of a node filter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.functions.harmless import harmless_evaluator
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.views.reads import Deferred


def find_matches(topology: Topology, source: NodeTemplate, expression: Any, place: Place | None) -> Collection[str]:
    """Names of the node templates that an expression leads to, as Unfurl's `node_filter: {match: [...]}` has it.

    It is evaluated from the node template that requires, while no instance is there. Where it needs a value that is not
    known yet it leads to nothing; so it does where it needs a template or a function that reaches out of the topology:
    a file that is only read may come from anybody.

    Raises:
        InvalidInput: the expression is wrong.
    """
    # a nested topology knows its node templates by other names than their full ones
    nodes = topology.node_templates
    full = {node.name: node for node in nodes.values()}
    whole = topology if source.name in nodes else replace(topology, node_templates=full)
    scope = harmless_evaluator(whole, Instances(), topology.file.parent).scope(Instance(source.name, source.name))
    written = expression if isinstance(expression, Mapping) else {"eval": expression}
    try:
        found = scope.evaluate(written, place)
    except Deferred:
        return ()
    except InvalidInput as error:
        error.place = error.place or place
        raise
    return {name for name in (found if isinstance(found, list) else [found]) if isinstance(name, str)}
