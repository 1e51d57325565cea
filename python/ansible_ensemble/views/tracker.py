"""Takes down what one evaluation reads and what its result rests on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.views.data import secrets_of
from ansible_ensemble.views.evaluation_environment import Key
from ansible_ensemble.views.reads import Reads, make_read


class Tracker:
    """Takes down what one evaluation reads and what its result rests on.

    Attributes:
        reads: what was read.
        sensitive: whether a sensitive value was read.
    """

    __slots__ = ("_key", "_looks", "_redactor", "reads", "sensitive")

    def __init__(self, key: Key, redactor: Redactor, reads: Reads | None = None) -> None:
        self.reads = reads if reads is not None else Reads()
        self.sensitive = False
        self._key = key
        self._redactor = redactor
        self._looks: list[tuple[Callable[[], Any], Any]] = []

    def fresh(self) -> Tracker:
        """A tracker for the evaluation of another value."""
        return Tracker(self._key, self._redactor)

    def read(self, ref: str, value: Any) -> Any:
        """Take down a read and return its value."""
        read = make_read(ref, value, self._key)
        self.reads.add(read)
        if read.sensitive:
            self.sensitive = True
            self.hide(value, ref.strip(":").replace("::", "."))
        return value

    def hide(self, value: Any, name: str = "") -> Any:
        """Tell the redactor of the sensitive parts of a value, which has a name or none, and return it."""
        for secret in secrets_of(value):
            self.sensitive = True
            self._redactor.add(secret, name)
        return value

    def rests_on(self, look: Callable[[], Any]) -> Any:
        """Return what `look` sees now, and take down that the result holds only as long as it sees the same."""
        seen = look()
        self._looks.append((look, seen))
        return seen

    def absorb(self, other: Tracker) -> None:
        """Take down what another value that was read rests on; its reads are indirect here."""
        self.reads.merge(other.reads, direct=False)
        self._looks.extend(other._looks)

    def holds(self) -> bool:
        """Whether everything the result rests on is still as it was."""
        return all(_same(look(), seen) for look, seen in self._looks)


def _same(now: Any, then: Any) -> bool:
    return now is then or (type(now) is type(then) and bool(now == then))
