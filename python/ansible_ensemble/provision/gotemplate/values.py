"""Values as Go sees them: kinds, truth, comparison, members.

Data are what JSON gives: None, bool, int, float, str, list, dict; and Struct for what has methods. A whole number of
JSON is an int here and a float64 in Go, which would print a million as 1e+06. So that content written for floats works
as well, an int and a float compare by value (Go refuses that), and a verb for floats takes an int.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.functions import Function
from ansible_ensemble.provision.gotemplate.literals import bytes_of, text_of

Value: TypeAlias = Any  # one of the above; what a function gives or takes


class Struct:
    """What has fields and methods; nothing else of a Python object can be reached from a template.

    Attributes:
        type_name: what errors call it.
        fields: what `.Name` gives.
        methods: what `.Name arguments` calls, with this object as first argument.
        text: how it prints; None for its fields.
    """

    type_name: ClassVar[str] = "struct"
    methods: ClassVar[Mapping[str, Function]] = {}
    fields: Mapping[str, Value]
    text: str | None = None

    def __init__(self, fields: Mapping[str, Value]) -> None:
        self.fields = fields


def type_of(value: Value) -> str:
    """The name of a value's type, as `%T` prints it."""
    if isinstance(value, Struct):
        return value.type_name
    return _TYPES.get(type(value), "<nil>")


def kind_of(value: Value) -> str:
    """The kind of a value in the sense of Go's reflection."""
    if isinstance(value, Struct):
        return "struct"
    return _KINDS.get(type(value), "invalid")


_TYPES: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}
_KINDS: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "float64",
    str: "string",
    list: "slice",
    dict: "map",
}


def truth(value: Value) -> bool:
    """Whether a value counts as true: not nil, not false, not zero, not empty."""
    return isinstance(value, Struct) or bool(value)


def _basic(value: Value) -> str | None:
    """The kind under which a value is compared; None for what is no basic kind."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else None


def equal(first: Value, second: Value) -> bool:
    """Whether two values are equal; raise Fault for what Go does not compare."""
    kinds = _basic(first), _basic(second)
    if kinds[0] != kinds[1]:
        if first is not None and second is not None:
            raise Fault(f"incompatible types for comparison: {type_of(first)} and {type_of(second)}")
        return False
    if kinds[0] is not None:
        return bool(first == second)
    if first is None or second is None:
        return first is second
    if kind_of(first) != kind_of(second):
        raise Fault(f"non-comparable types: {type_of(first)}, {type_of(second)}")
    if not isinstance(second, Struct):
        raise Fault(f"non-comparable type: {type_of(second)}")
    return first is second


def less(first: Value, second: Value) -> bool:
    """Whether one value is less than another; texts are compared by their bytes."""
    kinds = _basic(first), _basic(second)
    if None in kinds:
        raise Fault("invalid type for comparison")
    if kinds[0] != kinds[1]:
        raise Fault(f"incompatible types for comparison: {type_of(first)} and {type_of(second)}")
    if kinds[0] == "bool":
        raise Fault("invalid type for comparison")
    if kinds[0] == "string":
        return bytes_of(first) < bytes_of(second)
    return bool(first < second)


def deeply_equal(first: Value, second: Value) -> bool:
    """Whether two values are the same all through: types, lengths, items."""
    if type(first) is not type(second):
        return False
    if isinstance(first, list):
        return len(first) == len(second) and all(deeply_equal(*pair) for pair in zip(first, second, strict=True))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(deeply_equal(item, second[key]) for key, item in first.items())
    return bool(first == second)


def in_order(data: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """The entries of a map in the order of their keys."""
    return sorted(data.items(), key=lambda entry: bytes_of(entry[0]))


def length(value: Value) -> int:
    """The number of items, or of bytes of a text."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(bytes_of(value))
    if isinstance(value, (list, dict)):
        return len(value)
    raise Fault("len of nil pointer" if value is None else f"len of type {type_of(value)}")


def _position(index: Value, most: int) -> int:
    if index is None:
        raise Fault("cannot index slice/array with nil")
    if isinstance(index, bool) or not isinstance(index, int):
        raise Fault(f"cannot index slice/array with type {type_of(index)}")
    if not 0 <= index <= most:
        raise Fault(f"index out of range: {index}")
    return index


def _item(value: Value, index: Value) -> Value:
    if isinstance(value, (str, list)):
        items: Sequence[Value] = bytes_of(value) if isinstance(value, str) else value
        position = _position(index, len(items))
        if position == len(items):
            raise Fault(f"index out of range: {position}")
        return items[position]
    if isinstance(value, dict):
        if not isinstance(index, str):
            raise Fault("value is nil; should be of type string" if index is None else _wrong(index, "string"))
        return value.get(index)
    raise Fault("index of nil pointer" if value is None else f"can't index item of type {type_of(value)}")


def _wrong(value: Value, expected: str) -> str:
    return f"value has type {type_of(value)}; should be {expected}"


def indexed(value: Value, indexes: Sequence[Value]) -> Value:
    """`value[i][j]...`: an item of a list, the value of a key or nil, a byte of a text."""
    if value is None:
        raise Fault("index of untyped nil")
    for index in indexes:
        value = _item(value, index)
    return value


def sliced(value: Value, indexes: Sequence[Value]) -> Value:
    """`value[i:j]` of a list or of the bytes of a text."""
    if not isinstance(value, (str, list)):
        raise Fault("slice of untyped nil" if value is None else f"can't slice item of type {type_of(value)}")
    if len(indexes) > 3:
        raise Fault(f"too many slice indexes: {len(indexes)}")
    if len(indexes) == 3 and isinstance(value, str):
        raise Fault("cannot 3-index slice a string")
    items = bytes_of(value) if isinstance(value, str) else value
    bounds = [_position(index, len(items)) for index in indexes]
    start, end = (*bounds, *(0, len(items))[len(bounds) :])[:2]
    for low, high in ((start, end), (end, bounds[2] if len(bounds) == 3 else end)):
        if low > high:
            raise Fault(f"invalid slice index: {low} > {high}")
    part = items[start:end]
    return text_of(part) if isinstance(part, bytes) else part


def copied(value: Value) -> Value:
    """A value whose lists and maps are its own, so that changing them changes nothing else."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def pay(budget: Budget, value: Value) -> None:
    """Pay for walking through all of a value; a value within itself costs more than there is, and raises Fault."""
    pending = [value]
    while pending:
        budget.spend()
        item = pending.pop()
        if isinstance(item, str):
            budget.hold(len(item))
        elif isinstance(item, (dict, Struct)):
            pending.extend((item.fields if isinstance(item, Struct) else item).values())
        elif isinstance(item, (list, tuple)):
            pending.extend(item)
