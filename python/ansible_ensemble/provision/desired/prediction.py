"""What a server would answer: its own rules, applied to a copy of what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import TypeVar

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.patch import Operation
from ansible_ensemble.provision.desired.object_api import Live, Seen
from ansible_ensemble.provision.objects import KINDS, SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.content import Param
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import crud
from ansible_ensemble.provision.service.snapshot import Snapshot
from ansible_ensemble.provision.store.transaction import Transaction

T = TypeVar("T")

#: The kinds of objects that content consists of.
CONTENT = tuple(section for section in SECTIONS if section != "roles")


def looked_up(kind: type[Object]) -> tuple[str, ...]:
    """The kinds of which the rules look up objects for one of this kind."""
    if kind is Job:
        return ("machines",)
    if kind is Param:
        return (*CONTENT, "machines")
    return CONTENT if kind.PREFIX in CONTENT else kind.REFERS


def referrers(kind: type[Object]) -> tuple[str, ...]:
    """The kinds of which objects may name one of this kind, or are looked up when it is removed."""
    if kind is Job:
        return ("machines",)
    return tuple(prefix for prefix, other in KINDS.items() if kind.PREFIX in other.REFERS)


class Predicted:
    """Says what a server would do, which it does not.

    Refusals are those of the server, and what it has made is what it would make, except for what is random: a machine's
    UUID is one that it will not have.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._live = Live(client)
        self._snapshot: Snapshot | None = None

    async def find(self, kind: type[Object], name: str, opened: Collection[str]) -> Seen | None:
        """The object as the server has it."""
        return await self._live.find(kind, name, opened)

    async def create(self, made: Object, force: bool) -> Object:
        """The object as it would be created."""
        snapshot = await self._taken(looked_up(type(made)), None)
        return answered(lambda: crud.create(snapshot, made.PREFIX, encode(made), force=force))

    async def patch(self, kept: Object, operations: list[Operation], force: bool) -> Object:
        """The object as it would be after operations on it."""
        snapshot = await self._taken(looked_up(type(kept)), kept)
        body = encode(operations)
        return answered(lambda: crud.patch(snapshot, kept.PREFIX, kept.key, body, force=force))

    async def delete(self, kept: Object) -> None:
        """Refuse what could not be removed."""
        snapshot = await self._taken(referrers(type(kept)), kept)
        answered(lambda: crud.remove(snapshot, kept.PREFIX, kept.key))

    async def _taken(self, kinds: tuple[str, ...], kept: Object | None) -> Transaction:
        if self._snapshot is None:
            self._snapshot = await snapshot_of(self._client, kinds)
        if kept:
            self._snapshot.update(kept)
        return self._snapshot


async def snapshot_of(client: Client, kinds: Collection[str]) -> Snapshot:
    """The objects of some kinds, and the settings, as a server has them now."""
    lists = await asyncio.gather(*(client.select(KINDS[kind]) for kind in kinds))
    return Snapshot([one for objects in lists for one in objects], await client.preferences())


def answered(function: Callable[[], T]) -> T:
    """What a function of the service returns; it refuses as a client of the server sees that."""
    try:
        return function()
    except Refused as refused:
        raise RequestFailed(refused.error) from None
