"""Maps. Where Go has no order of keys, theirs is that of the texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.values import (
    Struct,
    Value,
    copied,
    deeply_equal,
    in_order,
    kind_of,
    pay,
    type_of,
)
from ansible_ensemble.provision.sprig.conversion import empty, text


def _dict(budget: Budget, *pairs: Any) -> dict[str, Value]:
    pay(budget, pairs[::2])
    values = [*pairs[1::2], ""]
    return {text(key): value for key, value in zip(pairs[::2], values, strict=False)}


def _get(data: dict[str, Value], key: str) -> Value:
    return data.get(key, "")


def _set(data: dict[str, Value], key: str, value: Any) -> dict[str, Value]:
    data[key] = value
    return data


def _unset(data: dict[str, Value], key: str) -> dict[str, Value]:
    data.pop(key, None)
    return data


def _has_key(data: dict[str, Value], key: str) -> bool:
    return key in data


def _keys(budget: Budget, *maps: dict[str, Value]) -> list[str]:
    budget.items(sum(map(len, maps)))
    return [key for data in maps for key, _other in in_order(data)]


def _values(budget: Budget, data: dict[str, Value]) -> list[Value]:
    budget.items(len(data))
    return [value for _other, value in in_order(data)]


def _pluck(key: str, *maps: dict[str, Value]) -> list[Value]:
    return [data[key] for data in maps if key in data]


def _pick(data: dict[str, Value], *keys: str) -> dict[str, Value]:
    return {key: data[key] for key in keys if key in data}


def _omit(budget: Budget, data: dict[str, Value], *keys: str) -> dict[str, Value]:
    budget.items(len(data))
    return {key: value for key, value in data.items() if key not in keys}


def _merge(budget: Budget, data: dict[str, Value], *others: dict[str, Value]) -> Value:
    for other in others:
        pay(budget, other)
        _fill(data, other)
    return data


def _fill(data: dict[str, Value], other: dict[str, Value]) -> None:
    """Give a map the entries it does not have or has empty; maps within both are merged."""
    for key, value in other.items():
        there = data.get(key)
        if isinstance(value, dict) and isinstance(there, dict) and there is not value:
            _fill(there, value)
        elif empty(there) and value is not None:
            data[key] = value


def _merge_overwrite(budget: Budget, data: dict[str, Value], *others: dict[str, Value]) -> Value:
    for other in others:
        pay(budget, other)
        _overwrite(data, other)
    return data


def _overwrite(data: dict[str, Value], other: dict[str, Value]) -> None:
    """Give a map the entries of another; maps within both are merged."""
    for key, value in other.items():
        there = data.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            if there is not value:
                _overwrite(there, value)
        else:
            data[key] = value


def _dig(*arguments: Any) -> Value:
    """The value at a path of keys in a map, which is last; before it stands what is given where there is none."""
    if len(arguments) < 3:
        raise Fault("dig needs at least three arguments")
    *keys, standard, value = arguments
    for key in keys:
        if not isinstance(value, dict) or not isinstance(key, str):
            raise Fault(f"interface conversion: interface {{}} is {type_of(value)}, not map[string]interface {{}}")
        if key not in value:
            return standard
        value = value[key]
    return value


def _deep_copy(budget: Budget, value: Any) -> Value:
    pay(budget, value)
    return copied(value)


def _deep_equal(budget: Budget, first: Any, second: Any) -> bool:
    pay(budget, first)
    pay(budget, second)
    return deeply_equal(first, second)


def _kind_of(value: Any) -> str:
    return "ptr" if isinstance(value, Struct) else kind_of(value)


def _kind_is(kind: str, value: Any) -> bool:
    return kind == _kind_of(value)


def _type_of(value: Any) -> str:
    return type_of(value)


def _type_is(name: str, value: Any) -> bool:
    return name == type_of(value)


def _type_is_like(name: str, value: Any) -> bool:
    return type_of(value) in (name, "*" + name)


TABLE: dict[str, Callable[..., Value]] = {
    "deepCopy": _deep_copy,
    "deepEqual": _deep_equal,
    "dict": _dict,
    "dig": _dig,
    "get": _get,
    "hasKey": _has_key,
    "keys": _keys,
    "kindIs": _kind_is,
    "kindOf": _kind_of,
    "merge": _merge,
    "mergeOverwrite": _merge_overwrite,
    "omit": _omit,
    "pick": _pick,
    "pluck": _pluck,
    "set": _set,
    "typeIs": _type_is,
    "typeIsLike": _type_is_like,
    "typeOf": _type_of,
    "unset": _unset,
    "values": _values,
}
