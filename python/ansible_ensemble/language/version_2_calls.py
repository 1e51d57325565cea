"""Calls of functions as TOSCA 2.0 writes them, `{$f: x}`, as those of 1.3 or as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import Map, changed, key_place_of
from ansible_ensemble.language.problems import Problems

#: Functions that 1.3 has as well.
_SAME = frozenset({"get_input", "get_artifact", "concat", "join", "token"})
#: Those that read a value at the end of a path.
_READING = frozenset({"get_property", "get_attribute"})
#: Those that are functions of expressions, with the name there; those of many operands are taken two by two.
_OF_EXPRESSIONS = {
    "and": "and",
    "or": "or",
    "not": "not",
    "equal": "eq",
    "greater_than": "gt",
    "greater_or_equal": "ge",
    "less_than": "lt",
    "less_or_equal": "le",
    "sum": "add",
    "difference": "sub",
    "product": "mul",
    "quotient": "div",
    "remainder": "mod",
}
_FOLDED = frozenset({"sum", "product"})
_KNOWN = sorted({*_SAME, *_READING, *_OF_EXPRESSIONS})


def is_call(raw: Any) -> bool:
    """Whether a map is a call: its one key begins with a dollar sign, and not with two."""
    name = next(iter(raw)) if isinstance(raw, Mapping) and len(raw) == 1 else None
    return isinstance(name, str) and name.startswith("$") and not name.startswith("$$")


def read_call(raw: Mapping[Any, Any], problems: Problems) -> Any:
    """What a call is in 1.3; one that has no counterpart is an error."""
    (key,) = raw
    name, place = key[1:], key_place_of(raw, key)
    if name in _OF_EXPRESSIONS:
        return {"eval": _expression(raw, problems)}
    arguments = read_value(raw[key], problems)
    if name in _READING:
        return _reading(name, arguments, place, problems)
    if name not in _SAME:
        hint = nearest(name, _KNOWN) or f"known are {', '.join(_KNOWN)}"
        problems.add(f"the function ${name} is not supported", place, hint)
        return None
    made = Map()
    made.adopt(name, arguments, raw, key)
    return made


def read_value(raw: Any, problems: Problems) -> Any:
    """A value with the calls in it as they are in 1.3."""
    if is_call(raw):
        return read_call(raw, problems)
    return changed(raw, lambda one: read_value(one, problems)) if isinstance(raw, dict | list) else raw


def _expression(raw: Any, problems: Problems) -> Any:
    """An operand of an expression: calls within it need no `eval` of their own, and text is quoted."""
    if not is_call(raw):
        return {"q": raw} if isinstance(raw, str | dict | list) else raw
    (key,) = raw
    name = _OF_EXPRESSIONS.get(key[1:])
    if name is None:
        made = read_call(raw, problems)
        return made["eval"] if isinstance(made, Mapping) and "eval" in made else made
    operands = [_expression(one, problems) for one in (raw[key] if isinstance(raw[key], list) else [raw[key]])]
    if key[1:] not in _FOLDED or len(operands) < 2:
        return {name: operands}
    first, *others = operands
    for one in others:
        first = {name: [first, one]}
    return first


def _reading(name: str, path: Any, place: Place | None, problems: Problems) -> Any:
    """A reading function, whose path says of each step what it leads to: a relationship, its target, a capability."""
    steps = (
        _steps(path) if isinstance(path, list) and path and all(isinstance(one, str | int) for one in path) else None
    )
    if steps is None:
        problems.add(f"the path of ${name} is not supported", place, "[SELF, RELATIONSHIP, host, TARGET, name]")
        return None
    start, hops, rest = steps
    if len(hops) <= 1 and (not hops or hops[0].startswith(".targets::")):
        return {name: [start, *(hop.removeprefix(".targets::") for hop in hops), *rest]}
    first = {"SELF": [], "SOURCE": [".source"], "TARGET": [".target"]}.get(start, [f"::{start}"])
    return {"eval": "::".join([*first, *hops, *map(str, rest)])}


def _steps(path: list[Any]) -> tuple[str, list[str], list[Any]] | None:
    """Where a path starts, over what relationships it leads, and what it reads there; None if it is of another form."""
    start, *left = path
    if not isinstance(start, str):
        return None
    if left[:1] in (["SOURCE"], ["TARGET"]):
        start, left = left[0], left[1:]
    hops: list[str] = []
    while left[:1] == ["RELATIONSHIP"] and len(left) > 2:
        requirement, left = left[1], left[2:]
        left = left[1:] if left[0] == 0 else left
        if left[0] in ("TARGET", "CAPABILITY"):
            hops.append(f".targets::{requirement}")
            # CAPABILITY alone is the one that the relationship leads to, which is looked into first
            left = left[1:] if left[0] == "TARGET" or len(left) == 2 else left
        else:
            hops.append(f".requirements[.name={requirement}]")
    if left[:1] == ["CAPABILITY"] and len(left) > 2:
        hops += [f".capabilities[.name={left[1]}]"] if hops else []
        left = left[2:] if hops else left[1:]
    return (start, hops, left) if left and not {"RELATIONSHIP", "CAPABILITY"} & set(map(str, left)) else None
