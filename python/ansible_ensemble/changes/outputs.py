"""Outputs of operations: of the running job from memory, of earlier ones from the change records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.history import find_changes
from ansible_ensemble.changes.operations import RecordedOperations
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import REDACTED

#: What an operation ran on, and the operation as `Interface.operation`.
Key = tuple[str, str]


class OperationOutputs(Mapping[Key, Mapping[str, Any]]):
    """The outputs of every operation's last success, each record read when it is first asked for.

    A key names what the operation ran on as `app`, or `app::.requirements::db#0` for a relationship. Recorded values
    are decrypted by `unseal`.

    Attributes:
        new: those of the running job.
    """

    def __init__(self, folder: Path, operations: RecordedOperations, unseal: Callable[[Any], Any]) -> None:
        self._folder = folder
        self._operations = operations
        self._unseal = unseal
        self._known: dict[Key, Mapping[str, Any]] = {}
        self.new: set[Key] = set()

    def set(self, owner: str, operation: str, outputs: Mapping[str, Any]) -> None:
        """Set the outputs of an operation that has just run."""
        self._known[owner, operation] = outputs
        self.new.add((owner, operation))

    def __getitem__(self, key: Key) -> Mapping[str, Any]:
        if key not in self._known:
            self._known[key] = self._recorded(*key)
        return self._known[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def _recorded(self, owner: str, operation: str) -> Mapping[str, Any]:
        instance, _separator, relationship = owner.partition("::.requirements::")
        name = f"{relationship}:{operation}" if relationship else operation
        change = self._operations.of(instance).get(name)
        if change is None:
            raise KeyError((owner, operation))
        try:
            outputs = find_changes(self._folder, [change.change_id])[0].outputs
        except EnsembleError:  # records may be removed; the outputs are known again when the operation runs
            return {}
        return {name: self._unseal(value) for name, value in outputs.items() if value != REDACTED}
