"""Where objects are kept that are brought into a state: a server."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from msgspec import Struct

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed
from ansible_ensemble.provision.client.patch import Operation
from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.rules.parameters import is_sealed


class Seen(Struct, frozen=True):
    """An object as it is kept.

    Attributes:
        object: itself; of its secure params, those that were asked for are open.
        secure: the names of its secure params.
    """

    object: Object
    secure: frozenset[str] = frozenset()


class ObjectApi(Protocol):
    """Keeps objects; every method raises `RequestFailed` if it refuses."""

    async def find(self, kind: type[Object], name: str, opened: Collection[str]) -> Seen | None:
        """The object of a key or a value of a unique index, with these of its secure params open."""

    async def create(self, made: Object, force: bool) -> Object:
        """The object as it was created."""

    async def patch(self, kept: Object, operations: list[Operation], force: bool) -> Object:
        """The object after operations on it."""

    async def delete(self, kept: Object) -> None:
        """Remove an object."""


class Live:
    """A server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def find(self, kind: type[Object], name: str, opened: Collection[str]) -> Seen | None:
        """The object, or None."""
        try:
            kept = await self._client.get(kind, name)
        except RequestFailed as error:
            if error.exit_code == NOT_FOUND:
                return None
            raise
        return await self._open(kept, opened)

    async def _open(self, kept: Object, wanted: Collection[str]) -> Seen:
        secure = secure_params(kept)
        if not isinstance(kept, WITH_PARAMS) or secure.isdisjoint(wanted):
            return Seen(kept, secure)
        clear = await self._client.params(kept, decode=True)
        return Seen(kept.replaced(params={**kept.params, **clear}), secure)

    async def create(self, made: Object, force: bool) -> Object:
        """The object as it was created."""
        return await self._client.create(made, force)

    async def patch(self, kept: Object, operations: list[Operation], force: bool) -> Object:
        """The object after operations on it."""
        return await self._client.patch(type(kept), kept.key, operations, force)

    async def delete(self, kept: Object) -> None:
        """Remove an object."""
        await self._client.delete(type(kept), kept.key)


def secure_params(kept: Object) -> frozenset[str]:
    """The names of the params of an object that are sealed."""
    if not isinstance(kept, WITH_PARAMS):
        return frozenset()
    return frozenset(name for name, value in kept.params.items() if is_sealed(value))
