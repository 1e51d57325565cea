"""What loading a pack changes on a server."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ansible_ensemble.provision.content.defaults import meta_without_defaults, without_defaults
from ansible_ensemble.provision.content.writing import yaml_text
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.bundle import BundleRecord
from ansible_ensemble.provision.rules.parameters import is_sealed

Kind: TypeAlias = Literal["added", "changed", "removed", "unchanged"]


class Change(Struct, frozen=True):
    """What becomes of an object.

    Attributes:
        kind: what happens to it.
        section: its kind; `meta` for what the pack says of itself.
        key: its key.
        diff: the lines that differ, as `diff -u` has them; nothing of what is sealed.
    """

    kind: Kind
    section: str
    key: str
    diff: str = ""


def changes(before: Iterable[Object], after: Iterable[Object]) -> list[Change]:
    """What differs between the objects of a bundle at two moments, and what does not; by section and key."""
    old, new = _documents(before), _documents(after)
    return [_change(reference, old.get(reference), new.get(reference)) for reference in _ordered({**old, **new})]


def summary(found: Iterable[Change]) -> dict[str, dict[str, list[str]]]:
    """Keys by section and by what happens to them."""
    result: dict[str, dict[str, list[str]]] = {}
    for change in found:
        of_section = result.setdefault(change.section, {"added": [], "changed": [], "removed": [], "unchanged": []})
        of_section[change.kind].append(change.key)
    return result


def _documents(objects: Iterable[Object]) -> dict[Reference, dict[str, Any]]:
    documents: dict[Reference, dict[str, Any]] = {}
    for one in objects:
        if isinstance(one, BundleRecord):
            documents["meta", one.key] = meta_without_defaults(one.about)
        else:
            documents[one.PREFIX, one.key] = without_defaults(one)
    return documents


def _ordered(references: Iterable[Reference]) -> list[Reference]:
    ranks = {section: rank for rank, section in enumerate(("meta", *SECTIONS))}
    return sorted(references, key=lambda reference: (ranks[reference[0]], reference[1]))


def _change(reference: Reference, old: dict[str, Any] | None, new: dict[str, Any] | None) -> Change:
    if old == new:
        return Change("unchanged", *reference)
    kind: Kind = "added" if old is None else "removed" if new is None else "changed"
    name = "/".join(reference)
    was, will = _lines(old, {}), _lines(new, old or {})
    lines = difflib.unified_diff(was, will, f"before/{name}", f"after/{name}", lineterm="")
    return Change(kind, *reference, "".join(f"{line}\n" for line in lines))


def _lines(fields: Mapping[str, Any] | None, other: Mapping[str, Any]) -> list[str]:
    """An object as lines; what is sealed is said to be, and whether it is what it was."""
    if fields is None:
        return []
    params = dict(_shown(fields.get("Params", {}), other.get("Params", {})))
    return yaml_text({**fields, "Params": params} if params else dict(fields)).splitlines()


def _shown(params: Mapping[str, Any], others: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in params.items():
        again = name in others and is_sealed(others[name]) and others[name] != value
        yield name, ("(sealed anew)" if again else "(sealed)") if is_sealed(value) else value
