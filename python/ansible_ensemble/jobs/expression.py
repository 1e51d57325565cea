"""The value of an expression that a user asks for, on what is recorded."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.language.functions import is_template


def value_of(read: Ensemble, expression: str, instance: str | None = None) -> Any:
    """The value of an expression (a path, a template, or a function in YAML), secrets masked.

    SELF and relative paths mean the instance; without one, the topology.

    Raises:
        Deferred: it needs an attribute that is not known yet.
    """
    known = read.instances.get(instance) if instance is not None else None
    if instance is not None and known is None:
        names = [one.name for one in read.instances]
        raise InvalidInput(f'there is no instance "{instance}"', hint=nearest_or_known(instance, names))
    scope = read.evaluator.scope(known)
    text = expression.strip()
    if text.startswith(("{", "[")) and not text.startswith(("{{", "{%")):
        value = scope.evaluate(parse_yaml(text, "the expression").data)
    else:
        value = scope.evaluate(text) if is_template(text) else scope.query(text)
    return read.redactor.data(value)
