"""JSON pointers: names of parts of a document, `/a/b`, and after the name of a file, `file#/a/b`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place


class Nothing:
    """What a pointer gives that names nothing."""


def pointer_parts(pointer: str, what: str, place: Place | None) -> tuple[str, ...]:
    """The names in a JSON pointer."""
    if re.search("~(?![01])", pointer):
        raise InvalidInput(f"{what}: ~ must be ~0, and / in a name ~1", place)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def fragment_of(value: Any, place: Place | None) -> tuple[str, ...]:
    """The names after the name of a file, `file#/a/b`; a map has it under `file`."""
    name = value.get("file") if isinstance(value, dict) else value
    fragment = str(name).partition("#")[2]
    if fragment and not fragment.startswith("/"):
        raise InvalidInput(f"{name} names no part of a file", place, "write file#/a/b")
    return pointer_parts(fragment, str(name), place)


def part_of(data: Any, fragment: str, place: Place | None) -> Any:
    """The value at a JSON pointer, None if there is none."""
    found = follow(data, fragment_of(f"#{fragment}", place))
    return None if isinstance(found, Nothing) else found


def follow(value: Any, path: Iterable[Any]) -> Any:
    """Return the value at a path, or `Nothing`."""
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and str(part).isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return Nothing()
    return value
