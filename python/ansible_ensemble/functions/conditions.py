"""Conditions that are evaluated while the files are read: `when` of an import, in Unfurl's dialect."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.functions.harmless import harmless_evaluator
from ansible_ensemble.functions.logic import is_true
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
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

    Raises:
        InvalidInput: it is wrong, or needs what is not known while files are read: every command reads the same.
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
