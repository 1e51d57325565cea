"""What each operation read and wrote the last time it succeeded, from `jobs.tsv`: the basis of change detection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.changes.jobs_tsv import JobsLine, latest_digests


class RecordedOperation(Struct, frozen=True):
    """One operation's last success.

    Attributes:
        change_id: the task.
        digests: by reference, the digest of what it read.
        wrote: references of the attributes it set.
        undigested: references of what it read that have no digest each, as Unfurl records them.
        whole: the digest of everything it read.
        values: what it read, by reference, if it is short and not secret.
        seconds: how long it took; None if unknown.
    """

    change_id: str
    digests: Mapping[str, str] = field(default_factory=dict)
    wrote: tuple[str, ...] = ()
    undigested: tuple[str, ...] = ()
    whole: str = ""
    seconds: float | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


#: Characters of a value that is recorded.
_LONGEST = 1_000


class RecordedOperations:
    """The last success of every operation, by instance.

    Args:
        path: `jobs.tsv`; None if nothing ran yet.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._by_instance: dict[str, dict[str, RecordedOperation]] = {}
        for (target, operation), line in latest_digests(path).items() if path is not None else ():
            instance, name = operation_key(target, operation)
            self._by_instance.setdefault(instance, {})[name] = _recorded(line)

    def of(self, instance: str) -> Mapping[str, RecordedOperation]:
        """The recorded operations of an instance, by `[<requirement>#<index>:]Interface.operation`."""
        return self._by_instance.get(instance, {})

    def rename(self, moves: Mapping[str, str]) -> None:
        """Take the records of templates that moved for those of their new names: old name -> new name."""
        renamed: dict[str, dict[str, RecordedOperation]] = {}
        for instance, operations in self._by_instance.items():
            moved = {
                name: replace(
                    recorded,
                    digests={_moved(ref, moves): digest for ref, digest in recorded.digests.items()},
                    wrote=tuple(_moved(ref, moves) for ref in recorded.wrote),
                    undigested=tuple(_moved(ref, moves) for ref in recorded.undigested),
                )
                for name, recorded in operations.items()
            }
            new = _new_name(instance, moves)
            own = renamed.setdefault(new, {})
            renamed[new] = {**own, **moved} if new == instance else {**moved, **own}  # what ran since it moved counts
        self._by_instance = renamed

    def configured(self, instance: str) -> frozenset[str]:
        """References that the deployment of an instance read or wrote."""
        found: set[str] = set()
        for name, recorded in self.of(instance).items():
            if name.rpartition(":")[2] in _CONFIGURING:
                found.update(recorded.digests, recorded.wrote)
        return frozenset(found)


def is_brief(value: object) -> bool:
    """Whether a value is short enough to be recorded, for plans to show."""
    return len(json.dumps(value, ensure_ascii=False, default=str)) <= _LONGEST


def operation_key(target: str, operation: str) -> tuple[str, str]:
    """Instance and operation key of a record's target and operation name (which is bare for normative interfaces)."""
    path = target.removeprefix("::").split("::")
    relationship = path[2] if len(path) > 2 and path[1] == ".requirements" else None
    if "." not in operation:
        interface = "Configure" if relationship else "Install" if operation in _INSTALL else "Standard"
        operation = f"{interface}.{operation}"
    return path[0], f"{relationship}:{operation}" if relationship else operation


_CONFIGURING = frozenset(
    {"Standard.create", "Standard.configure", "Configure.pre_configure_source", "Configure.post_configure_source"}
)
_INSTALL = ("check", "discover", "revert", "connect", "restart")


def _new_name(instance: str, moves: Mapping[str, str]) -> str:
    """The name of a moved instance; a scaled one keeps its number."""
    if instance in moves:
        return moves[instance]
    stem, _separator, number = instance.rpartition("_")
    return f"{moves[stem]}_{number}" if stem in moves and number.isdigit() else instance


def _moved(ref: str, moves: Mapping[str, str]) -> str:
    kind, mark, rest = ref.partition("::")
    if not mark or kind not in ("", "output"):
        return ref
    owner, mark, path = rest.partition("::")
    return f"{kind}::{_new_name(owner, moves)}::{path}" if mark else ref


def _recorded(line: JobsLine) -> RecordedOperation:
    digests = dict(zip(line.digest_keys, line.digests, strict=False))
    rest = tuple(key for key in line.digest_keys if key not in digests)
    return RecordedOperation(
        line.id, digests, tuple(line.digest_put), rest, line.digest_value, line.seconds, line.values
    )
