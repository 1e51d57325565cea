"""Conditions of workflows and triggers [TOSCA 1.3, 3.6.24, 3.6.25]."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.schema import clause_fault
from ansible_ensemble.language.values import violation

#: Gives the value of an attribute, a property or `state`; None where there is none, or none yet.
Read = Callable[[str], object]


def unmet(condition: object, read: Read) -> str | None:
    """Why a condition is not met; None if it is.

    It is a clause, or a list of clauses that all have to be met: `and`, `or`, `not`, `assert` with clauses, or an
    attribute's name with constraints.
    """
    return _fault(condition, lambda name, operand: _unmet_clause(name, operand, read))


def condition_fault(condition: object) -> str | None:
    """Why a condition can never be evaluated, in the words of `unmet`; None if it can."""
    return _fault(condition, _clause_fault)


def _fault(condition: object, clause_fault: Callable[[str, object], str | None]) -> str | None:
    if isinstance(condition, Mapping):
        faults = (clause_fault(str(name), operand) for name, operand in condition.items())
    elif isinstance(condition, list):
        faults = (_fault(clause, clause_fault) for clause in condition)
    else:
        return f"{condition!r} is not a condition"
    return next((fault for fault in faults if fault is not None), None)


def _clause_fault(name: str, operand: object) -> str | None:
    if name in ("and", "assert", "or", "not"):
        return condition_fault(operand)
    odd = (_odd(constraint) for constraint in _constraints(operand))
    return next((f"its {name} {fault}" for fault in odd if fault is not None), None)


def _constraints(operand: object) -> list[Mapping[str, object]]:
    clauses = operand if isinstance(operand, list) else [operand]
    return [clause if isinstance(clause, Mapping) else {"equal": clause} for clause in clauses]


def _unmet_clause(name: str, operand: object, read: Read) -> str | None:
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


def _odd(constraint: Mapping[str, object]) -> str | None:
    """Why a value cannot be compared with a constraint; None if it can."""
    for operator, operand in constraint.items():
        if is_computed(operand):
            return f"is compared with {operand}, which is not evaluated here"
        fault = clause_fault(str(operator), operand)
        if fault is not None:
            return f"cannot be compared: {fault}"
    return None
