"""A server's objects in a store of their own, where a pack is loaded to see what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import Bundle, BundleRecord, BundleSummary
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.service import built_ins, contents
from ansible_ensemble.provision.service.secure_params import concealed
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Reader, Store, Transaction

Kept = TypeVar("Kept", bound=Object)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a server holds beside the pack.

    Attributes:
        objects: all of the kinds of content, the records of bundles, and those that name objects which are to go.
        preferences: settings that name objects.
    """

    objects: Sequence[Object]
    preferences: Mapping[str, str] = field(default_factory=dict)


class Trial:
    """A store that is like a server's; what happens in it is gone afterwards."""

    def __init__(self, runner: asyncio.Runner, store: Store) -> None:
        self._runner, self._store = runner, store

    def objects(self) -> list[Object]:
        """All objects of the kinds of content."""
        return self._runner.run(self._store.read(_objects))

    def held(self, bundle: str) -> list[Object]:
        """The record and the objects of a bundle."""

        def of(reader: Reader) -> list[Object]:
            record = reader.get(BundleRecord, bundle)
            return [*([record] if record else ()), *(one for one in _objects(reader) if one.bundle == bundle)]

        return self._runner.run(self._store.read(of))

    def assume(self, bundles: Sequence[str]) -> None:
        """Have bundles, with nothing in them, where there are none of these names."""

        def record(tx: Transaction) -> None:
            for name in bundles:
                if tx.get(BundleRecord, name) is None:
                    tx.create(BundleRecord(name=name, validated=True, available=True))

        self._runner.run(self._store.transact(record, "trial"))

    def load(self, bundle: Bundle) -> BundleSummary:
        """Load a bundle, in the place of what has its name.

        Raises:
            Refused: a server would refuse it.
        """
        name, body = bundle.meta.name, encode(bundle)

        def loaded(tx: Transaction) -> BundleSummary:
            if tx.get(BundleRecord, name):
                return contents.replace_content(tx, name, body)
            return contents.create_content(tx, body)

        return self._runner.run(self._store.transact(loaded, "trial"))


@contextmanager
def trial(surroundings: Surroundings | None = None) -> Iterator[Trial]:
    """A store with what a server holds; without one, with what is built in."""
    with TemporaryDirectory(prefix="content-") as folder, asyncio.Runner() as runner:
        store = runner.run(open_store(Path(folder) / "trial.sqlite"))
        try:
            runner.run(store.transact(lambda tx: _fill(tx, surroundings), "trial"))
            yield Trial(runner, store)
        finally:
            runner.run(store.close())


def _objects(reader: Reader) -> list[Object]:
    return [one for kind in contents.SECTIONS.values() for one in reader.all(kind)]


def _fill(tx: Transaction, surroundings: Surroundings | None) -> None:
    if surroundings is None:
        built_ins.bring(tx)
        return
    catalog = _Given(surroundings.objects)
    for one in surroundings.objects:  # what is sealed stays so: the keys are the server's
        tx.create(concealed(tx, catalog, one, one))
    for name, value in surroundings.preferences.items():
        tx.set_preference(name, value)


class _Given:
    """Objects by kind and key."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self._objects = {(one.PREFIX, one.key): one for one in objects}

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
        return self._objects.get((kind.PREFIX, key))  # type: ignore[return-value] # the prefix is the kind's
