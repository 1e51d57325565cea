"""The shape of documents that the product writes itself: checked as a whole when they are read again.

A shape is a type (`str`, `dict`, an enumeration for its words), `None` for null, a tuple of shapes for any of them,
a list of one shape for lists, or a map by key: a key that ends with `?` may be missing, `*` is for all others. Keys
that the shape does not name pass: a newer minor version may have written them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place

Shape = Any

_NAMES = {str: "a text", dict: "a map", list: "a list", int: "an integer", float: "a number", bool: "true or false"}


def misfit(value: Any, shape: Shape, name: str = "") -> str | None:
    """What is wrong with a value, in words that name where in it; None if it has the shape."""
    if isinstance(shape, tuple):
        found = [misfit(value, one, name) for one in shape]
        return None if None in found else found[0]
    if isinstance(shape, dict):
        return misfit(value, dict, name) or _misfit_in_map(value, shape, name)
    if isinstance(shape, list):
        found = [misfit(value, list, name)]
        if found == [None]:
            found = [misfit(item, shape[0], f"{name}[{number}]") for number, item in enumerate(value)]
        return next((text for text in found if text), None)
    return None if _is(value, shape) else f"{name or 'it'} is not {_named(shape)}"


def read_json(path: Path, shape: Shape, hint: str) -> Any:
    """Read a JSON document of a shape; `hint` says what to do about one that is not.

    Raises:
        FileNotFoundError: there is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", Place(str(path)), hint) from error
    except ValueError as error:
        raise InvalidInput(f"this is no JSON: {error}", Place(str(path)), hint) from error
    return parse_json(text, shape, path, hint)


def parse_json(text: str, shape: Shape, path: Path, hint: str) -> Any:
    """As `read_json`, of the text of a version of the file."""
    place = Place(str(path))
    try:
        document = json.loads(text)
    except RecursionError:
        raise InvalidInput("it is nested too deep", place, hint) from None
    except ValueError as error:
        raise InvalidInput(f"this is no JSON: {error}", place, hint) from error
    problem = misfit(document, shape)
    if problem is not None:
        raise InvalidInput(problem, place, hint)
    return document


def _misfit_in_map(value: Mapping[str, Any], shape: Mapping[str, Shape], name: str) -> str | None:
    for key in shape:
        if key != "*" and not key.endswith("?") and key not in value:
            return f"{name or 'it'} has no {key}"
    for key, item in value.items():
        inner = shape[key] if key in shape else shape.get(f"{key}?", shape.get("*", object))
        problem = misfit(item, inner, f"{name}.{key}" if name else str(key)) if inner is not object else None
        if problem is not None:
            return problem
    return None


def _is(value: Any, shape: Shape) -> bool:
    if shape is None:
        return value is None
    if shape is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if shape is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if issubclass(shape, Enum):
        return isinstance(value, (str, int)) and value in {member.value for member in shape}
    return isinstance(value, shape)


def _named(shape: Shape) -> str:
    if shape is None:
        return "null"
    if issubclass(shape, Enum):
        return f"one of {', '.join(str(member.value) for member in shape)}"
    return _NAMES[shape]
