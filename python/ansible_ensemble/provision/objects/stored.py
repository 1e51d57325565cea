"""Kinds that the server keeps for its clients, and does nothing with itself: a new one is a class here, in `STORED`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from ipaddress import IPv4Address
from typing import Any, ClassVar

from ansible_ensemble.provision.objects.base import ZERO_TIME, Object, Record, Reference, Whole


class Element(Record, frozen=True, kw_only=True):
    """A part of an endpoint, and the version that is wanted of it."""

    type: str = ""
    version: str = ""
    name: str = ""
    actual_version: str = ""


class ElementAction(Element, frozen=True, kw_only=True):
    """What is to be done with a part of an endpoint."""

    action: str = ""
    value: Any = None


class FileData(Record, frozen=True, kw_only=True):
    """A file that an endpoint is to have."""

    path: str = ""
    sha256_sum: str = ""
    source: str = ""
    explode: bool = False


class _Versioned(Object, frozen=True, kw_only=True):
    KEY: ClassVar[str] = "identifier"

    identifier: str = ""
    description: str = ""
    documentation: str = ""
    apply: bool = False
    drp_version: str = ""
    drpux_version: str = ""
    components: list[Element] = []
    plugins: list[Any] = []
    prefs: dict[str, str] = {}
    # The words of the wire: values of the profile `global`.
    global_: dict[str, Any] = {}


class VersionSet(_Versioned, frozen=True, kw_only=True):
    """What endpoints are to have together."""

    PREFIX: ClassVar[str] = "version_sets"
    SUMMARY: ClassVar[str] = "what endpoints are to have"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Id", "DRPVersion", "Description")
    TITLE: ClassVar[str] = "Version set"

    files: list[FileData] = []


class Endpoint(_Versioned, frozen=True, kw_only=True):
    """Another server that is managed from here."""

    PREFIX: ClassVar[str] = "endpoints"
    SUMMARY: ClassVar[str] = "other servers, kept for their clients"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Id", "ConnectionStatus", "VersionSets", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("version_sets",)

    params: dict[str, Any] = {}
    connection_status: str = ""
    version_set: str = ""
    version_sets: list[str] = []
    ha_id: str = ""
    arch: str = ""
    system: str = ""
    actions: list[ElementAction] = []

    def references(self) -> Iterator[Reference]:
        """Its version sets."""
        named = dict.fromkeys([*([self.version_set] if self.version_set else []), *self.version_sets])
        return (("version_sets", name) for name in named)


class CatalogItem(Object, frozen=True, kw_only=True):
    """A version of something that can be installed, and where it is."""

    PREFIX: ClassVar[str] = "catalog_items"
    SUMMARY: ClassVar[str] = "versions of what can be installed"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Id", "Type", "Version", "Source")
    KEY: ClassVar[str] = "identifier"

    identifier: str = ""
    type: str = ""
    name: str = ""
    actual_version: str = ""
    version: str = ""
    content_type: str = ""
    source: str = ""
    shasum256: dict[str, str] = {}
    tip: bool = False
    hot_fix: bool = False


class DhcpOption(Record, frozen=True, kw_only=True):
    """An option of DHCP by its number."""

    code: Whole = 0
    value: str = ""


class _Addressed(Object, frozen=True, kw_only=True):
    KEY: ClassVar[str] = "addr"
    #: Its key is the address in hexadecimal digits.
    NAMES: ClassVar[re.Pattern[str]] = re.compile("[0-9A-F]{8}")

    addr: str = ""
    token: str = ""
    strategy: str = ""

    @property
    def key(self) -> str:
        """The address in hexadecimal digits."""
        return self.key_of(self.addr)

    @classmethod
    def key_of(cls, name: str) -> str:
        """The key of an address as people write it."""
        try:
            return f"{int(IPv4Address(name)):08X}"
        except ValueError:
            return name.upper()

    def problems(self) -> Iterator[str]:
        """Clients read addresses of IPv4."""
        return _problems_of_address("Addr", self.addr)


class Reservation(_Addressed, frozen=True, kw_only=True):
    """An address that is given to one machine alone."""

    PREFIX: ClassVar[str] = "reservations"
    SUMMARY: ClassVar[str] = "addresses of machines, kept for a DHCP server"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Addr", "Token", "Strategy")

    next_server: str = ""
    options: list[DhcpOption] = []

    def problems(self) -> Iterator[str]:
        """So they do that of the next server, where there is one."""
        yield from super().problems()
        if self.next_server:
            yield from _problems_of_address("NextServer", self.next_server)


class Lease(_Addressed, frozen=True, kw_only=True):
    """An address that was given for a time."""

    PREFIX: ClassVar[str] = "leases"
    SUMMARY: ClassVar[str] = "addresses that are in use, kept for a DHCP server"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Addr", "State", "Token", "ExpireTime")

    expire_time: str = ZERO_TIME
    state: str = ""

    def problems(self) -> Iterator[str]:
        """They read a time with its zone, too."""
        yield from super().problems()
        try:
            has_zone = datetime.fromisoformat(self.expire_time).tzinfo is not None
        except ValueError:
            has_zone = False
        if not has_zone:
            yield f"Invalid ExpireTime `{self.expire_time}`"


def _problems_of_address(field: str, text: str) -> Iterator[str]:
    try:
        IPv4Address(text)
    except ValueError:
        yield f"Invalid {field} `{text}`"


STORED: tuple[type[Object], ...] = (VersionSet, Endpoint, CatalogItem, Reservation, Lease)
