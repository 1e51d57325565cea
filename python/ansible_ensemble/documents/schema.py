"""Checks data against a JSON Schema (2020-12), with places and hints; the keywords that our schemas use.

It exists beside jsonschema because that takes longer to import than a small ensemble takes to deploy, and knows no
places. The keywords: `$ref` within the schema, `type`, `enum`, `const`, `properties`, `patternProperties`,
`additionalProperties`, `required`, `items`; others describe and do not check. `x-unheeded` is ours: nothing acts on
it, and where it is a text, that says what to do instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.notices import Notice, NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.documents.scalars import VaultText


class UnknownKey(InvalidInput):
    """A key that the schema does not have; `path` is where it is, as `spec.servce_template`."""

    def __init__(self, path: str, key: Any, where: str, place: Place | None, hint: str | None) -> None:
        super().__init__(f"unknown key {key!r}{where}", place, hint)
        self.path = path


def violations(data: Any, schema: Mapping[str, Any], place: Place | None = None) -> list[InvalidInput]:
    """Return everything that is wrong with the data, in the order of the file.

    Merge directives (keys that begin with `+`) pass: what they bring in is not known here. `place` is where data is
    from that has no place itself.
    """
    found: list[InvalidInput] = []
    waiting: list[tuple[Any, Mapping[str, Any], _Step | None]] = [(data, schema, None)]
    while waiting:
        value, rule, step = waiting.pop()
        rule = _followed(rule, schema)
        problem = _wrong_value(value, rule)
        if problem:
            where = place_of(step[1], step[2]) if step else place_of(data) or place
            found.append(InvalidInput(f"{_name(step) or 'the document'} {problem[0]}", where, problem[1]))
        else:
            waiting.extend(_inner(value, rule, step, found))
    return sorted(found, key=lambda error: (error.place.line, error.place.column) if error.place else (0, 0))


#: Sections of an ensemble that jobs write.
_RECORDED = ("status.", "lock.")


def unheeded(data: Any, schema: Mapping[str, Any]) -> Iterator[Notice]:
    """Notices of the keys that are there and that the schema marks by `x-unheeded`, each key of a kind once."""
    seen: set[tuple[int, Any]] = set()
    waiting: list[tuple[Any, Mapping[str, Any], _Step | None]] = [(data, schema, None)]
    while waiting:
        value, written, step = waiting.pop()
        rule = _followed(written, schema)
        if step is None or not rule.get("x-unheeded"):
            waiting.extend(reversed(list(_inner(value, rule, step, []))))
        elif value not in (None, {}, []) and (id(written), step[2]) not in seen:
            seen.add((id(written), step[2]))
            name = _name(step)
            code = NoticeCode.RECORDED_KEY if name.startswith(_RECORDED) else NoticeCode.IGNORED_KEY
            said = rule["x-unheeded"]
            remedy = said if isinstance(said, str) else None
            yield Notice(code, f"`{name}` is ignored", key_place_of(step[1], step[2]), special=remedy)


def _followed(rule: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rule that a reference leads to."""
    while "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    return rule


def _inner(
    value: Any, rule: Mapping[str, Any], step: _Step | None, found: list[InvalidInput]
) -> Iterator[tuple[Any, Mapping[str, Any], _Step]]:
    """What is in a value, with its rule; unknown and missing keys are noted."""
    if isinstance(value, dict):
        yield from ((value[key], inner, (step, value, key)) for key, inner in _entries(value, rule, step, found))
    elif isinstance(value, list) and "items" in rule:
        yield from ((item, rule["items"], (step, value, index)) for index, item in enumerate(value))


_Step = tuple[Any, Any, Any]
"""How a value was reached: the step before, the map or list it is in, its key or index there."""


def _entries(
    value: dict[Any, Any], rule: Mapping[str, Any], step: _Step | None, found: list[InvalidInput]
) -> list[tuple[Any, Mapping[str, Any]]]:
    """Return the entries of a map that have a schema, with it; note unknown and missing keys."""
    properties = rule.get("properties", {})
    patterns = rule.get("patternProperties", {})
    others = rule.get("additionalProperties", True)
    entries: list[tuple[Any, Mapping[str, Any]]] = []
    directed = False
    for key in value:
        inner = properties.get(key)
        if inner is None and isinstance(key, str):
            if key.startswith("+"):
                directed = True
                continue
            inner = next((patterns[pattern] for pattern in patterns if re.search(pattern, key)), None)
        if inner is None:
            inner = others
        if inner is False:
            where = f" in {_name(step)}" if step else ""
            path = _name((step, value, key))
            found.append(UnknownKey(path, key, where, key_place_of(value, key), nearest_or_known(key, properties)))
        elif inner is not True:
            entries.append((key, inner))
    if not directed:
        for key in rule.get("required", ()):
            if key not in value:
                found.append(InvalidInput(f"{_name(step) or 'the document'} has no key {key!r}", place_of(value)))
    return entries


def _name(step: _Step | None) -> str:
    """Return the dotted name of a value: `lock.repositories[0].url`."""
    parts: list[str] = []
    while step is not None:
        step, owner, key = step
        parts.append(f"[{key}]" if isinstance(owner, list) else f".{key}")
    return "".join(reversed(parts)).removeprefix(".")


def _wrong_value(value: Any, rule: Mapping[str, Any]) -> tuple[str, str | None] | None:
    """Return what is wrong with a value itself, and a hint."""
    if "const" in rule and value != rule["const"]:
        return f"is {_shown(value)}", f"it must be {rule['const']}"
    if "enum" in rule and value not in rule["enum"]:
        words = [str(word) for word in rule["enum"] if isinstance(word, str)]
        return f"is {_shown(value)}", f"it must be one of {', '.join(words)}"
    low, high = rule.get("minimum", -math.inf), rule.get("maximum", math.inf)
    if isinstance(value, (int, float)) and not low <= value <= high:
        return f"is {_shown(value)}", f"it must be from {low} to {high}"
    kinds = rule.get("type")
    if kinds is None or isinstance(value, VaultText):
        return None
    kinds = [kinds] if isinstance(kinds, str) else kinds
    for kind in kinds:
        if _TYPES[kind](value):
            return None
    names = " or ".join(_NAMES[kind] for kind in kinds if kind != "null")
    return f"is {_kind(value)}", f"it must be {names}"


def _shown(value: Any) -> str:
    text = _kind(value) if isinstance(value, (dict, list)) else repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _kind(value: Any) -> str:
    return next(_NAMES[kind] for kind, is_kind in _TYPES.items() if is_kind(value))


_TYPES: dict[str, Any] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "null": lambda value: value is None,
}
_NAMES = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "empty",
}
