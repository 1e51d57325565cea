"""A bundle: a whole pack in one file of YAML or JSON, `{meta, sections}`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.provision.content.document import Document, Steps, parse
from ansible_ensemble.provision.content.files import read_text
from ansible_ensemble.provision.content.pack import Entry, Pack
from ansible_ensemble.provision.objects import SECTIONS

_PARTS = ("meta", "sections")


def read_bundle(file: Path) -> Pack:
    """The pack in a bundle file."""
    document = parse(read_text(file), file)
    if not isinstance(document.value, dict):
        raise InvalidInput("a bundle is a map of meta and sections", document.spot(()).value)
    errors = [*_unknown(document, (), _PARTS)]
    parts = {part: _map(document, (part,), errors) for part in _PARTS}
    errors += _unknown(document, ("sections",), tuple(SECTIONS), "no such section")
    meta = Entry("meta", "", parts["meta"], document, ("meta",))
    return Pack(meta, [*_entries(document, parts["sections"], errors)], errors)


def _entries(document: Document, sections: dict[str, Any], errors: list[InvalidInput]) -> Iterator[Entry]:
    for section in sections:
        if section in SECTIONS:
            for key, value in _map(document, ("sections", section), errors).items():
                yield Entry(section, key, value, document, ("sections", section, key))


def _map(document: Document, path: Steps, errors: list[InvalidInput]) -> dict[str, Any]:
    value: Any = document.value
    for step in path:
        value = value.get(step)
    if isinstance(value, dict):
        return value
    if value is not None:
        errors.append(InvalidInput(f"{path[-1]} must be a map", document.spot(path).value))
    return {}


def _unknown(
    document: Document, path: Steps, known: tuple[str, ...], message: str = "nothing is known by this name"
) -> Iterator[InvalidInput]:
    value: Any = document.value
    for step in path:
        value = value.get(step) or {}
    for name in value if isinstance(value, dict) else ():
        if name not in known:
            place = document.spot((*path, name)).key
            yield InvalidInput(f"{name}: {message}", place, nearest_or_known(name, known))
