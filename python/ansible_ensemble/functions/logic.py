"""Logic and loops. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.json_schema import fits
from ansible_ensemble.expressions.context import Call
from ansible_ensemble.expressions.values import for_each
from ansible_ensemble.functions.registration import function
from ansible_ensemble.views.data import bare, plain


@function("if", options=("then", "else"), taints=False)
def if_(call: Call) -> Any:
    """The value of `then` if the condition is true, else that of `else` (null where there is none).

    Example: `{eval: {if: .targets::db, then: {q: with}, else: {q: without}}}`
    """
    branch = "then" if is_true(call.operand(call.raw)) else "else"
    return call.operand(call.expression[branch]) if branch in call.expression else None


@function("and", taints=False)
def and_(call: Call) -> Any:
    """The first operand that is false, else the last one.

    Example: `{eval: {and: [.targets::db, .targets::db::url]}}`
    """
    value: Any = None
    for operand in call.operands(1):
        value = call.operand(operand)
        if not is_true(value):
            return value
    return value


@function("or", taints=False)
def or_(call: Call) -> Any:
    """The first operand that is true, else the last one.

    Example: `{eval: {or: [.::nickname, .::name]}}`
    """
    value: Any = None
    for operand in call.operands(1):
        value = call.operand(operand)
        if is_true(value):
            return value
    return value


@function("not")
def not_(call: Call) -> Any:
    """Whether the operand is false: null, false, 0, or empty.

    Example: `{eval: {not: .::debug}}`
    """
    operands = call.operands(1, 1)
    return not is_true(call.operand(operands[0]))


@function("q", "quote", top=True, taints=False)
def quote(call: Call) -> Any:
    """What is given, as it is written: nothing in it is evaluated.

    Example: `{q: {get_input: "is not evaluated"}}`
    """
    return call.raw


@function("foreach", taints=False)
def foreach(call: Call) -> Any:
    """Map over the current list or map; also a key beside `eval`.

    An expression gives a list; `{key: ..., value: ...}` gives a map. `$item`, `$key`, `$index` and `$collection` are
    set; the values `$continue` and `$break` leave an item out and end the loop.

    Example: `{eval: "::db::tags", foreach: {eval: {concat: [{eval: $item}, "!"]}}}`
    """
    return for_each(call.raw, call.context.current, call.context)


@function("is_function_defined")
def is_function_defined(call: Call) -> Any:
    """Whether there is a function of this name.

    Example: `{eval: {is_function_defined: kubectl}}`
    """
    return call.text(call.raw) in call.context.evaluator.functions


@function("validate", "validate_json")
def validate(call: Call) -> Any:
    """Whether a value fits a JSON Schema: `[value, schema]`.

    Example: `{eval: {validate: [{get_input: size}, {type: integer, minimum: 1}]}}`
    """
    raw_value, raw_schema = call.operands(2, 2)
    schema = bare(call.value(raw_schema))
    value = bare(call.value(raw_value))
    try:
        return fits(value, schema)
    except InvalidInput as error:
        raise call.failure(f"the second argument of {call.name}: {error.message}") from error


def is_true(value: Any) -> bool:
    """Whether a value counts as true: it is there, and not false, 0 or empty."""
    if isinstance(value, (Mapping, list, tuple)):
        return len(value) > 0
    return bool(plain(value))
