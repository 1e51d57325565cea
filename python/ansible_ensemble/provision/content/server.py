"""A server's content: what a pack is checked against, and what loading and exporting are about."""

from __future__ import annotations

from collections.abc import Collection

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.content.changes import Change, changes
from ansible_ensemble.provision.content.export import objects_of
from ansible_ensemble.provision.content.trial import Surroundings
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.bundle import Bundle, BundleRecord, BundleSummary
from ansible_ensemble.provision.objects.content import Profile, Stage
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.service.built_ins import BUNDLE as BUILT_IN

_FORBIDDEN = (401, 403)


async def surroundings(client: Client, name: str, keys: Collection[Reference]) -> Surroundings:
    """What a server holds, as far as it matters to a pack.

    Args:
        client: of the server.
        name: of the pack.
        keys: of its objects. If it has less than before, those who may name what is to go are looked at, too.
    """
    objects = [one for kind in SECTIONS.values() for one in await _all(client, kind)]
    records = [_record(one) for one in await client.contents()]
    gone = [one for one in objects if one.bundle == name and (one.PREFIX, one.key) not in keys]
    users: list[Object] = [*await client.select(User)] if any(one.PREFIX == "roles" for one in gone) else []
    machines: list[Object] = [*await client.select(Machine)] if gone else []
    return Surroundings([*objects, *records, *users, *machines], await client.preferences() if gone else {})


async def load(client: Client, bundle: Bundle) -> list[Change]:
    """Load a bundle in one transaction; what it changed."""
    before = await held(client, bundle.meta.name)
    await client.load_content(bundle)
    return changes(before, await held(client, bundle.meta.name))


async def held(client: Client, name: str) -> list[Object]:
    """The record and the objects of a bundle on a server; nothing if it is not loaded."""
    try:
        bundle = await client.content(name)
    except RequestFailed as error:
        if error.error.code != 404:
            raise
        return []
    return [BundleRecord(name=bundle.meta.name, about=bundle.meta), *objects_of(bundle)]


def _record(summary: BundleSummary) -> BundleRecord:
    meta = summary.meta
    return BundleRecord(name=meta.name, about=meta, validated=True, available=True, read_only=meta.name == BUILT_IN)


async def _all(client: Client, kind: type[Object]) -> list[Object]:
    """All objects of a kind; secure params are open, if they may be."""
    if kind in (Profile, Stage):
        try:
            return [*await client.select(kind, {"decode": "true"})]
        except RequestFailed as error:
            if error.error.code not in _FORBIDDEN:
                raise
    return [*await client.select(kind)]
