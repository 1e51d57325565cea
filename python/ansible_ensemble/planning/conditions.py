"""Conditions of workflows and triggers [TOSCA 1.3, 3.6.24, 3.6.25]: what of them is not met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.schema import clause_fault
from ansible_ensemble.language.values import violation

#: Gives the value of an attribute, a property or `state`; None where there is none, or none yet.
Read = Callable[[str], Any]


def unmet(condition: Any, read: Read) -> str | None:
    """Why a condition is not met, None if it is.

    Args:
        condition: a clause, or a list of clauses that all have to be met: `and`, `or`, `not`, `assert` with clauses,
            or an attribute's name with constraints.
        read: gives the values.
    """
    if isinstance(condition, Mapping):
        faults = (_unmet_clause(str(name), operand, read) for name, operand in condition.items())
    elif isinstance(condition, list):
        faults = (unmet(clause, read) for clause in condition)
    else:
        return f"{condition!r} is not a condition"
    return next((fault for fault in faults if fault is not None), None)


def condition_fault(condition: Any) -> str | None:
    """Why nobody could ever say whether a condition is met, None if one can; in the words of `unmet`."""
    if isinstance(condition, list):
        faults = (condition_fault(clause) for clause in condition)
    elif isinstance(condition, Mapping):
        faults = (_clause_fault(str(name), operand) for name, operand in condition.items())
    else:
        return f"{condition!r} is not a condition"
    return next((fault for fault in faults if fault is not None), None)


def _clause_fault(name: str, operand: Any) -> str | None:
    if name in ("and", "assert", "or", "not"):
        return condition_fault(operand)
    odd = (_odd(constraint) for constraint in _constraints(operand))
    return next((f"its {name} {fault}" for fault in odd if fault is not None), None)


def _constraints(operand: Any) -> list[Mapping[str, Any]]:
    clauses = operand if isinstance(operand, list) else [operand]
    return [clause if isinstance(clause, Mapping) else {"equal": clause} for clause in clauses]


def _unmet_clause(name: str, operand: Any, read: Read) -> str | None:
    if name in ("and", "assert"):
        return unmet(operand, read)
    if name == "or":
        faults = [unmet(clause, read) for clause in (operand if isinstance(operand, list) else [operand])]
        return None if None in faults or not faults else " and ".join(str(fault) for fault in faults)
    if name == "not":
        return "negated condition holds" if unmet(operand, read) is None else None
    value = read(name)
    if value is None:
        return f"its {name} is unknown"
    for constraint in _constraints(operand):
        fault = _odd(constraint) or violation(value, constraint)
        if fault is not None:
            return f"its {name} {fault}"
    return None


def _odd(constraint: Mapping[str, Any]) -> str | None:
    """Why nobody can say whether a value fits a constraint, None if one can."""
    for operator, operand in constraint.items():
        if is_computed(operand):
            return f"is compared with {operand}, which is not evaluated here"
        fault = clause_fault(str(operator), operand)
        if fault is not None:
            return f"cannot be compared: {fault}"
    return None
