"""What is wrong with objects that the server keeps for its clients: what these could not read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from ipaddress import IPv4Address

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.stored import Lease, Reservation
from ansible_ensemble.provision.objects.tenant import Tenant
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.flaw import Flaw
from ansible_ensemble.provision.rules.template_checks import SyntaxCheck


def flaws_of_reservation(reservation: Reservation, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A reservation has addresses of IPv4."""
    yield from _flaws_of_address("Addr", reservation.addr)
    if reservation.next_server:
        yield from _flaws_of_address("NextServer", reservation.next_server)


def flaws_of_lease(lease: Lease, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A lease has an address of IPv4, and a time at which it ends."""
    yield from _flaws_of_address("Addr", lease.addr)
    try:
        has_zone = datetime.fromisoformat(lease.expire_time).tzinfo is not None
    except ValueError:
        has_zone = False
    if not has_zone:
        yield Flaw(f"Invalid ExpireTime `{lease.expire_time}`", "ExpireTime")


def flaws_of_tenant(tenant: Tenant, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    """A tenant has members of kinds that there are."""
    yield from (Flaw(f"Invalid kind `{kind}`", "Members", kind) for kind in tenant.members if kind not in KINDS)


def _flaws_of_address(field: str, text: str) -> Iterator[Flaw]:
    try:
        IPv4Address(text)
    except ValueError:
        yield Flaw(f"Invalid {field} `{text}`", field)
