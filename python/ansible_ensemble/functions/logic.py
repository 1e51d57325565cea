"""Logic. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.json_schema import fits
from ansible_ensemble.expressions.context import Call
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.language.functions import functions
from ansible_ensemble.views.data import MISSING, bare, plain


@implements("if", taints=False)
def _if(call: Call, condition: Any, *, then: Any = MISSING, else_: Any = MISSING) -> Any:
    holds = is_true(call.operand(condition))
    chosen = then if holds else else_
    return holds if chosen is MISSING else call.operand(chosen)


@implements("and", taints=False)
def _and(call: Call, *operands: Any) -> Any:
    value: Any = None
    for operand in operands:
        value = call.operand(operand)
        if not is_true(value):
            return None if call.context.is_unfurl and isinstance(value, (list, tuple)) else value
    return value


@implements("or", taints=False)
def _or(call: Call, *operands: Any) -> Any:
    value: Any = None
    for operand in operands:
        value = call.operand(operand)
        if is_true(value):
            return value
    return False if call.context.is_unfurl else value


@implements("not")
def _not(call: Call, operand: Any) -> Any:
    return not is_true(call.operand(operand))


@implements("q", taints=False)
def _q(_call: Call, given: Any) -> Any:
    return given


@implements("is_function_defined")
def _is_function_defined(call: Call, name: Any) -> Any:
    return call.text(name) in functions()


@implements("validate")
def _validate(call: Call, value: Any, schema: Any) -> Any:
    schema = bare(call.value(schema))
    value = bare(call.value(value))
    try:
        return fits(value, schema)
    except InvalidInput as error:
        raise call.failure(f"the second argument of {call.name}: {error.message}") from error


def is_true(value: Any) -> bool:
    """Whether a value counts as true: it is there, and not false, 0 or empty."""
    if isinstance(value, (Mapping, list, tuple)):
        return len(value) > 0
    return bool(plain(value))
