"""Lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.values import Value, deeply_equal, kind_of, pay, sliced
from ansible_ensemble.provision.sprig.conversion import empty, integer


def _items(value: Value, doing: str) -> list[Value]:
    """The items of a list; raise Fault for what is none."""
    if not isinstance(value, list):
        raise Fault(f"Cannot {doing} on type {kind_of(value)}")
    return value


def _list(*values: Any) -> list[Value]:
    return list(values)


def _first(value: Any) -> Value:
    items = _items(value, "find first")
    return items[0] if items else None


def _last(value: Any) -> Value:
    items = _items(value, "find last")
    return items[-1] if items else None


def _rest(value: Any) -> Value:
    items = _items(value, "find rest")
    return items[1:] if items else None


def _initial(value: Any) -> Value:
    items = _items(value, "find initial")
    return items[:-1] if items else None


def _append(budget: Budget, value: Any, item: Any) -> list[Value]:
    budget.items(len(_items(value, "push")))
    return [*value, item]


def _prepend(budget: Budget, value: Any, item: Any) -> list[Value]:
    budget.items(len(_items(value, "prepend")))
    return [item, *value]


def _concat(budget: Budget, *lists: Any) -> Value:
    budget.items(sum(len(_items(items, "concat")) for items in lists))
    joined = [item for items in lists for item in items]
    return joined or None


def _reverse(budget: Budget, value: Any) -> list[Value]:
    items = _items(value, "find reverse")
    budget.items(len(items))
    return items[::-1]


def _compact(budget: Budget, value: Any) -> list[Value]:
    budget.items(len(_items(value, "compact")))
    return [item for item in value if not empty(item)]


def _in(budget: Budget, item: Value, items: list[Value]) -> bool:
    """Whether an item is in a list; each comparison costs the size of what is compared."""
    if isinstance(item, (list, dict)):
        for other in items:
            pay(budget, other)
    else:
        budget.items(len(items))
    return any(deeply_equal(item, other) for other in items)


def _uniq(budget: Budget, value: Any) -> list[Value]:
    found: list[Value] = []
    for item in _items(value, "find uniq"):
        if not _in(budget, item, found):
            found.append(item)
    return found


def _without(budget: Budget, value: Any, *omitted: Any) -> list[Value]:
    return [item for item in _items(value, "find without") if not _in(budget, item, list(omitted))]


def _has(budget: Budget, item: Any, value: Any) -> bool:
    return value is not None and _in(budget, item, _items(value, "find has"))


def _slice(budget: Budget, value: Any, *bounds: Any) -> Value:
    """Sprig's slice of a list; of a text that of Go, which has the same name."""
    if isinstance(value, str):
        return sliced(value, bounds)
    if not isinstance(value, list):
        raise Fault(f"list should be type of slice or array but {kind_of(value)}")
    if not value:
        return None
    start = integer(bounds[0]) if bounds else 0
    end = integer(bounds[1]) if len(bounds) > 1 else len(value)
    if not 0 <= start <= end <= len(value):
        raise Fault("reflect.Value.Slice: slice index out of bounds")
    budget.items(end - start)
    return value[start:end]


def _chunk(budget: Budget, size: int, value: Any) -> list[Value]:
    items = _items(value, "chunk")
    if size < 1:
        raise Fault("integer divide by zero")
    budget.items(len(items))
    return [items[start : start + size] for start in range(0, len(items), size)]


def _default(standard: Any, *given: Any) -> Value:
    return standard if not given or empty(given[0]) else given[0]


def _empty(value: Any) -> bool:
    return empty(value)


def _coalesce(*values: Any) -> Value:
    return next((value for value in values if not empty(value)), None)


def _all(*values: Any) -> bool:
    return not any(map(empty, values))


def _any(*values: Any) -> bool:
    return not all(map(empty, values))


TABLE: dict[str, Callable[..., Value]] = {
    "all": _all,
    "any": _any,
    "append": _append,
    "chunk": _chunk,
    "coalesce": _coalesce,
    "compact": _compact,
    "concat": _concat,
    "default": _default,
    "empty": _empty,
    "first": _first,
    "has": _has,
    "initial": _initial,
    "last": _last,
    "list": _list,
    "prepend": _prepend,
    "push": _append,
    "rest": _rest,
    "reverse": _reverse,
    "slice": _slice,
    "tuple": _list,
    "uniq": _uniq,
    "without": _without,
}
