"""Merging two copies of an ensemble that ran different jobs.

Records merge by themselves: each job has its own files, and `jobs.tsv` merges by union. In `ensemble.yaml` an instance
is merged as a whole, since its fields belong together: changed on one side only, it is that side's; changed on both, it
is the one that was changed last, and is reported, because the combined result of the two jobs has not been checked.
What people write (the spec) is merged key by key; where both sides changed the same key, it is left to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.writer import rewrite
from ansible_ensemble.documents.yaml import parse_yaml

_GONE: Any = object()
#: Sections that are the newer job's, whole.
_OF_THE_JOB = frozenset({"lastJob", "lock", "jobsLog"})


class Merged(Struct, frozen=True):
    """The result of a merge.

    Attributes:
        text: the merged file.
        reported: instances and other parts of the status that both sides changed, in words; to be checked.
        unresolved: keys outside of the status that both sides changed; empty if the merge is complete.
        theirs_is_newer: whether the last job of the other side started after ours.
    """

    text: str
    reported: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    theirs_is_newer: bool = False


def merge_ensembles(base: str, ours: str, theirs: str, file: Path) -> Merged:
    """Merge two versions of an ensemble's file; comments and layout of ours stay.

    Args:
        base: the text both come from; empty if there is none.
        ours: the text of this side.
        theirs: the text of the other side.
        file: its name, for errors.
    """
    document = parse_yaml(ours, file)
    versions = (parse_yaml(base, file).data if base.strip() else {}, document.data, parse_yaml(theirs, file).data)
    if not all(isinstance(version, Mapping) for version in versions):
        raise InvalidInput("this is not an ensemble", Place(str(file)), "each version must be a map")
    merge = _Merge(theirs_is_newer=_job(versions[2]) > _job(versions[1]))
    data = merge.top(*versions)
    return Merged(rewrite(document, data), merge.reported, merge.unresolved, merge.theirs_is_newer)


class _Merge:
    """A merge in progress."""

    def __init__(self, *, theirs_is_newer: bool) -> None:
        self.theirs_is_newer = theirs_is_newer
        self.reported: list[str] = []
        self.unresolved: list[str] = []

    def top(self, base: Any, ours: Any, theirs: Any) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        for key in _keys(ours, theirs):
            old, own, other = (_get(version, key) for version in (base, ours, theirs))
            if key == "status":
                value = self.status(*(_map(version) for version in (old, own, other)))
            elif key in _OF_THE_JOB:
                value = self.newer(own, other) if _both(old, own, other) else _changed(old, own, other)
            else:
                value = self.written(str(key), old, own, other)
            _put(merged, key, value)
        return merged

    def status(self, base: Any, ours: Any, theirs: Any) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        for key in _keys(ours, theirs):
            old, own, other = (_get(version, key) for version in (base, ours, theirs))
            if key == "instances":
                value: Any = self.instances(*(_map(version) for version in (old, own, other)))
            elif isinstance(own, Mapping) and isinstance(other, Mapping):
                value = _by_key(old, own, other, f"{key} ", self.observed)
            else:
                value = self.observed(str(key), old, own, other)
            _put(merged, key, value)
        return merged

    def instances(self, base: Any, ours: Any, theirs: Any) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        for name in _keys(ours, theirs):
            old, own, other = (_get(version, name) for version in (base, ours, theirs))
            hosted = self.instances(*(_map(_get(_map(version), "instances")) for version in (old, own, other)))
            value = self.instance(str(name), *(_alone(version) for version in (old, own, other)))
            if value is _GONE and hosted:
                # a host stays as long as it hosts something
                value = _alone(own if other is _GONE else other)
            if isinstance(value, Mapping) and hosted:
                value = {**value, "instances": hosted}
            _put(merged, name, value)
        return merged

    def instance(self, name: str, old: Any, own: Any, other: Any) -> Any:
        if not _both(old, own, other):
            return _changed(old, own, other)
        one, two = _change_id(own), _change_id(other)
        newer = other if (two > one or (one == two and self.theirs_is_newer)) else own
        if _GONE in (own, other):
            newer = self.newer(own, other)
        taken = _change_id(newer) or "the newer job"
        self.reported.append(f"instance {name}: both sides changed it; took what {taken} left, check it")
        return newer

    def observed(self, what: str, old: Any, own: Any, other: Any) -> Any:
        if not _both(old, own, other):
            return _changed(old, own, other)
        self.reported.append(f"{what}: both sides changed it; took the newer job's")
        return self.newer(own, other)

    def written(self, path: str, old: Any, own: Any, other: Any) -> Any:
        if not _both(old, own, other):
            return _changed(old, own, other)
        if isinstance(own, Mapping) and isinstance(other, Mapping):
            return _by_key(old, own, other, f"{path}.", self.written)
        self.unresolved.append(path)
        return own

    def newer(self, own: Any, other: Any) -> Any:
        return other if self.theirs_is_newer else own


def _by_key(old: Any, own: Any, other: Any, prefix: str, merge: Callable[[str, Any, Any, Any], Any]) -> dict[Any, Any]:
    """Maps merged key by key, each under its name with a prefix."""
    merged: dict[Any, Any] = {}
    for key in _keys(own, other):
        _put(merged, key, merge(f"{prefix}{key}", *(_get(_map(version), key) for version in (old, own, other))))
    return merged


def _both(old: Any, own: Any, other: Any) -> bool:
    """Whether both sides changed it, in different ways."""
    return bool(own != other and old not in (own, other))


def _changed(old: Any, own: Any, other: Any) -> Any:
    """The version of the side that changed it, if one did."""
    return other if own == old else own


def _keys(*versions: Mapping[Any, Any]) -> list[Any]:
    return list(dict.fromkeys(key for version in versions for key in version))


def _get(version: Mapping[Any, Any], key: Any) -> Any:
    return version.get(key, _GONE)


def _put(merged: dict[Any, Any], key: Any, value: Any) -> None:
    if value is not _GONE:
        merged[key] = value


def _map(version: Any) -> Mapping[Any, Any]:
    return version if isinstance(version, Mapping) else {}


def _alone(instance: Any) -> Any:
    """An instance without those it hosts."""
    if not isinstance(instance, Mapping):
        return instance
    return {key: value for key, value in instance.items() if key != "instances"}


def _change_id(instance: Any) -> str:
    ids = _map(instance)
    return max(str(ids.get("lastConfigChange") or ""), str(ids.get("lastStateChange") or ""))


def _job(ensemble: Any) -> str:
    return str(_map(ensemble.get("lastJob")).get("changeId") or "")
