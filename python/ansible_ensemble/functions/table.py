"""All functions of the expression language by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ansible_ensemble.expressions.context import Function
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
