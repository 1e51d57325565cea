"""Whether a value can be an argument of a type."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.budget import Fault
from ansible_ensemble.provision.gotemplate.values import Value, type_of

_NAMES: dict[Any, str] = {
    str: "string",
    int: "int",
    float: "float64",
    bool: "bool",
    dict[str, Value]: "map[string]interface {}",
}


def accepted(value: Value, expected: Any) -> Value:
    """A value as an argument of a type; raise Fault when it is of another one."""
    kind = type(value)
    if expected is Any or kind is expected:
        return value
    if expected is float and kind is int:
        return float(value)
    if expected is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if expected == dict[str, Value] and (value is None or isinstance(value, dict)):
        return {} if value is None else value
    if value is None:
        raise Fault(f"invalid value; expected {_NAMES[expected]}")
    raise Fault(f"wrong type for value; expected {_NAMES[expected]}; got {type_of(value)}")
