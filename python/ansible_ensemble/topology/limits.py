"""Whether a constraint can limit values of a type at all [TOSCA 1.3, 3.6.3]."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.documents.json_schema import schema_fault
from ansible_ensemble.language.conditions import CONDITION
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.scalars import is_xml
from ansible_ensemble.language.values import as_declared, type_fault

_SIZES = ("length", "min_length", "max_length")
_SIZED = frozenset({"string", "list", "map", "json", "xml", "any"})
_ORDERS = ("greater_than", "greater_or_equal", "less_than", "less_or_equal", "in_range")
_UNORDERED = frozenset({"boolean", "list", "map", "json", "xml", "null"})


def limit_fault(clause: Mapping[str, Any], base: str) -> str | None:
    """Why a clause means nothing for values of a primitive type, None if it does."""
    for operator, operand in clause.items():
        wrong = (
            (operator in _SIZES and base not in _SIZED)
            or (operator in _ORDERS and base in _UNORDERED)
            or (operator == "pattern" and base not in ("string", "version", "xml", "any"))
            or (operator == "schema" and base not in ("json", "xml", "string", "any"))
        )
        if wrong:
            return f"{operator} does not apply to the type {base}"
        fault = _schema_fault(operand) if operator == "schema" else _operand_fault(operator, operand, base)
        if fault is not None:
            return fault
    return None


def _operand_fault(operator: str, operand: Any, base: str) -> str | None:
    """Why an operand cannot be compared with values of the type."""
    if operator in (*_SIZES, "pattern", CONDITION) or base in ("range", "any"):
        return None
    operands = operand if operator in ("in_range", "valid_values") and isinstance(operand, list) else [operand]
    for one in operands:
        if is_computed(one) or one == "UNBOUNDED" or one is None:
            continue
        if type_fault(as_declared(one, base), base, nested=False) is not None:
            return f"{operator}: {one!r} is not of type {base}"
    return None


def _schema_fault(operand: Any) -> str | None:
    """Why a JSON schema cannot be checked; one of XML was looked at when it was read."""
    if is_computed(operand) or is_xml(operand):
        return None
    try:
        fault = schema_fault(json.loads(operand) if isinstance(operand, str) else operand)
    except (ValueError, RecursionError) as error:
        fault = str(error)
    return f"this is no JSON schema: {fault}" if fault is not None else None
