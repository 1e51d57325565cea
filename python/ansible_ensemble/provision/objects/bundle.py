"""A bundle of content, as it is loaded and shown whole."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from ansible_ensemble.provision.objects.base import Object, Record


class BundleMeta(Record, frozen=True, kw_only=True):
    """What a bundle says of itself."""

    name: str = ""
    source: str = ""
    description: str = ""
    documentation: str = ""
    version: str = ""
    type: str = ""
    required_features: str = ""
    prerequisites: str = ""
    color: str = ""
    icon: str = ""
    author: str = ""
    display_name: str = ""
    license: str = ""
    copyright: str = ""
    code_source: str = ""
    order: str = ""
    tags: str = ""
    doc_url: str = ""
    writable: bool = False
    overwritable: bool = False


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Content as it is loaded: objects by kind and key."""

    meta: BundleMeta = msgspec.field(default_factory=BundleMeta)
    sections: dict[str, dict[str, Any]] = {}


class BundleRecord(Object, frozen=True, kw_only=True):
    """That a bundle is loaded; the objects in it name it."""

    PREFIX: ClassVar[str] = "contents"

    name: str = ""
    about: BundleMeta = BundleMeta()


class BundleSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle in a list: how many objects of each kind it holds, and what is wrong with them."""

    meta: BundleMeta
    counts: dict[str, int] = msgspec.field(name="Counts")
    warnings: list[str] = msgspec.field(name="Warnings", default_factory=list)
