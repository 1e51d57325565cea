"""Who may do what: users, roles; and the preferences of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Self

from ansible_ensemble.provision.objects.base import Object, Record, Reference
from ansible_ensemble.provision.objects.names import USER_NAME
from ansible_ensemble.provision.objects.parts import Claim


class User(Object, frozen=True, kw_only=True):
    """Somebody who logs in.

    Attributes:
        password_hash: of the password; never shown.
        secret: what tokens of the user are bound to; another secret makes them invalid. Never shown.
        roles: names of the roles whose claims the user has.
    """

    PREFIX: ClassVar[str] = "users"
    SUMMARY: ClassVar[str] = "who logs in"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Roles", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("roles",)
    TITLE: ClassVar[str] = "User"
    NAMES: ClassVar[re.Pattern[str]] = USER_NAME
    ACTIONS: ClassVar[tuple[str, ...]] = ("token", "password")
    PROOFS: ClassVar[frozenset[str]] = frozenset({"PasswordHash", "Secret"})

    name: str = ""
    description: str = ""
    password_hash: str = ""
    secret: str = ""
    roles: list[str] = []

    def references(self) -> Iterator[Reference]:
        """The user's roles."""
        return (("roles", name) for name in self.roles)

    def public(self) -> Self:
        """The user without what proves who it is."""
        return self.replaced(password_hash="", secret="")


class Role(Object, frozen=True, kw_only=True):
    """Claims that users may have together."""

    PREFIX: ClassVar[str] = "roles"
    SUMMARY: ClassVar[str] = "what users may do"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Bundle", "Description")
    TITLE: ClassVar[str] = "Role"
    IN_CONTENT: ClassVar[bool] = True

    name: str = ""
    description: str = ""
    documentation: str = ""
    claims: list[Claim] = []


class Preference(Record, frozen=True, kw_only=True):
    """A setting of the server: `defaultStage`, `defaultBootEnv`, `unknownBootEnv`, `defaultWorkflow`, and others."""

    name: str
    val: str
