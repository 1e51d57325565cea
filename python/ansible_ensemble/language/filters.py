"""Node filters [TOSCA 1.3, 3.6.4, 3.6.6]: whether a node template may meet a requirement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import Assignment, EntityType, NodeTemplate
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.schema import OPERATORS, clause_fault
from ansible_ensemble.language.values import resolve, violation

_MATCH = "it acts only where a requirement has the node_filter itself"


def check_filter(raw: Any, what: str, place: Place | None, problems: Problems, *, of_requirement: bool = True) -> None:
    """Refuse a node filter that is not well formed; only that of a node template's requirement may have a `match`."""
    body = problems.mapping(raw, f"the node_filter of {what}", place)
    problems.check_keys(body, "node_filter", place)
    _check_properties(body.get("properties"), what, place, problems)
    for name, entry, where in problems.entries(body.get("capabilities"), f"the capabilities of {what}", place):
        inner = problems.mapping(entry, f"capability '{name}' of {what}", where)
        _check_properties(inner.get("properties"), what, where, problems)
    for name, entry, where in problems.entries(body.get("requirements"), f"the filtered requirements of {what}", place):
        if isinstance(entry, str) or entry is None:
            continue
        inner = problems.mapping(entry, f"requirement '{name}' in the node_filter of {what}", where)
        problems.check_keys(inner, "required", where)
        if inner.get("node_filter") is not None:
            check_filter(inner["node_filter"], f"requirement '{name}' of {what}", where, problems, of_requirement=False)
    for expression, where in match_expressions(body):
        if not of_requirement:
            problems.add(f"the node_filter of {what} has a match: {_MATCH}", where)
        is_call = isinstance(expression, Mapping) and ("eval" in expression or "ref" in expression)
        if not isinstance(expression, str) and not is_call:
            problems.add(f"a match of {what} is {kind_of(expression)}, not an expression", where, "eval: ::name")


def match_expressions(raw: Mapping[str, Any]) -> Iterator[tuple[Any, Place | None]]:
    """The expressions of a filter's `match`, in Unfurl's dialect: each must lead to the node template that is taken."""
    match = raw.get("match")
    place = place_of(raw, "match")
    for number, expression in enumerate(match if isinstance(match, list) else [] if match is None else [match]):
        yield expression, (place_of(match, number) if isinstance(match, list) else None) or place


def _check_properties(raw: Any, what: str, place: Place | None, problems: Problems) -> None:
    for _other, wanted, where in problems.entries(raw, f"the property filters of {what}", place):
        for operator, operand in _clauses(wanted):
            fault = clause_fault(operator, operand)
            if fault is not None:
                problems.add(f"node_filter of {what}: {fault}", where, nearest(operator, OPERATORS))


class Known(Protocol):
    """What is known of values while a filter looks at them."""

    def static_value(self, value: Any) -> tuple[Any, bool]:
        """A raw value as far as it is known, and whether it is."""

    def data_type(self, canonical: str) -> EntityType | None:
        """The data type of a canonical name."""


def mismatch(node: NodeTemplate, raw: Mapping[str, Any], known: Known) -> str | None:
    """Why a node template does not fit a filter, None if it fits.

    A value that is not known does not fit.
    """
    for name, wanted in _named(raw.get("properties")):
        reason = _unfit(node.properties.get(name), name, wanted, known)
        if reason is not None:
            return reason
    for name, inner in _named(raw.get("capabilities")):
        offered = [one for one in node.capabilities.values() if one.name == name or name in _type_names(one.type.name)]
        if not offered:
            return f"it has no capability '{name}'"
        reasons = []
        for capability in offered:
            filters = inner.get("properties") if isinstance(inner, Mapping) else None
            faults = (_unfit(capability.properties.get(key), f"{name}.{key}", w, known) for key, w in _named(filters))
            reasons.append(next((fault for fault in faults if fault is not None), None))
        if None not in reasons:
            return reasons[0]
    for name, wanted in _named(raw.get("requirements")):
        reason = _unrequiring(node, name, wanted, known)
        if reason is not None:
            return reason
    return None


def _unrequiring(node: NodeTemplate, name: str, wanted: Any, known: Known) -> str | None:
    """Why no requirement of a node template leads to what is wanted of it, None if one does."""
    reason = f"it has no requirement '{name}' that is met"
    body = {"node": wanted} if isinstance(wanted, str) else wanted if isinstance(wanted, Mapping) else {}
    for relationship in node.requirements:
        if relationship.name != name:
            continue
        target, asked = relationship.target, body.get("node")
        if asked is not None and asked != target.name and asked not in {one.name for one in target.type.lineage()}:
            reason = f"its '{name}' is '{target.name}', not '{asked}'"
            continue
        inner = body.get("node_filter")
        fault = mismatch(target, inner, known) if isinstance(inner, Mapping) else None
        if fault is None:
            return None
        reason = f"its '{name}' is '{target.name}': {fault}"
    return reason


def _type_names(name: str) -> tuple[str, ...]:
    short = name.removeprefix("tosca.capabilities.")
    return name, short, f"tosca:{short}"


def _named(raw: Any) -> Iterator[tuple[str, Any]]:
    """Name and value of the entries of a list of one-key maps or of a map; what is not one is reported elsewhere."""
    for entry in raw if isinstance(raw, list) else [raw]:
        if isinstance(entry, Mapping):
            yield from entry.items()


def _clauses(wanted: Any) -> Iterator[tuple[str, Any]]:
    """The constraint clauses of a property filter; a plain value is one it must equal."""
    for clause in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(clause, Mapping) and not is_computed(clause):
            for operator, operand in clause.items():
                yield str(operator), operand
        else:
            yield "equal", clause


def _unfit(assignment: Assignment | None, name: str, wanted: Any, source: Known) -> str | None:
    if assignment is None:
        return f"it has no value for '{name}'"
    value, known = source.static_value(assignment.value)
    if not known:
        return f"its '{name}' is not known yet"
    definition = assignment.definition
    base = resolve(definition.schema, source.data_type)[0] if definition is not None else "any"
    for operator, operand in _clauses(wanted):
        bound, known = source.static_value(operand)
        if not known:
            return f"what '{name}' must be is not known yet ({kind_of(bound)})"
        shown = mark_sensitive(value) if definition is not None and definition.sensitive else value
        fault = violation(shown, {operator: bound}, base)
        if fault is not None:
            return f"its '{name}' {fault}"
    return None
