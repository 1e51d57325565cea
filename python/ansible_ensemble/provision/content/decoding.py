"""The objects of a pack, as a server decodes them; and all that it would not take, or would pass over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import closest, nearest_or_known
from ansible_ensemble.provision.content.document import Steps
from ansible_ensemble.provision.content.pack import Entry
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.codec import Undecodable, field_names, from_plain
from ansible_ensemble.provision.service.contents import named

#: Words for the types of JSON, and those of Python.
_WORDS: dict[str, tuple[str, type]] = {
    "str": ("a text", str),
    "int": ("a whole number", int),
    "float": ("a number", float),
    "bool": ("true or false", bool),
    "array": ("a list", list),
    "object": ("a map", dict),
    "null": ("nothing", type(None)),
}
_HINTS = {"str": "quote it", "array": "write it as a list, as in [NAME]", "bool": "write true or false"}
_MISMATCH = re.compile(r"Expected `(\w+)`, got `(\w+)`(?: - at `\$(.*)`)?")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])")


def decoded(entry: Entry) -> tuple[Object | None, list[InvalidInput]]:
    """An object of a pack with what is right of it, and what is wrong; None if it is none at all."""
    kind = SECTIONS[entry.section]
    if not isinstance(entry.value, dict):
        return None, [entry.error("it must be a map of fields")]
    good, found = _good_fields(entry, kind)
    errors = [*_unknown(entry, kind, entry.value, ()), *found]
    try:
        return named(kind, entry.key, good), errors
    except Undecodable as error:  # it says that it has another key
        key = kind.key_field()
        others = {name: value for name, value in good.items() if name.casefold() != key.casefold()}
        return named(kind, entry.key, others), [*errors, entry.error(str(error), (key,))]


def decoded_meta(entry: Entry) -> tuple[BundleMeta, list[InvalidInput]]:
    """What a pack says of itself, and what is wrong with that."""
    good, found = _good_fields(entry, BundleMeta)
    errors = [*_unknown(entry, BundleMeta, entry.value, ()), *found]
    return from_plain(BundleMeta, good), errors


def _good_fields(entry: Entry, kind: type[msgspec.Struct]) -> tuple[dict[str, Any], list[InvalidInput]]:
    """The fields that can be decoded, with what is right of others, and why the rest cannot."""
    good, errors = {}, []
    for name, value in _meant(kind, entry.value).items():
        problem = _problem(kind, {name: value})
        if not problem:
            good[name] = value
            continue
        whole = _problem(kind, {name: type(value)()})  # then it is no such map or list, whatever is in it
        parts = [] if whole else [(step, part, _problem(kind, {name: part})) for step, part in _parts(value)]
        if bad := [(step, part, told) for step, part, told in parts if told]:
            errors += [_mismatch(entry, {name: part}, step, told) for step, part, told in bad]
            good[name] = _joined(value, [part for _other, part, told in parts if not told])
        else:
            errors.append(_mismatch(entry, {name: value}, None, problem))
    return good, errors


def _problem(kind: type[msgspec.Struct], fields: dict[str, Any]) -> str:
    try:
        from_plain(kind, fields)
    except Undecodable as error:
        return str(error)
    return ""


def _parts(value: Any) -> list[tuple[str | int, Any]]:
    """A map or list as maps or lists of one, each with its key or index."""
    if isinstance(value, dict):
        return [(key, {key: inner}) for key, inner in value.items()]
    return [(index, [item]) for index, item in enumerate(value)] if isinstance(value, list) else []


def _joined(value: Any, parts: list[Any]) -> Any:
    if isinstance(value, dict):
        return {key: inner for part in parts for key, inner in part.items()}
    return [item for part in parts for item in part]


def _mismatch(entry: Entry, fields: dict[str, Any], step: str | int | None, message: str) -> InvalidInput:
    """What is wrong with a field, or with one entry of it."""
    match = _MISMATCH.match(message)
    if match is None:
        return entry.error(message, (*fields, *([step] if step is not None else ())))
    wanted, got, place = match.groups()
    path = [*_path(fields, place or "", wanted)]
    if step is not None and len(path) > 1:
        path[1] = step
    told = ".".join(map(str, path)) or "it"
    if wanted not in _WORDS or got not in _WORDS:
        return entry.error(f"{told}: {message}", tuple(path))
    return entry.error(f"{told} must be {_WORDS[wanted][0]}, and is {_WORDS[got][0]}", tuple(path), _HINTS.get(wanted))


def _path(value: Any, place: str, wanted: str) -> Steps:
    """The path that a decoder tells; for a key of a map, which it does not tell, that of the first wrong value."""
    path: list[str | int] = []
    for name, index, _other in _STEP.findall(place):
        step: str | int | None = name or (int(index) if index else None)
        if isinstance(value, Mapping):
            step = _known_key(value, step, wanted)
        if step is None:
            break
        path.append(step)
        value = value[step]
    return tuple(path)


def _known_key(value: Mapping[str, Any], step: str | int | None, wanted: str) -> str | None:
    if step is None:
        right = _WORDS[wanted][1] if wanted in _WORDS else object
        return next((key for key, inner in value.items() if not isinstance(inner, right)), None)
    return next((key for key in value if key.casefold() == str(step).casefold()), None)


def _unknown(entry: Entry, kind: Any, value: Any, path: Steps) -> Iterator[InvalidInput]:
    """Fields that no object of the kind has, and those that are written twice, in two spellings."""
    if get_origin(kind) is list and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(entry, get_args(kind)[0], item, (*path, index))
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict)):
        return
    types = {name.casefold(): (name, of) for name, of in field_names(kind).items()}
    seen: dict[str, str] = {}
    for name, inner in value.items():
        known, of = types.get(name.casefold(), ("", None))
        if not known:
            yield _of_key(entry, (*path, name), f"there is no field {name}", nearest_or_known(name, field_names(kind)))
        elif seen.setdefault(known, name) != name:
            yield _of_key(entry, (*path, name), f"{name} is {seen[known]} once more", "remove one of the two")
        else:
            yield from _unknown(entry, of, inner, (*path, name))


def _meant(kind: Any, value: Any) -> Any:
    """A value with the fields that are meant by names that are none, so that nothing follows from a slip."""
    if get_origin(kind) is list and isinstance(value, list):
        return [_meant(get_args(kind)[0], item) for item in value]
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict)):
        return value
    types = field_names(kind)
    known = {name.casefold(): name for name in types}
    found = {name: known.get(name.casefold()) or closest(name, types) or name for name in value}
    taken = {known.get(name.casefold()) for name in value}
    meant = {name: told if name.casefold() in known or told not in taken else name for name, told in found.items()}
    return {meant[name]: _meant(types.get(meant[name]), inner) for name, inner in value.items()}


def _of_key(entry: Entry, path: Steps, message: str, hint: str | None) -> InvalidInput:
    told = entry.error(message, path, hint)
    return InvalidInput(told.message, entry.spot(path).key, hint)
