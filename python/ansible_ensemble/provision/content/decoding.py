"""The objects of a pack, as a server decodes them; and all that it would not take, or would pass over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.provision.content.document import Steps
from ansible_ensemble.provision.content.pack import Entry
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.codec import Undecodable, field_names, from_plain
from ansible_ensemble.provision.service.contents import SECTIONS, named
from ansible_ensemble.provision.service.fields import key_name

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
        key = key_name(kind)
        others = {name: value for name, value in good.items() if name.casefold() != key.casefold()}
        return named(kind, entry.key, others), [*errors, entry.error(str(error), (key,))]


def decoded_meta(entry: Entry) -> tuple[BundleMeta, list[InvalidInput]]:
    """What a pack says of itself, and what is wrong with that."""
    good, found = _good_fields(entry, BundleMeta)
    errors = [*_unknown(entry, BundleMeta, entry.value, ()), *found]
    meta = from_plain(BundleMeta, good)
    if not meta.name and not errors:
        errors.append(entry.error("the pack has no name", ("Name",), "write Name: NAME"))
    return meta, errors


def _good_fields(entry: Entry, kind: type[msgspec.Struct]) -> tuple[dict[str, Any], list[InvalidInput]]:
    """The fields that can be decoded, and why others cannot."""
    good, errors = {}, []
    for name, value in entry.value.items():
        try:
            from_plain(kind, {name: value})
            good[name] = value
        except Undecodable as error:
            errors.append(_mismatch(entry, str(error)))
    return good, errors


def _mismatch(entry: Entry, message: str) -> InvalidInput:
    match = _MISMATCH.match(message)
    if match is None:
        return entry.error(message)
    wanted, got, place = match.groups()
    path = _path(entry.value, place or "", wanted)
    told = ".".join(map(str, path)) or "it"
    if wanted not in _WORDS or got not in _WORDS:
        return entry.error(f"{told}: {message}", path)
    return entry.error(f"{told} must be {_WORDS[wanted][0]}, and is {_WORDS[got][0]}", path, _HINTS.get(wanted))


def _path(value: Any, place: str, wanted: str) -> Steps:
    """The path that a decoder tells; for a key of a map, which it does not tell, that of the first wrong value."""
    path: list[str | int] = []
    for name, index, _ in _STEP.findall(place):
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


def _of_key(entry: Entry, path: Steps, message: str, hint: str | None) -> InvalidInput:
    told = entry.error(message, path, hint)
    return InvalidInput(told.message, entry.spot(path).key, hint)
