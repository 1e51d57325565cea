"""What one request changes: the objects it is for, and those that refer to them; each is written once."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from ansible_ensemble.provision.objects import KINDS, WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.availability import looks_alike, validated
from ansible_ensemble.provision.rules.machine_state import settled
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import sealing
from ansible_ensemble.provision.service.fields import is_same
from ansible_ensemble.provision.service.secure_params import concealed
from ansible_ensemble.provision.store.transaction import AlreadyExists, Transaction

Kept = TypeVar("Kept", bound=Object)

_RANK = {prefix: rank for rank, prefix in enumerate(KINDS)}


class Batch:
    """Objects that a request writes or removes, and a catalog in which it is done already.

    When an object appears, changes or goes, those that refer to it are assessed again, and if that changes them, those
    that refer to these.

    Attributes:
        tx: where it is written in the end.
    """

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._kept: dict[Reference, Object | None] = {}
        self._wanted: dict[Reference, Object | None] = {}
        self._asked: set[Reference] = set()
        self._referrers: dict[Reference, set[Reference]] = defaultdict(set)
        self._queue: list[tuple[int, Reference]] = []
        self._waiting: set[Reference] = set()

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key, as it will be."""
        return self._get((kind.PREFIX, key))  # type: ignore[return-value] # the prefix is the kind's

    def _get(self, reference: Reference) -> Object | None:
        return self._wanted[reference] if reference in self._wanted else self._before(reference)

    def _before(self, reference: Reference) -> Object | None:
        if reference not in self._kept:
            prefix, key = reference
            self._kept[reference] = self.tx.get(KINDS[prefix], key)
        return self._kept[reference]

    def put(self, wanted: Object) -> None:
        """Write an object that the rules of its kind admit; the request is for it.

        Raises:
            Refused: 422, a param that is sealed does not fit its schema, or was sealed for another object.
        """
        self._asked.add((wanted.PREFIX, wanted.key))
        self.follow(wanted)

    def follow(self, wanted: Object) -> None:
        """Write an object as a consequence of what the request is for."""
        reference = (wanted.PREFIX, wanted.key)
        self._want(reference, concealed(self.tx, self, wanted, self._before(reference)))
        self._enqueue(reference)

    def keep(self, wanted: Kept) -> Kept:
        """Write an object and what follows from it; the request is for this one alone.

        Returns:
            The object as it is kept.
        """
        self.put(wanted)
        self.write()
        return self.get(type(wanted), wanted.key) or wanted

    def remove(self, gone: Object) -> None:
        """Remove an object; the request is for it."""
        reference = (gone.PREFIX, gone.key)
        self._wanted[reference] = None
        self._concern(reference)

    def write(self) -> None:
        """Assess what is concerned, and write what differs from what is kept.

        Raises:
            Refused: 409, another object has the key or the value of a unique index.
        """
        while self._queue:
            _other, reference = heapq.heappop(self._queue)
            self._waiting.remove(reference)
            self._assess(reference)
        for reference in sorted(self._wanted, key=lambda one: (self._wanted[one] is not None, _RANK[one[0]], one)):
            self._write(reference)

    def _enqueue(self, reference: Reference) -> None:
        if reference not in self._waiting:
            self._waiting.add(reference)
            heapq.heappush(self._queue, (_RANK[reference[0]], reference))

    def _want(self, reference: Reference, wanted: Object) -> None:
        before = self._get(reference)
        self._wanted[reference] = wanted
        for named in wanted.references():
            self._referrers[named].add(reference)
        if before is None or not looks_alike(before, wanted):  # thousands of machines may name it
            self._concern(reference)

    def _concern(self, reference: Reference) -> None:
        """Have those assessed that refer to an object."""
        if not KINDS[reference[0]].TITLE:
            return
        for referrer in self.tx.referrers(*reference):
            self._kept.setdefault((referrer.PREFIX, referrer.key), referrer)
            self._enqueue((referrer.PREFIX, referrer.key))
        for known in self._referrers[reference]:
            self._enqueue(known)

    def _assess(self, reference: Reference) -> None:
        if (before := self._get(reference)) is None:
            return
        sealed = concealed(self.tx, self, before, self._before(reference))
        after = settled(sealed, self) if isinstance(sealed, Machine) else validated(sealed, self)
        if after != before:
            self._want(reference, after)

    def _write(self, reference: Reference) -> None:
        before, after = self._before(reference), self._wanted[reference]
        if is_same(before, after):
            return
        if after is None:
            self.tx.delete(before)  # type: ignore[arg-type] # who removes an object has seen it
            if isinstance(before, WITH_PARAMS):
                sealing.forget(self.tx, reference)
        elif before is None:
            _unique(self.tx.create, after, "CREATE")
        else:
            _unique(self.tx.update if reference in self._asked else self.tx.save, after, "PATCH")


def _unique(write: Callable[[Object], None], wanted: Object, method: str) -> None:
    """Write an object, unless another one has what only one may have."""
    try:
        write(wanted)
    except AlreadyExists as taken:
        same_key = taken.value == wanted.key
        message = "already exists" if same_key else f"{taken.index} {taken.value} already exists"
        raise Refused(409, message, type=method, model=wanted.PREFIX, key=wanted.key) from None
