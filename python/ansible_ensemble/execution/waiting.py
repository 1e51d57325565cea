"""Who waits for what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container

from msgspec import Struct


class Reference(Struct, frozen=True):
    """Something other than an operation that an operation waits for, an attribute's value, say."""

    name: str

    def __str__(self) -> str:
        return self.name


#: What is waited for: an operation's key, or a reference.
Item = str | Reference


class Waiting:
    """The open waits: of each operation what it waits for, and of each item its waiters."""

    def __init__(self) -> None:
        self._missing: dict[str, set[Item]] = {}
        self._dependants: defaultdict[Item, list[tuple[str, bool]]] = defaultdict(list)

    def add(self, key: str, item: Item, has_to_succeed: bool) -> None:
        """Let an operation wait for an item; `has_to_succeed` if it is no use without the item's success."""
        self._missing.setdefault(key, set()).add(item)
        self._dependants[item].append((key, has_to_succeed))

    def came(self, item: Item) -> list[tuple[str, bool]]:
        """Who waits for an item that is there now, each with `has_to_succeed`, in the order they began to wait."""
        return [one for one in self._dependants.pop(item, ()) if item in self._missing.get(one[0], ())]

    def behind(self, key: str) -> set[str]:
        """All operations that wait for one, be it for those that do."""
        found, open_ones = {key}, [key]
        while open_ones:
            item = open_ones.pop()
            new = {
                name for name, _other in self._dependants.get(item, ()) if item in self._missing.get(name, ())
            } - found
            found |= new
            open_ones += new
        return found - {key}

    def met(self, key: str, item: Item) -> bool:
        """Note that an operation has got an item; True if that was the last it waited for."""
        missing = self._missing.get(key)
        if missing is None:
            return False
        missing.discard(item)
        if not missing:
            del self._missing[key]
        return not missing

    def forget(self, key: str) -> None:
        """An operation waits no longer, because it has ended."""
        self._missing.pop(key, None)

    def missing(self, key: str) -> list[Item]:
        """What an operation still waits for, in order."""
        return sorted(self._missing.get(key, ()), key=str)

    def culprits(self, key: str, known: Container[str]) -> list[str]:
        """Follow what an operation waits for to the end: the operations of a ring, or one that waits for a stranger.

        To be asked only when nothing runs, so that all known operations on the way wait themselves.
        """
        path: dict[str, None] = {}
        while key not in path:
            path[key] = None
            others = [item for item in self.missing(key) if isinstance(item, str) and item in known]
            if len(others) < len(self._missing[key]):
                return [key]
            key = others[0]
        keys = list(path)
        return keys[keys.index(key) :]


def needs_of(
    waits_for: tuple[str, ...], waits_end: tuple[str, ...], references: tuple[str, ...] = ()
) -> dict[Item, bool]:
    """What is waited for, and whether it has to succeed."""
    return {
        **dict.fromkeys(waits_end, False),
        **dict.fromkeys(waits_for, True),
        **dict.fromkeys(map(Reference, references), True),
    }
