"""Evaluates raw data: finds the functions, expressions and templates in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.expressions.context import Call, Context, Function
from ansible_ensemble.expressions.query import follow
from ansible_ensemble.language.functions import is_template, meant
from ansible_ensemble.views.data import plain, shown
from ansible_ensemble.views.view import View

_EVAL_KEYS = ("eval", "ref")
_EVAL_OPTIONS = frozenset({"vars", "select", "foreach", "trace", "strict", "base_dir"})
_STRICT = (True, False, "required", "notnull", None)


def evaluate(value: Any, context: Context) -> Any:
    """The value of raw data.

    A map with the key `eval` or `ref` is an expression, a map whose key is a TOSCA function is that function, text
    with `{{`, `{%` or the header `#jinja2:` is a template; anything else is itself, with its parts evaluated.
    """
    if isinstance(value, str):
        return _text(value, context)
    if isinstance(value, dict):
        place = place_of(value)
        if any(key in value for key in _EVAL_KEYS) and _is_expression(value):
            return _eval(value, context.inside(value, place))
        function = top_function(value, context.evaluator.functions)
        if function is not None:
            made = call(function, value, context.inside(value, place))
            return context.tracker.hide(mark_sensitive(made)) if isinstance(value, Sensitive) else made
        result: Any = {key: _entry(item, context, value, key) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        result = [_entry(item, context, value, index) for index, item in enumerate(value)]
    else:
        return value
    return mark_sensitive(result) if isinstance(value, Sensitive) else result


def _entry(item: Any, context: Context, container: Any, key: Any) -> Any:
    """The value of an entry of a map or list; what is computed stands where the entry was written."""
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


def _is_expression(value: Mapping[Any, Any]) -> bool:
    return all(key in _EVAL_KEYS or key in _EVAL_OPTIONS for key in value)


def top_function(value: Mapping[Any, Any], functions: Mapping[str, Function]) -> Function | None:
    """The function that a map outside `eval` stands for, None if it is just a map."""
    for key in value:
        function = functions.get(key) if isinstance(key, str) else None
        if function is not None and function.top and all(other == key or other in function.options for other in value):
            return function if not function.list_only or isinstance(value[key], list) else None
    return None


def call(function: Function, expression: Mapping[Any, Any], context: Context) -> Any:
    """The result of a function; it is sensitive if a value given to the function was."""
    if context.safe and not function.safe:
        raise context.failure(f"{function.name} cannot be used by the filters of templates")
    if function.runs and not context.environment.trusted:
        raise context.distrust(function.name)
    for key in expression:
        if key != function.name and key not in function.options:
            raise context.failure(f'{function.name} takes no "{key}"', hint=nearest_or_known(key, function.options))
    given = Call(function.name, expression[function.name], expression, context)
    try:
        result = function.run(given)
    except InvalidInput as error:
        if type(error) is InvalidInput and error.place is None and context.place is not None:
            raise InvalidInput(error.message, context.place, error.hint) from error
        raise
    if given.sensitive and function.taints:
        result = context.tracker.hide(mark_sensitive(plain(result)))
    return result


def query(expression: Any, context: Context, *, of_result: bool = False) -> Any:
    """The value of an expression: text is a path, a map is a function or data, a list is a list of values.

    Args:
        expression: what is evaluated.
        context: where.
        of_result: it stands in `foreach` or `select`, and so may be a map with one entry that is data; elsewhere such
            a map is a function that is not known.
    """
    if isinstance(expression, str) and (context.safe or not is_template(expression)):
        return follow(expression, context.inside(expression))
    if isinstance(expression, dict) and not _is_call_of_eval(expression):
        for key in expression:
            function = context.evaluator.functions.get(key) if isinstance(key, str) else None
            if function is not None:
                return call(function, expression, context.inside(expression, place_of(expression)))
        name = next(iter(expression), None)
        if len(expression) == 1 and (not of_result or meant(str(name)) is not None):
            raise context.inside(expression, place_of(expression)).failure(
                f'there is no function "{name}"', hint=nearest_or_known(name, context.evaluator.functions)
            )
    return evaluate(expression, context)


def _is_call_of_eval(expression: Mapping[Any, Any]) -> bool:
    return any(key in expression for key in _EVAL_KEYS) and _is_expression(expression)


def _eval(value: Mapping[str, Any], context: Context) -> Any:
    strict = value.get("strict")
    if strict not in _STRICT:
        raise context.failure(f'strict is "{strict}"', hint="it is true, false, required or notnull")
    if value.get("base_dir") is not None:
        context = replace(context, base=context.folder / Path(str(evaluate(value["base_dir"], context))))
    if value.get("vars") is not None:
        context = context.at(context.current, _variables(value["vars"], context))
    expression = value["eval"] if "eval" in value else value["ref"]
    try:
        result = query(expression, context)
        if "foreach" in value:
            result = for_each(value["foreach"], result, context)
        if "select" in value:
            result = query(value["select"], context.at(result), of_result=True)
    except InvalidInput:
        if strict is not False:
            raise
        result = None
    _trace(value, result, context)
    if strict == "required" and (result is None or result == []):
        raise context.failure("it found nothing")
    if strict == "notnull" and result is None:
        raise context.failure("it is null")
    return result


def _variables(raw: Any, context: Context) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise context.failure("vars must be a map of values by name")
    return {str(name): evaluate(item, context) for name, item in raw.items()}


def _trace(value: Mapping[str, Any], result: Any, context: Context) -> None:
    trace = context.environment.trace
    if value.get("trace") and trace is not None:
        start = context.current.label if isinstance(context.current, View) else shown(context.current)
        trace(context.environment.redactor.text(f"{shown(value)} from {start}: {shown(result)}"))


def for_each(raw: Any, collection: Any, context: Context) -> Any:
    """Map over a list or map.

    Args:
        raw: an expression for each item, giving a list; or a map with `key` and `value`, giving a map.
        collection: a list, a map, or one value (a list of one); null is an empty list.
        context: where the expressions are evaluated; `$item`, `$key`, `$index`, `$collection` are set, and `$break`
            and `$continue` end the loop or leave the item out.
    """
    if isinstance(collection, (list, tuple)):
        pairs = list(enumerate(collection))
    elif isinstance(collection, Mapping):
        pairs = [(key, collection[key]) for key in collection]
    else:
        pairs = [] if collection is None else [(0, collection)]
    keyed = isinstance(raw, dict) and "value" in raw and set(raw) <= {"key", "value"}
    found: list[tuple[Any, Any]] = []
    for index, (key, item) in enumerate(pairs):
        variables = {"collection": collection, "index": index, "key": key, "item": item, **_ENDS}
        inner = context.at(item, variables)
        result = query(raw["value"] if keyed else raw, inner, of_result=True)
        name = plain(query(raw["key"], inner)) if keyed and "key" in raw else key
        if result is BREAK or name is BREAK:
            break
        if result is not CONTINUE and name is not CONTINUE:
            found.append((name, result))
    is_map = keyed and ("key" in raw or isinstance(collection, Mapping))
    for name, _result in found if is_map else ():
        if isinstance(name, (dict, list)):
            raise context.failure("the key of an item must be text or a number")
    made: Any = dict(found) if is_map else [result for _name, result in found]
    return mark_sensitive(made) if isinstance(collection, Sensitive) else made


class _End:
    """What `$break` and `$continue` give."""

    def __init__(self, name: str) -> None:
        self.name = name


BREAK = _End("break")
CONTINUE = _End("continue")
_ENDS: Mapping[str, Any] = {"break": BREAK, "continue": CONTINUE}
