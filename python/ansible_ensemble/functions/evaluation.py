"""`eval` and `foreach`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.expressions.context import Call, Context, Unreadable
from ansible_ensemble.expressions.query import resolved
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import MISSING, Printed, child, plain, shown
from ansible_ensemble.views.view import View

_STRICT = (True, False, "required", "notnull", None)


@implements("eval", taints=False)
def _eval(
    call: Call,
    expression: Any,
    *,
    vars: Any = None,
    foreach: Any = MISSING,
    select: Any = MISSING,
    strict: Any = None,
    base_dir: Any = None,
    trace: Any = None,
) -> Any:
    context = call.context
    if strict not in _STRICT:
        raise context.failure(f'strict is "{strict}"', hint="it is true, false, required or notnull")
    if base_dir is not None:
        context = replace(context, base=context.folder / Path(str(context.evaluate(base_dir))))
    if vars is not None:
        context = context.at(context.current, _variables(vars, context))
    try:
        result = context.query(expression)
        if context.is_unfurl:
            result = _each_selected(foreach, select, result, context)
        else:
            result = _for_each(foreach, result, context) if foreach is not MISSING else result
            result = _selected(select, result, context) if select is not MISSING else result
    except InvalidInput:
        if strict is not False:
            raise
        result = None
    if trace:
        _trace(result, context)
    if strict == "required" and (result is None or (result == [] and not context.is_unfurl)):
        raise context.failure("it found nothing")
    if strict == "notnull" and result is None:
        raise context.failure("it is null")
    return result


@implements("foreach", taints=False)
def _foreach(call: Call, given: Any) -> Any:
    made = _for_each(given, call.context.current, call.context)
    return resolved(made) if isinstance(made, list) and not isinstance(made, Sensitive) else made


def _variables(raw: Any, context: Context) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise context.failure("vars must be a map of values by name")
    return {str(name): _variable(item, context) for name, item in raw.items()}


def _variable(raw: Any, context: Context) -> Any:
    """The value of a variable; in Unfurl one that cannot be had is an error where it is used."""
    try:
        return context.evaluate(raw)
    except EnsembleError as error:
        if not context.is_unfurl:
            raise
        return Unreadable(error)


def _trace(result: Any, context: Context) -> None:
    tell = context.environment.trace
    if tell is not None:
        start = context.current.label if isinstance(context.current, View) else shown(context.current)
        tell(context.environment.redactor.text(f"{shown(context.expression)} from {start}: {shown(result)}"))


def _selected(raw: Any, result: Any, context: Context) -> Any:
    """What `select` makes of a result: of each item of a list, where it is a map with `value`, as in `foreach`."""
    if not _is_keyed(raw):
        return context.at(result).query(raw, of_result=True)
    made = _for_each(raw, result if isinstance(result, (list, tuple)) else [result], context)
    return made if isinstance(result, (list, tuple)) or not isinstance(made, list) else next(iter(made), None)


def _each_selected(foreach: Any, select: Any, result: Any, context: Context) -> Any:
    """What `foreach` or `select` makes of a result in Unfurl: the first of them that is there, of what was found."""
    raw = select if foreach is MISSING else foreach
    if raw is MISSING:
        return result
    result = plain(result) if isinstance(result, Printed) else result
    if result is None or (isinstance(result, (list, tuple)) and not result):
        return None if foreach is MISSING else []
    made = _for_each(raw, result, context)
    if foreach is MISSING:
        return made if isinstance(made, dict) else resolved(made)
    return [made] if isinstance(made, dict) else made


def _is_keyed(raw: Any) -> bool:
    return isinstance(raw, dict) and "value" in raw and set(raw) <= {"key", "value"}


def _for_each(raw: Any, collection: Any, context: Context) -> Any:
    """Map over a list or map.

    Args:
        raw: an expression for each item, giving a list; or a map with `key` and `value`, giving a map.
        collection: a list, a map, or one value (a list of one), which a map is in Unfurl; null is an empty list.
        context: where the expressions are evaluated; `$item`, `$key`, `$index`, `$collection` are set, and `$break`
            and `$continue` end the loop or leave the item out, as in Unfurl what finds nothing does.
    """
    of_map = isinstance(collection, Mapping) and not context.is_unfurl
    if isinstance(collection, (list, tuple)):
        pairs = [(index, child(collection, item)) for index, item in enumerate(collection)]
    elif of_map:
        pairs = [(key, collection[key]) for key in collection]
    else:
        pairs = [] if collection is None else [(0, collection)]
    keyed = _is_keyed(raw)
    found: list[tuple[Any, Any]] = []
    for index, (key, item) in enumerate(pairs):
        variables = {"collection": collection, "index": index, "key": key, "item": item, **_ENDS}
        inner = context.at(item, variables)
        result = inner.query(raw["value"] if keyed else raw, of_result=True)
        name = plain(inner.query(raw["key"])) if keyed and "key" in raw else key
        if result is BREAK or name is BREAK:
            break
        is_nothing = context.is_unfurl and result is None and item is not None
        if result is not CONTINUE and name is not CONTINUE and not is_nothing:
            found.append((name, result))
    is_map = keyed and ("key" in raw or of_map)
    for name, _result in found if is_map else ():
        if isinstance(name, (dict, list)):
            raise context.failure("the key of an item must be text or a number")
    made: Any = dict(found) if is_map else [result for _name, result in found]
    return mark_sensitive(made) if isinstance(collection, Sensitive) and not context.is_unfurl else made


class _End:
    """What `$break` and `$continue` give."""

    def __init__(self, name: str) -> None:
        self.name = name


BREAK = _End("break")
CONTINUE = _End("continue")
_ENDS: Mapping[str, Any] = {"break": BREAK, "continue": CONTINUE}
