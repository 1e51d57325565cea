"""Values that are outside of any topology: those of environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment


def evaluate_alone(value: Any, file: Path, around: EvaluationEnvironment) -> Any:
    """The value of an expression or template of an ensemble's file for which there are no nodes and no inputs."""
    return Evaluator(Topology(file), Instances(), around, function_table()).scope().evaluate(value)
