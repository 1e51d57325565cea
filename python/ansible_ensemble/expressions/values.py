"""Evaluates raw data: finds the functions, expressions and templates in it."""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.expressions.context import Call, Context
from ansible_ensemble.expressions.query import follow
from ansible_ensemble.language.functions import function_name, functions, is_template, meant
from ansible_ensemble.views.data import plain

#: Functions that may have other keys beside their name in Unfurl, too, where no `eval` is around them.
_EXPRESSIONS = ("eval", "ref")


def evaluate(value: Any, context: Context) -> Any:
    """The value of raw data.

    A map with the key `eval` or `ref` is an expression, a map whose key is a TOSCA function is that function, text
    with `{{`, `{%` or the header `#jinja2:` is a template; anything else is itself, with its parts evaluated.
    """
    if isinstance(value, str):
        return _text(value, context)
    if isinstance(value, dict):
        name = function_name(value)
        if name is not None and not (context.is_unfurl and len(value) > 1 and name not in _EXPRESSIONS):
            made = call(name, value, context)
            return context.tracker.hide(mark_sensitive(made)) if isinstance(value, Sensitive) else made
        result: Any = {key: _entry(item, context, value, key) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        result = [_entry(item, context, value, index) for index, item in enumerate(value)]
    else:
        return value
    return mark_sensitive(result) if isinstance(value, Sensitive) else result


def _entry(item: Any, context: Context, container: Any, key: Any) -> Any:
    """The value of an entry of a map or list; a computed one has the position of the entry."""
    if isinstance(item, (dict, list)) or (isinstance(item, str) and is_template(item)):
        place = place_of(container, key) or context.place
        context = replace(context, place=place, subject=f"{context.subject}/{key}")
    return evaluate(item, context)


def _text(value: str, context: Context) -> Any:
    if isinstance(value, VaultText):
        return context.tracker.hide(mark_sensitive(context.evaluator.templates.decrypt(value, context)))
    if context.safe or not is_template(value):
        return context.tracker.hide(value) if isinstance(value, Sensitive) else value
    return context.evaluator.templates.render(value, context.inside(value))


def call(name: str, expression: Mapping[Any, Any], context: Context) -> Any:
    """The result of a function; it is sensitive if a value given to the function was."""
    context = context.inside(expression, place_of(expression))
    function = context.evaluator.functions[name]
    if context.safe and not function.safe:
        raise context.failure(f"{name} cannot be used by the filters of templates")
    if function.runs and not context.environment.trusted:
        raise context.distrust(name)
    fault = function.declaration.fault(name, expression)
    if fault is not None:
        raise context.failure(f"{name}: {fault[0]}", fault[1])
    given = Call(name, expression, context)
    operands = function.declaration.operands(expression[name])
    options = {parameter(key): option for key, option in expression.items() if key != name}
    try:
        result = function.run(given, *operands, **options)
    except InvalidInput as error:
        kind = type(error)  # one of its own kind says more, and stays
        if kind is InvalidInput and error.place is None and context.place is not None:
            raise InvalidInput(error.message, context.place, error.hint) from error
        raise
    if given.sensitive and function.taints:
        result = context.tracker.hide(mark_sensitive(plain(result)))
    return result


def query(expression: Any, context: Context, *, of_result: bool = False) -> Any:
    """The value of an expression: text is a path, a map is a function or data, a list is a list of values.

    Only in `foreach` and `select` (`of_result`) may a map with one entry be data; elsewhere it is a function that is
    not known.
    """
    if isinstance(expression, str) and (context.safe or not is_template(expression)):
        return follow(expression, context.inside(expression))
    if isinstance(expression, dict):
        name = function_name(expression, nested=True) or next((key for key in expression if key in functions()), None)
        if name is not None:
            return call(name, expression, context)
        unknown = next(iter(expression), None)
        if len(expression) == 1 and (not of_result or meant(unknown) is not None):
            raise context.inside(expression, place_of(expression)).failure(
                f'there is no function "{unknown}"', hint=nearest_or_known(unknown, functions())
            )
    return evaluate(expression, context)


def parameter(option: str) -> str:
    """The name of the Python parameter that takes an option."""
    return f"{option}_" if iskeyword(option) else option
