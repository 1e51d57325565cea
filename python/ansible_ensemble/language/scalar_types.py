"""Data types that derive from `scalar`: a number and one of the units that the type defines [TOSCA 2.0, 9.1.2.1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import EntityType, Schema
from ansible_ensemble.language.keys import SCALAR_KEYS
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.scalars import Scalar
from ansible_ensemble.language.schema import read_constraints
from ansible_ensemble.language.types import Scope
from ansible_ensemble.language.values import resolve


def read_scalar_type(raw: Mapping[str, Any], what: str, place: Place | None, scope: Scope) -> Schema:
    """The schema of a data type that derives from `scalar`; its constraints are those of its numbers as well."""
    problems = scope.problems
    name = scope.types.canonical("data", raw.get("data_type", "float"), scope, place_of(raw, "data_type") or place)
    number, limits, _entity = resolve(Schema(name or "float"), scope.types.data_type)
    if number not in ("integer", "float"):
        problems.add(f"the data_type of {what} is {name}, it must be integer, float or derive from one", place)
    for key in ("properties", "entry_schema", "key_schema"):
        if raw.get(key):
            problems.add(f"{what} is a scalar, which has no {key}", place_of(raw, key))
    units, prefixes = (_multipliers(raw, key, what, scope) for key in ("units", "prefixes"))
    made = _with_prefixes(units, prefixes)
    _check_units(raw, what, scope, units, prefixes)
    if not raw.get("units"):
        problems.add(f"{what} has no units", place, "units: {m: 1}, for instance")
    _check_canonical_unit(raw, what, place, scope, made)
    own = read_constraints(raw.get("constraints"), what, place_of(raw, "constraints"), problems)
    return Schema(Scalar(units, made, is_whole=number == "integer"), constraints=[*limits, *own])


def refine_scalar_type(entity: EntityType, raw: Mapping[str, Any], what: str, scope: Scope) -> None:
    """Add units and prefixes to what a type has from a scalar type; others have none of these keys."""
    given = [key for key in SCALAR_KEYS if key in raw]
    base = resolve(entity.schema, scope.types.data_type)[0] if given and entity.schema is not None else None
    if given and not isinstance(base, Scalar):
        hint = "derive it from scalar"
        scope.problems.add(f"{what} is no scalar, which `{given[0]}` is for", place_of(raw, given[0]), hint)
    elif isinstance(base, Scalar) and entity.schema is not None:
        for key in given:
            if key in ("data_type", "canonical_unit"):
                scope.problems.add(f"{what} inherits its {key}, which stays what it is", place_of(raw, key))
        units, prefixes = (_multipliers(raw, key, what, scope) for key in ("units", "prefixes"))
        units = {**base.units, **units}
        made = {**base.all_units, **_with_prefixes(units, prefixes)}
        entity.schema.constraints = resolve(entity.schema, scope.types.data_type)[1]
        entity.schema.type = Scalar(units, made, is_whole=base.is_whole)


def _multipliers(raw: Mapping[str, Any], key: str, what: str, scope: Scope) -> dict[str, float]:
    """Units or prefixes, with what each multiplies by."""
    found: dict[str, float] = {}
    section = scope.problems.mapping(raw.get(key), f"the {key} of {what}", place_of(raw, key))
    for name, multiplier in section.items():
        if isinstance(multiplier, int | float) and not isinstance(multiplier, bool) and multiplier > 0:
            found[str(name)] = multiplier
        else:
            message = f"'{name}' of the {key} of {what} must be a number above 0, not {kind_of(multiplier)}"
            scope.problems.add(message, place_of(section, name))
    return found


def _with_prefixes(units: Mapping[str, float], prefixes: Mapping[str, float]) -> dict[str, float]:
    if not prefixes:
        return dict(units)
    return {f"{prefix}{unit}": by * multiplier for unit, by in units.items() for prefix, multiplier in prefixes.items()}


def _check_units(
    raw: Mapping[str, Any], what: str, scope: Scope, units: Mapping[str, float], prefixes: Mapping[str, float]
) -> None:
    for key, found in (("units", units), ("prefixes", prefixes)):
        if found and 1 not in found.values():
            scope.problems.add(f"none of the {key} of {what} multiplies by 1", place_of(raw, key))
    if prefixes and len(units) > 1:
        scope.problems.add(f"{what} has prefixes, and more than one unit", place_of(raw, "prefixes"))


def _check_canonical_unit(
    raw: Mapping[str, Any], what: str, place: Place | None, scope: Scope, made: Mapping[str, float]
) -> None:
    named = raw.get("canonical_unit")
    candidates = [name for name, multiplier in made.items() if multiplier == 1]
    if named is None and len(candidates) > 1:
        hint = f"canonical_unit: {candidates[0]}, for instance"
        scope.problems.add(f"{what} has several units that multiply by 1, and says not which one counts", place, hint)
    elif named is not None and candidates and named not in candidates:
        message = f"the canonical unit of {what} is {named}, it must be one that multiplies by 1"
        scope.problems.add(message, place_of(raw, "canonical_unit"), f"it is {' or '.join(candidates)}")
