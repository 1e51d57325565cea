"""Follows paths through the model and through data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.expressions.connections import Connections
from ansible_ensemble.expressions.context import Context, Unreadable
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.path import Filter, Path, Segment, Variable, parse_path
from ansible_ensemble.expressions.special import Everything, special
from ansible_ensemble.language.functions import KEYWORDS
from ansible_ensemble.views.data import MISSING, bare, child
from ansible_ensemble.views.lazy import LazyMap
from ansible_ensemble.views.view import View


def follow(text: str, context: Context) -> Any:
    """The value a path leads to: null for no match, the match if it is one, else the list of matches.

    Raises:
        Deferred: it leads over an attribute that is not known yet.
    """
    try:
        path = parse_path(text)
    except InvalidInput as error:
        raise InvalidInput(error.message, context.place, error.hint) from None
    return resolved(list(matches(path, context)))


def resolved(found: list[Any]) -> Any:
    """One match is itself, none is null."""
    if not found:
        return None
    return found[0] if len(found) == 1 else found


def matches(path: Path, context: Context) -> Iterator[Any]:
    """Everything a path leads to, in order."""
    first, *rest = path.segments
    if first.key is None and not first.filters and rest:
        start: Any = Everything(context.evaluator, context.tracker)
        segments = rest
    elif isinstance(first.key, Variable):
        value = _variable(first.key, context)
        start, segments = value, [Segment(None, first.filters, first.first), *rest]
    elif isinstance(first.key, str) and not first.key.startswith(".") and isinstance(context.current, View):
        start, segments = _holder(first.key, context), list(path.segments)
    else:
        start, segments = context.current, list(path.segments)
    found: Iterable[Any] = [start]
    before: Segment | None = None
    for segment in segments:
        if context.is_unfurl and isinstance(segment.key, int) and before is not None and before.filters:
            found = _flat(found)  # a number behind a filter is one of each item
        found = _step(found, segment, context)
        before = segment
    return iter(list(found))


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from (child(value, item) for item in value) if isinstance(value, (list, tuple)) else (value,)


def _holder(key: str, context: Context) -> Any:
    """The nearest of the current thing and those it is part of or hosted on that has the key."""
    candidates = [context.current, *special(context.current, ".parents", context)]
    for candidate in candidates:
        if key == "*" or key in candidate.names():
            return candidate
    return context.current


def _step(values: Iterable[Any], segment: Segment, context: Context) -> Iterator[Any]:
    if segment.key == "*" and context.is_unfurl:
        segment = Segment("*")  # neither its filters nor its ? count
    for value in values:
        for found in _lookup(value, segment.key, context):
            for match in _filtered(found, segment, context):
                yield match
                if segment.first:
                    return


def _lookup(value: Any, key: str | int | Variable | None, context: Context) -> Iterator[Any]:
    if isinstance(key, Variable):
        key = _key(bare(_variable(key, context)), context)
    if key is None:
        yield value
    elif key == "*":
        yield from _all(value, context)
    elif isinstance(key, str) and key.startswith("."):
        yield from _special(value, key, context)
    elif isinstance(value, (list, tuple)):
        yield from _items(value, key, context)
    elif isinstance(value, View):
        found = value.lookup(str(key), context.tracker)
        if found is not MISSING:
            yield found
    elif isinstance(value, Mapping):
        name = key if key in value else str(key)
        if name in value:
            yield child(value, value[name])
    elif context.is_unfurl and isinstance(value, str) and isinstance(key, int) and -len(value) <= key < len(value):
        yield child(value, value[key])


def _items(value: list[Any] | tuple[Any, ...], key: str | int, context: Context) -> Iterator[Any]:
    """The item of a number; of a name, what each item has under it."""
    if not isinstance(key, int):
        for item in value:
            yield from _lookup(child(value, item), key, context)
    elif -len(value) <= key < len(value):
        yield child(value, value[key])


def _key(value: Any, context: Context) -> str | int | None:
    if value is None or isinstance(value, (dict, list)):
        raise context.failure("a variable that is used as a key must be text or a number")
    return value if isinstance(value, (str, int)) else str(value)


def _special(value: Any, key: str, context: Context) -> Iterator[Any]:
    if isinstance(value, (list, tuple)) and key != ".":
        for item in value:
            yield from _special(child(value, item), key, context)
        return
    found = special(value, key, context)
    if found is not MISSING:
        yield found


def _all(value: Any, context: Context) -> Iterator[Any]:
    if context.is_unfurl and isinstance(value, Everything):
        yield value["root"]
    if isinstance(value, View):
        for key in value.names():
            yield value.lookup(key, context.tracker)
    elif isinstance(value, Mapping):
        for key in value:
            yield child(value, value[key])
    elif isinstance(value, (list, tuple)) and not context.is_unfurl:
        for item in value:
            yield child(value, item)


def _filtered(value: Any, segment: Segment, context: Context) -> Iterator[Any]:
    """The value if it meets the filters of a segment; of a list, and of all instances, each item that does.

    In Unfurl, filters behind a key are of its value as a whole; they pick items where they stand alone: `a::[b]`.
    """
    is_list = isinstance(value, (list, tuple))
    if not segment.filters:
        yield value
        return
    if context.is_unfurl and not (is_list and segment.key is None):
        if all(_is_met(value, condition, context) for condition in segment.filters):
            yield value
        return
    items: Iterable[Any] = [value]
    if is_list:
        items = [child(value, item) for item in value]
    elif isinstance(value, (Everything, LazyMap)):
        items = value.values()
    for item in items:
        if all(_meets(item, condition, context) for condition in segment.filters):
            yield item


def _is_met(value: Any, condition: Filter, context: Context) -> bool:
    """Whether a value as a whole meets a condition: a list does if one of its items does, with `!` if all do."""
    is_index = condition.path is not None and isinstance(condition.path.segments[0].key, int)
    if is_index or not isinstance(value, (list, tuple)):
        return _meets(value, condition, context)
    met = [_meets(child(value, item), condition, context) for item in value]
    return all(met) if condition.turned else any(met)


def _meets(value: Any, condition: Filter, context: Context) -> bool:
    found = [value] if condition.path is None else list(_relative(condition.path, context.at(value)))
    if condition.test is None:
        return any(bool(item) or isinstance(item, View) for item in found) != condition.negated
    test = condition.test
    if not found and context.is_unfurl:
        return condition.turned  # it differs from nothing, too
    expected = bare(_variable(test, context)) if isinstance(test, Variable) else test
    return any(_equal(bare(item), expected) for item in found) != condition.negated


def _relative(path: Path, context: Context) -> Iterator[Any]:
    """Like `matches`, but a name is looked up on the thing itself only."""
    first = path.segments[0]
    if isinstance(first.key, str) and not first.key.startswith("."):
        found: Iterable[Any] = [context.current]
        for segment in path.segments:
            found = _step(found, segment, context)
        return iter(list(found))
    return matches(path, context)


def _equal(value: Any, expected: Any) -> bool:
    if not isinstance(expected, str) or isinstance(value, str):
        return bool(value == expected)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value] == expected.lower()
    if isinstance(value, (int, float)):
        try:
            return bool(value == float(expected))
        except ValueError:
            return False
    return False


#: Variables that are always there, to compare with: `[flag=$true]`.
_CONSTANTS = {"true": True, "false": False, "null": None}


def _variable(variable: Variable, context: Context) -> Any:
    name = variable.name
    if name in context.variables:
        value = context.variables[name]
        if isinstance(value, Unreadable):
            raise value.error
        return value
    if name in context.frame.variables:
        return context.frame.variables[name]
    if name == "inputs":
        return context.frame.inputs
    if name in context.environment.variables:
        return context.environment.variables[name]
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    found = _part_of_model(name, context)
    if found is not None:
        return found
    raise context.failure(f'there is no variable "${name}"', hint="`vars` beside `eval` sets variables")


def _part_of_model(name: str, context: Context) -> Any:
    """What templates see by this name, too."""
    match name:
        case "connections":
            return Connections(context)
        case "ROOT" | "TOPOLOGY":
            return context.evaluator.root
        case "start":
            return context.current
        case "NODES":
            return Everything(context.evaluator, context.tracker)
    return named(context, name) if name in KEYWORDS else None
