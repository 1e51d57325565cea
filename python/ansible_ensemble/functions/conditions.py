"""What is evaluated while the files are read: `when` of an import and `match` of a node filter, of Unfurl's dialect."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.functions.harmless import harmless_evaluator
from ansible_ensemble.functions.logic import is_true
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.views.reads import Deferred

#: The connection that conditions of Unfurl's users ask for.
_PROVIDER = "primary_provider"


def is_met(
    condition: Mapping[str, Any] | str,
    file: Path,
    place: Place | None,
    connections: Mapping[str, Any] = types.MappingProxyType({}),
) -> bool:
    """Whether a condition holds, as far as it is known before any node template is.

    `.primary_provider` is the environment's connection of this name, as it is written.
    """
    asked: Mapping[str, Any] = {"eval": condition} if isinstance(condition, str) else condition
    path = asked.get("eval")
    if isinstance(path, str) and path.startswith(f".{_PROVIDER}"):
        given = asked.get("vars") or {}
        if not isinstance(given, Mapping):
            raise InvalidInput(f"the vars of a condition must be a map, not {kind_of(given)}", place)
        given = {**given, _PROVIDER: connections.get(_PROVIDER)}
        asked = {**asked, "eval": f"${path[1:]}", "vars": given}
    scope = harmless_evaluator(Topology(file), Instances(), file.parent).scope()
    try:
        return is_true(scope.evaluate(asked, place))
    except Deferred as deferred:
        message = f"the condition cannot be known while files are read: {deferred.message}"
        raise InvalidInput(message, deferred.place or place) from deferred
    except InvalidInput as error:
        error.place = error.place or place
        raise


def find_matches(topology: Topology, source: NodeTemplate, expression: Any, place: Place | None) -> Collection[str]:
    """Names of the node templates that an expression leads to, as Unfurl's `node_filter: {match: [...]}` has it.

    It is evaluated from the node template that requires, while no instance is there. Where it needs a value that is not
    known yet it leads to nothing; so it does where it needs a template or a function that reaches out of the topology:
    a file that is only read may come from anybody.
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
