"""Conditions that are evaluated while the files are read: `when` of an import, in Unfurl's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.functions.harmless import harmless_evaluator
from ansible_ensemble.functions.logic import is_true
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.views.reads import Deferred


def is_met(condition: Mapping[str, Any], file: Path, place: Place | None) -> bool:
    """Whether a condition holds, as far as it is known before any node template is.

    Raises:
        InvalidInput: it is wrong, or needs what is not known while files are read: every command reads the same.
    """
    scope = harmless_evaluator(Topology(file), Instances(), file.parent).scope()
    try:
        return is_true(scope.evaluate(condition, place))
    except Deferred as deferred:
        message = f"the condition cannot be known while files are read: {deferred.message}"
        raise InvalidInput(message, deferred.place or place) from deferred
    except InvalidInput as error:
        error.place = error.place or place
        raise
