"""Packs of what there is: content of a server, its writable objects, or a bundle file."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.content.bundle_file import read_bundle
from ansible_ensemble.provision.content.check import check
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import Bundle, BundleMeta
from ansible_ensemble.provision.objects.codec import Undecodable, plain
from ansible_ensemble.provision.rules.parameters import is_sealed
from ansible_ensemble.provision.service.contents import named

#: The profile that each server has for itself.
_OWN = ("profiles", "global")


async def of_content(client: Client, name: str) -> Bundle:
    """Content of a server, by its name."""
    bundle = await client.content(name)
    _refuse_sealed(objects_of(bundle))
    return bundle


async def of_writable(client: Client, name: str) -> Bundle:
    """The objects of a server that came with no content, but for the profile that each server has."""
    found = [one for kind in SECTIONS.values() for one in await client.select(kind)]
    objects = [one for one in found if not (one.bundle or one.read_only or (one.PREFIX, one.key) == _OWN)]
    if not objects:
        raise InvalidInput("the server has no writable objects")
    _refuse_sealed(objects)
    sections: dict[str, dict[str, object]] = {}
    for one in objects:
        sections.setdefault(one.PREFIX, {})[one.key] = plain(one)
    return Bundle(meta=BundleMeta(name=name), sections=sections)


def of_file(file: Path) -> Bundle:
    """The bundle in a file."""
    checked = check(read_bundle(file))
    if checked.errors:
        raise checked.errors[0]
    return checked.bundle


def objects_of(bundle: Bundle) -> list[Object]:
    """The objects of a bundle."""
    try:
        return [
            named(SECTIONS[section], key, value)
            for section, objects in bundle.sections.items()
            if section in SECTIONS
            for key, value in objects.items()
        ]
    except Undecodable as error:
        raise InvalidInput(f"an object cannot be read: {error}", Place(bundle.meta.name)) from None


def _refuse_sealed(objects: list[Object]) -> None:
    """Refuse values that no other server could open, so that a pack is what it seems."""
    for one in objects:
        for name, value in getattr(one, "params", {}).items():
            if is_sealed(value):
                message = f"{one.PREFIX}/{one.key}: the value of {name} is sealed for this server"
                raise InvalidInput(message, hint="remove it there; each server has its own")
