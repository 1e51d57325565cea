"""All functions of the expression language by name, and their use outside of a topology."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ansible_ensemble.expressions.context import Function
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions import (
    ansible,
    arithmetic,
    environment,
    evaluation,
    external,
    files,
    folders,
    labels,
    logic,
    text,
    tosca,
    version_2,
)
from ansible_ensemble.functions.registration import functions_of
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

_MODULES = (
    evaluation,
    tosca,
    logic,
    arithmetic,
    external,
    files,
    folders,
    labels,
    text,
    ansible,
    environment,
    version_2,
)


@cache
def function_table() -> Mapping[str, Function]:
    """All functions by name and alias."""
    return functions_of(_MODULES, version_2.OF_VALUES)


def evaluate_without_topology(value: Any, file: Path, around: EvaluationEnvironment) -> Any:
    """The value of an expression or template of an ensemble's file for which there are no nodes and no inputs."""
    return Evaluator(Topology(file), Instances(), around, function_table()).scope().evaluate(value)
