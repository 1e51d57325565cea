"""Sections of a project's and an environment's settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.yaml import place_of


def as_section(
    section: object, what: str, keys: Collection[str], place: Place | None, needed: Collection[str] = ()
) -> Mapping[str, Any]:
    """A section as a map that has the needed keys, and no others than these; errors call it `what`.

    Raises:
        InvalidInput: it is no map, has another key, or lacks one.
    """
    hint = f"its keys are {', '.join(keys)}"
    if not isinstance(section, Mapping):
        raise InvalidInput(f"{what} must be a map", place, hint)
    for key in section:
        if key not in keys:
            raise InvalidInput(f"{what} has no key {key!r}", place_of(section, key) or place, hint)
    for key in needed:
        if key not in section:
            raise InvalidInput(f"{what} lacks {key}", place, hint)
    return section
