"""JSON Schemas that people write: held to what is in them, for nothing is fetched from where they refer to."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.errors import InvalidInput


def schema_fault(schema: Any) -> str | None:
    """Why a value is no JSON Schema, None if it is one."""
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return "it must be a map"
    try:
        validator_for(schema).check_schema(schema)
    except (SchemaError, AttributeError, RecursionError, TypeError, ValueError) as error:
        return str(getattr(error, "message", error))
    return None


def fits(value: Any, schema: Any) -> bool:
    """Whether a value fits a JSON Schema, of the draft that it names or the latest."""
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.exceptions import Unresolvable

    fault = schema_fault(schema)
    if fault is not None:
        raise InvalidInput(f"this is no JSON Schema: {fault}")
    try:
        return bool(validator_for(schema)(schema, registry=REGISTRY).is_valid(value))
    except Unresolvable as error:
        raise InvalidInput(f"the JSON Schema refers to what is not in it: {error}") from error
    except RecursionError as error:
        raise InvalidInput("the JSON Schema refers to itself without an end") from error
