"""JSON Schemas of params."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft7Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

#: A schema that a definition refers to by an address is never fetched.
_NOTHING_FETCHED: Registry[Any] = Registry()


def flaw_of_schema(schema: Any) -> str:
    """What is wrong with a schema, or with its `default`; empty if it is sound."""
    if isinstance(schema, bool):
        return ""
    if not isinstance(schema, dict) or not isinstance(schema.get("$schema", ""), str):
        return "invalid schema: it must be a map, and its $schema a text"
    try:
        _compiled(schema).check_schema(schema)
    except RecursionError:
        return "invalid schema: it is nested too deep"
    except SchemaError as error:
        return f"invalid schema: {error.message}"
    if "default" in schema and (flaw := flaw_of_value(schema, schema["default"])):
        return f"invalid default: {flaw}"
    return ""


def flaw_of_value(schema: Any, value: Any) -> str:
    """Why a value does not fit a schema; empty if it does, or if there is no schema."""
    if schema is None:
        return ""
    try:
        flaw = next(iter(_compiled(schema).iter_errors(value)), None)
    except Unresolvable as missing:
        return f"the schema refers to {missing.ref}, which is not in it"
    except RecursionError:
        return "value or schema are nested too deep"
    except Exception as error:  # a schema that was not checked, or a pattern that the check let pass
        return f"the schema cannot be applied: {error}"
    return _told(flaw) if flaw else ""


def _told(error: ValidationError) -> str:
    place = "".join(f"[{part!r}]" for part in error.absolute_path)
    return f"{place}: {error.message}" if place else error.message


def _compiled(schema: Any) -> Validator:
    return _compiled_text(json.dumps(schema, sort_keys=True))


@lru_cache(maxsize=1024)
def _compiled_text(schema: str) -> Validator:
    plain = json.loads(schema)
    validator: type[Validator] = validator_for(plain, default=Draft7Validator)
    return validator(plain, registry=_NOTHING_FETCHED)
