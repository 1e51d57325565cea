"""What some users see of the server: nothing else than some objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ansible_ensemble.provision.objects.base import Object, Reference


class Tenant(Object, frozen=True, kw_only=True):
    """Users who see of some kinds of objects these alone.

    Attributes:
        members: the keys of the objects, by kind; of kinds that are not in it, all are seen.
        users: their names.
    """

    PREFIX: ClassVar[str] = "tenants"
    SUMMARY: ClassVar[str] = "what users may see"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Users", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("users",)

    name: str = ""
    description: str = ""
    members: dict[str, list[str]] = {}
    users: list[str] = []

    def references(self) -> Iterator[Reference]:
        """Its users."""
        return (("users", name) for name in self.users)
