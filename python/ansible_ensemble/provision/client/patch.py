"""Patches (RFC 6902) that say what is changed, and what it was: an object changed by others meanwhile refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_ensemble.provision.objects.codec import pointer, same

Operation = dict[str, Any]


def difference(old: dict[str, Any], new: dict[str, Any]) -> list[Operation]:
    """The operations that make one JSON object of another.

    Each changed value is tested and replaced, an array as a whole; what goes is tested and removed; what is new is
    added, without a test.
    """
    return list(_between(old, new, ""))


def _between(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[Operation]:
    for name in sorted(old.keys() | new.keys()):
        place = path + pointer(name)
        if name not in old:
            yield {"op": "add", "path": place, "value": new[name]}
        elif name not in new:
            yield {"op": "test", "path": place, "value": old[name]}
            yield {"op": "remove", "path": place}
        else:
            yield from _changed(old[name], new[name], place)


def _changed(old: Any, new: Any, place: str) -> Iterator[Operation]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _between(old, new, place)
    elif not same(old, new):
        yield {"op": "test", "path": place, "value": old}
        yield {"op": "replace", "path": place, "value": new}
