"""Calls of functions as TOSCA 2.0 writes them, `{$f: x}`, conditions among them, in the words of 1.3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import Map, changed, key_place_of
from ansible_ensemble.language.conditions import CONDITION, OPERATORS, VALUE, condition_fault, is_call
from ansible_ensemble.language.functions import functions
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
#: Those whose arguments name something of the model.
_OF_MODEL = ("$node_index",)
_KNOWN = sorted({*_SAME, *_READING, *_OF_EXPRESSIONS})


#: What a written value of a type is in Python; of other types it may be anything.
_WRITTEN: Mapping[str, type | tuple[type, ...]] = {
    **{"string": str, "boolean": bool, "integer": int, "float": (int, float), "list": list, "map": dict},
}


class Signature(Struct, frozen=True):
    """What a function takes: the types of its arguments, of which a variadic one has the last as often as is given."""

    arguments: list[str]
    is_variadic: bool = False

    def fits(self, given: list[Any]) -> bool:
        """Whether a call with these arguments, as written, may be one of it."""
        kinds = self.arguments
        if self.is_variadic and kinds:
            kinds = [*kinds[:-1], *[kinds[-1]] * (len(given) - len(kinds) + 1)]
        return len(given) == len(kinds) and all(map(_may_be, given, kinds))


class OwnFunction(Struct, frozen=True):
    """A function that a file defines.

    Attributes:
        run: the Python function that implements it, None if none does.
        signatures: how it may be called.
    """

    run: str | None
    signatures: list[Signature] = []


class Calls:
    """What calls in a file are in 1.3.

    Attributes:
        own: the functions that the file defines.
    """

    def __init__(self, own: Mapping[str, OwnFunction], problems: Problems) -> None:
        self.own = own
        self.problems = problems

    def read(self, raw: Mapping[Any, Any]) -> Any:
        """What a call is in 1.3; one that has no counterpart is an error."""
        (key,) = raw
        name, place = key[1:], key_place_of(raw, key)
        if name in self.own:
            return self._of_file(name, raw[key], place)
        if name in _OF_EXPRESSIONS or key in functions():
            return {"eval": self._expression(raw)}
        arguments = self.value(raw[key])
        if name in _READING:
            return _reading(name, arguments, place, self.problems)
        if name not in _SAME:
            known = [*_KNOWN, *self.own, *(one[1:] for one in functions() if one.startswith("$"))]
            hint = nearest(name, known) or f"known are {', '.join(known)}"
            self.problems.add(f"the function ${name} is not supported", place, hint)
            return None
        made = Map()
        made.adopt(name, arguments, raw, key)
        return made

    def value(self, raw: Any) -> Any:
        """A value with the calls in it as they are in 1.3; `$f` is a call of a function that may have no arguments."""
        if is_call(raw):
            return self.read(raw)
        if isinstance(raw, str) and raw.startswith("$") and (raw in _OF_MODEL or raw[1:] in self.own):
            return self.read({raw: []})
        return changed(raw, self.value) if isinstance(raw, dict | list) else raw

    def _of_file(self, name: str, arguments: Any, place: Place | None) -> Any:
        own = self.own[name]
        if own.run is None:
            hint = "name a Python file that has a function of this name as its implementation"
            self.problems.add(f"nothing implements the function ${name}", place, hint)
            return None
        given = arguments if isinstance(arguments, list) else [] if arguments is None else [arguments]
        if not any(one.fits(given) for one in own.signatures):
            hint = " or ".join(f"[{', '.join(one.arguments)}{', ...' * one.is_variadic}]" for one in own.signatures)
            self.problems.add(f"the function ${name} cannot be called with {given}", place, f"it takes {hint}")
            return None
        return {"eval": {"python": own.run, "args": self.value(given)}}

    def _expression(self, raw: Any) -> Any:
        """An operand of an expression: calls within it need no `eval` of their own, and text is quoted."""
        if not is_call(raw):
            read = self.value(raw)
            return {"q": raw} if isinstance(raw, str | dict | list) and read is raw else read
        (key,) = raw
        name = _OF_EXPRESSIONS.get(key[1:], key if key in functions() and key[1:] not in self.own else None)
        if name is None:
            made = self.read(raw)
            return made["eval"] if isinstance(made, Mapping) and "eval" in made else made
        if key in _OF_MODEL:
            return {key: raw[key]}
        operands = [self._expression(one) for one in (raw[key] if isinstance(raw[key], list) else [raw[key]])]
        if key[1:] not in _FOLDED or len(operands) < 2:
            return {name: operands}
        first, *others = operands
        for one in others:
            first = {name: [first, one]}
        return first


def _may_be(value: Any, kind: str) -> bool:
    """Whether a written value may be of a type; what a call has is not known."""
    if is_call(value) or (isinstance(value, str) and value.startswith("$")) or kind not in _WRITTEN:
        return True
    return isinstance(value, _WRITTEN[kind]) and isinstance(value, bool) <= (kind == "boolean")


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
            hops.append(f".requirements::[.name={requirement}]")
    if left[:1] == ["CAPABILITY"] and len(left) > 2:
        hops += [f".capabilities::[.name={left[1]}]"] if hops else []
        left = left[2:] if hops else left[1:]
    return (start, hops, left) if left and not {"RELATIONSHIP", "CAPABILITY"} & set(map(str, left)) else None


_OF_LENGTH = {"equal": "length", "greater_or_equal": "min_length", "less_or_equal": "max_length"}
_PATTERNS = {"has_prefix": "{}.*", "has_suffix": ".*{}", "contains": ".*{}.*"}
_CONDITIONS = "and", *OPERATORS, *_PATTERNS

#: Functions that a filter asks for a value; nothing of a capacity is allocated, so that all of it is available.
_VALUES = ("$get_property", "$available_allocation")
#: Stands for the capability that a requirement asks for, in the filter of it.
WANTED = "CAPABILITY"

Clause = tuple[Any, dict[str, Any]]


def read_validation(raw: Any, place: Place | None, calls: Calls) -> list[dict[str, Any]]:
    """The constraints that a validation clause means; one that is none is an error."""
    found: list[dict[str, Any]] = []
    for one in _conjuncts(raw):
        subject, clause = _read_clause(one, calls) or (None, {})
        fault = condition_fault(one)
        if subject == VALUE:
            found.append(clause)
        elif fault is None:
            found.append({CONDITION: one})
        else:
            calls.problems.add(fault, place)
    return found


def read_filter(raw: Any, place: Place | None, calls: Calls) -> Any:
    """The node filter that a condition means: one whose clauses are of properties of a node or of its capabilities."""
    if not is_call(raw):
        return raw
    properties: list[Any] = []
    capabilities: list[Any] = []
    for subject, clause in _clauses(raw, place, calls):
        path = next((subject[one] for one in _VALUES if one in subject), None) if is_call(subject) else None
        match path:
            case ["SELF", str(name)]:
                properties.append({name: [clause]})
            case ["SELF", "CAPABILITY", str(name)]:
                capabilities.append({WANTED: {"properties": [{name: [clause]}]}})
            case ["SELF", "CAPABILITY", str(capability), str(name)]:
                capabilities.append({capability: {"properties": [{name: [clause]}]}})
            case _:
                _refuse("a condition of a filter is not of a property", place, calls)
    return {"properties": properties, "capabilities": capabilities}


def _conjuncts(raw: Any) -> Iterator[Any]:
    """The conditions that all have to hold."""
    if is_call(raw) and isinstance(raw.get("$and"), list):
        raw = raw["$and"]
    elif raw is not None and not isinstance(raw, list):
        yield raw
        return
    for one in raw or ():
        yield from _conjuncts(one)


def _clauses(raw: Any, place: Place | None, calls: Calls) -> Iterator[Clause]:
    """What each condition is of, and as a constraint."""
    for one in _conjuncts(raw):
        clause = _read_clause(one, calls)
        if clause is not None:
            yield clause
        else:
            name = "".join(one) if is_call(one) else "that is no call"
            _refuse(f"the condition {name} is not supported", place, calls)


def _read_clause(raw: Any, calls: Calls) -> Clause | None:
    if not is_call(raw):
        return None
    (key,) = raw
    return _clause(key[1:], raw[key], calls)


def _clause(name: str, arguments: Any, calls: Calls) -> Clause | None:
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    subject, operand = arguments[0], calls.value(arguments[1])
    if isinstance(subject, Mapping) and list(subject) == ["$length"]:
        inner = subject["$length"]
        is_one = isinstance(inner, list) and len(inner) == 1
        return (inner[0], {_OF_LENGTH[name]: operand}) if is_one and name in _OF_LENGTH else None
    if name in _PATTERNS and isinstance(operand, str):
        return subject, {"pattern": f"(?s){_PATTERNS[name].format(re.escape(operand))}"}
    return (subject, {OPERATORS[name]: operand}) if name in OPERATORS else None


def _refuse(message: str, place: Place | None, calls: Calls) -> None:
    calls.problems.add(
        message, place, f"known are {', '.join(f'${one}' for one in _CONDITIONS)}, of $value or $get_property"
    )
