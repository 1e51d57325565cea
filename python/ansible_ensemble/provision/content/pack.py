"""A pack of content as it is written: what it says of itself, and its objects, with their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.provision.content.document import Document, Spot, Steps


class Entry(Struct, frozen=True):
    """An object of a pack, or what it says of itself.

    Attributes:
        section: its kind: `tasks`; `meta` for what the pack says of itself.
        key: its key among those of its kind.
        value: as it is written.
        document: the file it is in.
        base: where in the file it is.
    """

    section: str
    key: str
    value: Any
    document: Document
    base: Steps = ()

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.section}/{self.key}" if self.key else self.section

    def spot(self, path: Steps = ()) -> Spot:
        """Where a part of it is, by fields, keys, indexes and names in lists; else where the nearest outer part is."""
        value: Any = self.value
        found: list[str | int] = []
        for step in path:
            known = _step(value, step)
            if known is None:
                break
            found.append(known)
            value = value[known]
        return self.document.spot((*self.base, *found))

    def error(self, message: str, path: Steps = (), hint: str | None = None, line: int = 0) -> InvalidInput:
        """What is wrong with a part of it; with a line, of the text that this part is."""
        spot = self.spot(path)
        place = Place(spot.value.file, spot.first + line - 1) if line and spot.first else spot.value
        return InvalidInput(f"{self.name}: {message}" if self.key else message, place, hint)


class Pack(Struct, frozen=True):
    """A pack as it was read.

    Attributes:
        meta: what it says of itself.
        entries: its objects.
        errors: what could not be read, and what is no content.
        unread: the sections of which something could not be read, so that objects may be missing.
    """

    meta: Entry
    entries: list[Entry]
    errors: list[InvalidInput]
    unread: frozenset[str] = frozenset()


def _step(value: Any, step: str | int) -> str | int | None:
    """The key or index that a step means."""
    if isinstance(value, Mapping):
        return _key(value, str(step))
    if isinstance(value, list) and isinstance(step, str):
        return next((index for index, item in enumerate(value) if _is_named(item, step)), None)
    return step if isinstance(value, list) and isinstance(step, int) and step < len(value) else None


def _key(value: Mapping[str, Any], step: str) -> str | None:
    """A key; the names of fields may be written in any case."""
    if step in value:
        return step
    return next((key for key in value if key.casefold() == step.casefold()), None)


def _is_named(item: object, name: str) -> bool:
    """Whether an item of a list is a name: itself, or after the prefix of an entry of a task list."""
    return isinstance(item, str) and (item == name or item.partition(":")[2] == name)
