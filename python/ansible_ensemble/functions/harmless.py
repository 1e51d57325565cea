"""An evaluator for files that may come from anybody: what reaches out of the topology is not known to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from msgspec.structs import replace

from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.expressions.context import Call, Context
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.expressions.templates import Templates
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.reads import Deferred


def harmless_evaluator(
    topology: Topology,
    instances: Instances,
    folder: Path,
    *,
    root: Path | None = None,
    repositories: Mapping[str, Path] | None = None,
    redactor: Redactor | None = None,
) -> Evaluator:
    """An evaluator that runs nothing, reads no file, renders no template: what needs that is Deferred.

    The redactor registers each sensitive value that is read.
    """
    around = EvaluationEnvironment(
        root or folder,
        folder,
        environ=_Unknown("the environment"),
        locals=_Unknown("the local values"),
        secrets=_unknown_value,
        externals=_unknown_value,
        redactor=redactor or Redactor(),
        check=True,
        repositories=repositories or {},
    )
    functions = {
        name: one if one.safe else replace(one, run=_unknown, runs=False) for name, one in function_table().items()
    }
    evaluator = Evaluator(topology, instances, around, functions)
    evaluator.templates = _NoTemplates(around)
    return evaluator


def not_given(name: str) -> dict[str, Any]:
    """The substitute for a value that only jobs get: a harmless evaluator does not know it."""
    return {"eval": {"secret": name}}


def _unknown(call: Call, *_arguments: Any, **_options: Any) -> NoReturn:
    raise Deferred(f"{call.name} is evaluated in jobs only")


def _unknown_value(name: str) -> NoReturn:
    raise Deferred(f"{name} is known in jobs only")


class _Unknown(Mapping[str, Any]):
    """Values that are known in jobs alone."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __getitem__(self, name: str) -> NoReturn:
        _unknown_value(f"{name} of {self._what}")

    def __contains__(self, name: object) -> NoReturn:
        _unknown_value(f"{name} of {self._what}")

    def __iter__(self) -> Iterator[str]:
        _unknown_value(self._what)

    def __len__(self) -> int:
        return _unknown_value(self._what)


class _NoTemplates(Templates):
    """What is made by templates is not known before a job."""

    def render(self, text: str, context: Context, overrides: Mapping[str, Any] | None = None) -> Any:
        """Raise Deferred."""
        del text, overrides
        raise Deferred("templates are rendered in jobs only", context.place)

    def decrypt(self, text: str, context: Context) -> str:
        """Raise Deferred."""
        del text
        raise Deferred("secrets are decrypted in jobs only", context.place)
