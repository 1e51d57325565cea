"""All functions of the expression language by name."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_ensemble.expressions.context import Function
from ansible_ensemble.functions import (
    ansible,
    arithmetic,
    environment,
    external,
    files,
    logic,
    text,
    tosca,
)
from ansible_ensemble.functions.registration import functions_of

#: The modules that have functions, in the order in which they are documented.
MODULES = (tosca, logic, arithmetic, external, files, text, ansible, environment)


def function_table() -> Mapping[str, Function]:
    """All functions by name."""
    return {function.name: function for module in MODULES for function in functions_of(module)}
