"""A copy of what a server holds, into which a pack is loaded to see what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import Bundle, BundleRecord, BundleSummary
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.service import built_ins, contents
from ansible_ensemble.provision.service.secure_params import concealed
from ansible_ensemble.provision.service.snapshot import Snapshot


class Surroundings(Struct, frozen=True):
    """What a server holds beside the pack.

    Attributes:
        objects: all of the kinds of content, the records of bundles, and those that name objects which are to go.
        preferences: settings that name objects.
    """

    objects: Sequence[Object]
    preferences: Mapping[str, str] = {}


class Trial:
    """A server's objects, or what is built in where there is no server."""

    def __init__(self, surroundings: Surroundings | None = None) -> None:
        if surroundings is None:
            self._snapshot = Snapshot((), {})
            built_ins.bring(self._snapshot)
        else:
            self._snapshot = Snapshot(surroundings.objects, surroundings.preferences)
            for one in surroundings.objects:  # what is sealed stays so: the keys are the server's
                self._snapshot.update(concealed(self._snapshot, self._snapshot, one, one))

    def objects(self) -> list[Object]:
        """All objects of the kinds of content."""
        return [one for kind in SECTIONS.values() for one in self._snapshot.all(kind)]

    def held(self, bundle: str) -> list[Object]:
        """The record and the objects of a bundle."""
        record = self._snapshot.get(BundleRecord, bundle)
        return [*([record] if record else ()), *(one for one in self.objects() if one.bundle == bundle)]

    def assume(self, bundles: Sequence[str]) -> None:
        """Have bundles, with nothing in them, where there are none of these names."""
        for name in bundles:
            if self._snapshot.get(BundleRecord, name) is None:
                self._snapshot.create(BundleRecord(name=name, validated=True, available=True))

    def load(self, bundle: Bundle) -> BundleSummary:
        """Load a bundle, in the place of what has its name.

        Raises:
            Refused: a server would refuse it.
        """
        name, body = bundle.meta.name, encode(bundle)
        if self._snapshot.get(BundleRecord, name):
            return contents.replace_content(self._snapshot, name, body)
        return contents.create_content(self._snapshot, body)
