"""JSON Schemas of params.

Whatever a schema says, values are checked against it in a bounded time: it is done where the store is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

from jsonschema import FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft7Validator, extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from ansible_ensemble.provision.rules.pattern import InvalidPattern, compiled_for_many
from ansible_ensemble.provision.rules.problem import Problem, placed

#: A schema that a definition refers to by an address is never fetched.
_NOTHING_FETCHED: Registry[Any] = Registry()

#: How many references are followed for one value: those that name each other twice are too many soon.
_MOST_REFERENCES = 20_000

_references: ContextVar[int] = ContextVar("references", default=0)

_FORMATS = FormatChecker(())


@_FORMATS.checks("regex", raises=InvalidPattern)
def _is_pattern(text: object) -> bool:
    return not isinstance(text, str) or bool(compiled_for_many(text))


def problem_of_schema(schema: Any) -> str:
    """What is wrong with a schema, or with its `default`; empty if it is sound."""
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict) or not isinstance(schema.get("$schema", ""), str):
        return "invalid schema: it must be a map, and its $schema a text"
    try:
        _compiled(schema).check_schema(schema, format_checker=_FORMATS)
    except RecursionError:
        return "invalid schema: it is nested too deep"
    except SchemaError as error:
        told = f"invalid schema: {error.message}{f': {error.cause}' if error.cause else ''}"
        return Problem(told, *error.absolute_path)
    if "default" in schema and (problem := problem_of_value(schema, schema["default"])):
        return Problem(f"invalid default: {problem}", "default", *placed(problem).path)
    return ""


def problem_of_value(schema: Any, value: Any) -> str:
    """Why a value does not fit a schema; empty if it does, or if there is no schema."""
    if schema is None:
        return ""
    _references.set(0)
    try:
        problem = next(iter(_compiled(schema).iter_errors(value)), None)
    except Unresolvable as missing:
        return f"the schema refers to {missing.ref}, which is not in it"
    except RecursionError:
        return "value or schema are nested too deep"
    except Exception as error:  # a schema that was not checked, or a pattern that the check let pass
        return f"the schema cannot be applied: {error}"
    return _message(problem) if problem else ""


def _message(error: ValidationError) -> str:
    place = "".join(f"[{part!r}]" for part in error.absolute_path)
    return Problem(f"{place}: {error.message}" if place else error.message, *error.absolute_path)


def _compiled(schema: Any) -> Any:
    return _compiled_text(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=1024)
def _compiled_text(schema: str) -> Any:
    plain = json.loads(schema)
    return _bounded(validator_for(plain, default=Draft7Validator))(plain, registry=_NOTHING_FETCHED)


@cache
def _bounded(kind: type[Validator]) -> Any:
    """A kind of validator whose keywords take no longer than their value is long."""
    followed = {name: _counted(kind.VALIDATORS[name]) for name in ("$ref", "$dynamicRef") if name in kind.VALIDATORS}
    named = {"pattern": _matches, "patternProperties": _matching_members, "uniqueItems": _differ}
    return extend(kind, {**followed, **named})  # type: ignore[no-untyped-call] # the library has no types for it


def _counted(follow: Any) -> Any:
    def run(*given: Any) -> Iterator[ValidationError]:
        _references.set(_references.get() + 1)
        if _references.get() > _MOST_REFERENCES:
            raise RecursionError
        yield from follow(*given) or ()

    return run


def _matches(_validator: Validator, pattern: str, value: Any, _data: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not compiled_for_many(pattern).is_in(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _matching_members(validator: Any, patterns: Any, value: Any, _data: Any) -> Iterator[ValidationError]:
    for pattern, schema in patterns.items():
        for name in value if isinstance(value, dict) else ():
            if compiled_for_many(pattern).is_in(name):
                yield from validator.descend(value[name], schema, path=name, schema_path=pattern)


def _differ(_validator: Validator, wanted: Any, value: Any, _data: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list) and len({json.dumps(one, sort_keys=True) for one in value}) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")
