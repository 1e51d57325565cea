"""What rules look up: other objects, by kind and key."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ansible_ensemble.provision.objects.base import Object

Kept = TypeVar("Kept", bound=Object)


class Catalog(Protocol):
    """Objects by kind and key; a transaction is one, and so is a dict of a test."""

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
