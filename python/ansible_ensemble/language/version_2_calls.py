"""Calls of functions as TOSCA 2.0 writes them, `{$f: x}`, conditions among them, in the words of 1.3."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import Map, changed, key_place_of
from ansible_ensemble.language.conditions import CONDITION, OPERATORS, VALUE, condition_fault, is_call
from ansible_ensemble.language.functions import KEYWORDS, functions
from ansible_ensemble.language.problems import Problems

#: Functions that 1.3 has as well.
_SAME = frozenset({"get_input", "get_artifact", "concat", "join", "token"})
#: Functions of 1.3, which are data where nothing says that they are calls.
_OF_1_3 = _SAME | {"get_property", "get_attribute", "get_operation_output", "get_nodes_of_type"}
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
    """What a function takes, and gives [TOSCA 2.0, 10.4].

    Attributes:
        arguments, optional: types of its arguments, and of those behind them that may be left out.
        is_variadic: whether the last one may be repeated; without any, it takes whatever it is given.
        result: the type of what it gives, None if that is anything.
    """

    arguments: list[str]
    optional: list[str] = []
    is_variadic: bool = False
    result: str | None = None

    def fits(self, given: list[Any]) -> bool:
        """Whether a call with these arguments, as written, may be one of it."""
        kinds = [*self.arguments, *self.optional]
        if self.is_variadic:
            kinds += [kinds[-1] if kinds else "any"] * (len(given) - len(kinds))
        return len(self.arguments) <= len(given) <= len(kinds) and all(map(_may_be, given, kinds))

    def shown(self) -> str:
        """Its arguments as an error shows them."""
        kinds = [*self.arguments, *(f"{one}?" for one in self.optional)]
        return f"[{', '.join(kinds)}{', ...' * self.is_variadic}]"


class OwnFunction(Struct, frozen=True):
    """A function that a file defines.

    Attributes:
        run: the Python function that implements it, None if none does.
        signatures: how it may be called.
    """

    run: str | None
    signatures: list[Signature] = []

    def beside(self, folder: str) -> OwnFunction:
        """The same, as a file sees it in whose folder the defining file's is this one."""
        return OwnFunction(None if self.run is None else posixpath.join(folder, self.run), self.signatures)


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
        if self.is_like_call(raw):
            return self._data(raw)
        return changed(raw, self.value) if isinstance(raw, dict | list) else raw

    def is_like_call(self, raw: Any) -> bool:
        """Whether a value would be a call in 1.3, and is data here."""
        return isinstance(raw, Mapping) and len(raw) == 1 and not _OF_1_3.isdisjoint(raw)

    def _data(self, raw: Mapping[Any, Any]) -> Any:
        """A map that would be a call in 1.3, as a value that is not evaluated."""
        (key,) = raw
        if raw_calls(raw[key]):
            self.problems.add(f"`{key}` is data here, with a call in it", key_place_of(raw, key), f"write `${key}`")
        return {"q": raw}

    def _of_file(self, name: str, arguments: Any, place: Place | None) -> Any:
        own = self.own[name]
        if own.run is None:
            hint = "name a Python file that has a function of this name as its implementation"
            self.problems.add(f"nothing implements the function ${name}", place, hint)
            return None
        given = arguments if isinstance(arguments, list) else [] if arguments is None else [arguments]
        fitting = [one for one in own.signatures if one.fits(given)]
        if not fitting:
            hint = " or ".join(one.shown() for one in own.signatures)
            self.problems.add(f"the function ${name} cannot be called with {given}", place, f"it takes {hint}")
            return None
        call = {"python": own.run, "args": self.value(given)}
        results = {one.result for one in fitting}
        # signatures that differ in what they give are told apart by arguments that are not known yet
        return {"eval": call if len(results) > 1 or None in results else {**call, "result": fitting[0].result}}

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


def raw_calls(raw: Any) -> bool:
    """Whether there is a call in a value."""
    if is_call(raw):
        return True
    inner = raw.values() if isinstance(raw, Mapping) else raw if isinstance(raw, list) else ()
    return any(raw_calls(one) for one in inner)


def _may_be(value: Any, kind: str) -> bool:
    """Whether a written value may be of a type; what a call has is not known."""
    if is_call(value) or (isinstance(value, str) and value.startswith("$")) or kind not in _WRITTEN:
        return True
    return isinstance(value, _WRITTEN[kind]) and isinstance(value, bool) <= (kind == "boolean")


def _reading(name: str, path: Any, place: Place | None, problems: Problems) -> Any:
    """A reading function, whose path says of each step what it leads to: a relationship, its target, a capability."""
    is_plain = isinstance(path, list) and path and all(isinstance(one, str | int) for one in path)
    steps = _steps(path) if is_plain else None
    if steps is None:
        problems.add(f"the path of ${name} is not supported", place, "[SELF, RELATIONSHIP, host, TARGET, name]")
        return None
    start, hops, rest = steps
    if len(hops) <= 1 and (not hops or (hops[0].startswith(".targets::") and hops[0].count("::") == 1)):
        return {name: [start, *(hop.removeprefix(".targets::") for hop in hops), *rest]}
    first = {"SELF": [], "SOURCE": [".source"], "TARGET": [".target"]}.get(start, [f"::{start}"])
    return {"eval": "::".join([*first, *hops, *map(str, rest)])}


def _steps(path: list[Any]) -> tuple[str, list[str], list[Any]] | None:
    """Where a path starts, what it leads over, and what it reads there; None if it is of another form.

    [TOSCA 2.0, 10.3]: from a node or SELF over relationships, their ends and capabilities.
    """
    start, *left = path
    if not isinstance(start, str):
        return None
    if left[:1] in (["SOURCE"], ["TARGET"]):
        start, left = left[0], left[1:]
    number, left = _number(left) if start not in KEYWORDS else (0, left)
    hops: list[str] = [] if number == 0 else [".siblings" if number == "ALL" else f".siblings::{number}"]
    while left[:1] and left[0] in ("RELATIONSHIP", "CAPABILITY", "SOURCE", "TARGET"):
        step, left = left[0], left[1:]
        if step in ("SOURCE", "TARGET"):
            hops.append(f".{step.lower()}")
        elif step == "RELATIONSHIP" and hops and hops[-1].startswith(".capabilities"):
            number, left = _number(left)
            hops.append(".relationships" if number in (0, "ALL") else "")
        elif step == "RELATIONSHIP" and len(left) > 1:
            requirement, left = left[0], left[1:]
            number, left = _number(left)
            if left[:1] not in (["TARGET"], ["CAPABILITY"]):
                hops.append(f".requirements::[.name={requirement}]" if number in (0, "ALL") else "")
                continue
            one = f".targets::{requirement}" + (f"::{number}" if number else "")
            hops.append(f".requirements::[.name={requirement}]::.target" if number == "ALL" else one)
            # CAPABILITY alone is the one that the relationship leads to, which is looked into first
            left = left[1:] if left[0] == "TARGET" or len(left) == 2 else left
        elif step == "CAPABILITY" and len(left) > 1:
            if not hops and left[1:2] != ["RELATIONSHIP"]:
                break
            hops.append(f".capabilities::[.name={left[0]}]")
            left = left[1:]
        else:
            return None
    is_known = "" not in hops and not {"RELATIONSHIP", "CAPABILITY"} & set(map(str, left))
    return (start, hops, left) if left and is_known else None


def _number(left: list[Any]) -> tuple[int | str, list[Any]]:
    """Which one of several a path leads to next, the first one where it does not say so, and what follows."""
    if left and (left[0] == "ALL" or (isinstance(left[0], int) and len(left) > 1)):
        return left[0], left[1:]
    return 0, left


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
    for one in _conjuncts(_with_value(raw)):
        subject, clause = _read_clause(one, calls) or (None, {})
        fault = condition_fault(one)
        if subject == VALUE:
            found.append(clause)
        elif fault is None:
            found.append({CONDITION: one})
        else:
            calls.problems.add(fault, place)
    return found


def _with_value(raw: Any) -> Any:
    """A condition in which each call of the value is written without its empty list of arguments."""
    if is_call(raw) and raw.get(VALUE, ...) in ([], None):
        return VALUE
    return changed(raw, _with_value) if isinstance(raw, dict | list) else raw


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


def read_precondition(raw: Any, place: Place | None, calls: Calls) -> list[dict[str, Any]]:
    """The preconditions that a condition of a workflow means: those of values of node templates."""
    found: dict[str, list[Any]] = {}
    for subject, clause in _clauses(raw, place, calls):
        match _read_of(subject):
            case [str(node), str(name)] if node not in KEYWORDS:
                found.setdefault(node, []).append({name: [clause]})
            case _:
                _refuse("a precondition is not of a property or an attribute of a node template", place, calls)
    return [{"target": node, "condition": clauses} for node, clauses in found.items()]


def read_step_filter(raw: Any, place: Place | None, calls: Calls) -> list[Any]:
    """The conditions of a step of a workflow, each of a value of the step's target."""
    found: list[Any] = []
    for subject, clause in _clauses(raw, place, calls):
        match _read_of(subject):
            case ["SELF", str(name)]:
                found.append({name: [clause]})
            case _:
                _refuse("a condition of a step is not of its target, which is SELF", place, calls)
    return found


def _read_of(subject: Any) -> Any:
    """The path of what a condition reads."""
    return next((subject[f"${one}"] for one in _READING if f"${one}" in subject), None) if is_call(subject) else None


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
