"""What a server holds of one moment, as a transaction that ends with nothing kept: dry runs work on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeVar

from ansible_ensemble.provision.objects.base import Object, Reference, wire_name
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event

Kept = TypeVar("Kept", bound=Object)


class Snapshot:
    """A `Transaction` over objects in memory; it has no logs, and tells nobody."""

    principal = "system"
    events: Sequence[Event] = ()
    renewed: Set[Reference] = frozenset()

    def __init__(self, objects: Iterable[Object], preferences: Mapping[str, str]) -> None:
        self._objects: dict[Reference, Object] = {}
        self._referrers: dict[Reference, set[Reference]] = {}
        for one in objects:
            self.update(one)
        self._preferences = dict(preferences)
        self._secrets: dict[str, bytes] = {}

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
        return self._objects.get((kind.PREFIX, key))  # type: ignore[return-value] # the prefix is the kind's

    locked = get

    def find(self, kind: type[Kept], index: str, value: str) -> Kept | None:
        """The object that has a value of a unique index."""
        return next(self.where(kind, index, value), None)

    def where(self, kind: type[Kept], index: str, value: str) -> Iterator[Kept]:
        """The objects that have a value of an index."""
        return (one for one in self.all(kind) if value and _fields(one).get(index) == value)

    def all(self, kind: type[Kept]) -> Iterator[Kept]:
        """The objects of a kind, in the order of their keys."""
        keys = sorted(key for prefix, key in self._objects if prefix == kind.PREFIX)
        return (one for key in keys if (one := self.get(kind, key)))

    def bodies(self, kind: type[Object]) -> Iterator[bytes]:
        """The objects of a kind as JSON."""
        return (encode(one) for one in self.all(kind))

    def count(self, kind: type[Object]) -> int:
        """How many objects of a kind there are."""
        return sum(1 for _item in self.all(kind))

    def referrers(self, prefix: str, key: str) -> list[Object]:
        """The objects that name another one."""
        named = sorted(self._referrers.get((prefix, key), ()))
        return [self._objects[reference] for reference in named]

    def preferences(self) -> dict[str, str]:
        """The settings of the server."""
        return dict(self._preferences)

    def set_preference(self, name: str, value: str) -> None:
        """Keep a setting."""
        self._preferences[name] = value

    def secret(self, name: str) -> bytes | None:
        """A secret that was made here; those of the server nobody has."""
        return self._secrets.get(name)

    def secrets(self, beginning: str) -> dict[str, bytes]:
        """The secrets that were made here whose names begin so."""
        return {name: value for name, value in self._secrets.items() if name.startswith(beginning)}

    def keep_secret(self, name: str, value: bytes | None) -> None:
        """Keep a secret, or forget it."""
        self._secrets.pop(name, None)
        if value is not None:
            self._secrets[name] = value

    def update(self, changed: Object) -> None:
        """Keep an object."""
        self.delete(changed)
        reference = (changed.PREFIX, changed.key)
        self._objects[reference] = changed
        for named in changed.references():
            self._referrers.setdefault(named, set()).add(reference)

    create = save = update

    def delete(self, gone: Object) -> None:
        """Remove the object of its key."""
        reference = (gone.PREFIX, gone.key)
        before = self._objects.pop(reference, None)
        for named in before.references() if before else ():
            self._referrers[named].discard(reference)

    def log(self, _job: str, _offset: int, _size: int) -> bytes:
        """Nothing."""
        return b""

    def append_log(self, job: str, data: bytes) -> None:
        """Do nothing."""

    def tell(self, event: Event) -> None:
        """Do nothing."""


def _fields(one: Object) -> dict[str, object]:
    return {wire_name(name): getattr(one, name) for name in one.__struct_fields__}
