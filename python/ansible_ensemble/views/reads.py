"""What an evaluation read: references, digests and values, in order.

A reference shows how to read a value again:

| reference | value |
|---|---|
| `::app::port` | property or attribute of an instance |
| `::app::.attributes::port` | attribute of an instance that has a property of the same name |
| `::app::.requirements::db#0::x` | of a relationship: its source, the requirement's name and its number |
| `::app::.capabilities::endpoint::port` | of a capability |
| `command` | input of the operation |
| `input::name` | input of the topology (`input::inner::name` of a nested one) |
| `output::name` | output of the topology |
| `output::app::Standard.create::id` | output of an operation (`output::app::.requirements::db#0::Configure...`) |
| `file:<path>`, `directory:<path>` | contents of a file or folder, relative to the project |
| `image:<name>` | a container image |
| `inventory::host::name` | variable of a host of Ansible's inventory |
| `env::NAME`, `local::name`, `secret::name` | environment variable, local value, secret |
| `external::name` | values of an imported instance |
| `external::name::app::url`, `external::name::output::x` | one value of an imported instance or ensemble |
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.core.sensitive import Redactor, is_sensitive, redact
from ansible_ensemble.core.texts import with_text_keys
from ansible_ensemble.views.data import bare, plain, secrets_of
from ansible_ensemble.views.evaluation_environment import Key, key_bytes


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
        # By identity: what is read by two ways is looked at once, or each level of such reads would double the looks.
        self._looks: dict[int, tuple[Callable[[], Any], Any]] = {}

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
        self._looks[id(look)] = look, seen
        return seen

    def absorb(self, other: Tracker) -> None:
        """Take down what another value that was read rests on; its reads are indirect here."""
        self.reads.merge(other.reads, direct=False)
        self._looks.update(other._looks)

    def holds(self) -> bool:
        """Whether everything the result rests on is still as it was."""
        return all(_same(look(), seen) for look, seen in self._looks.values())


def _same(now: Any, then: Any) -> bool:
    return now is then or (type(now) is type(then) and bool(now == then))


_DIGITS = 16


class Deferred(EnsembleError):
    """A value is not known yet: it will be once an operation ran.

    Attributes:
        refs: what is not known, as `app.url`.
    """

    def __init__(
        self, message: str, place: Place | None = None, hint: str | None = None, refs: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, place, hint)
        self.refs = refs

    def __reduce__(self) -> tuple[type[Deferred], tuple[str, Place | None, str | None, tuple[str, ...]]]:
        return (type(self), (self.message, self.place, self.hint, self.refs))


class Read(Struct, frozen=True):
    """One value that was read.

    Attributes:
        ref: how to read it again.
        digest: of the value; of a sensitive one it is keyed.
        sensitive: whether any part of it is.
        value: plain data; sensitive parts are redacted.
        direct: whether the expression itself read it, not another value that it read. Only direct reads decide
            whether something changed: a property that stays the same hides a change of what it is computed from.
    """

    ref: str
    digest: str
    sensitive: bool
    value: Any
    direct: bool = True


class Reads:
    """The reads of an evaluation, by reference, in the order of the first read."""

    __slots__ = ("_by_ref",)

    def __init__(self) -> None:
        self._by_ref: dict[str, Read] = {}

    def add(self, read: Read) -> None:
        """Add a read; a direct one wins over an indirect one of the same reference."""
        known = self._by_ref.get(read.ref)
        if known is not None and known.direct and not read.direct:
            read = replace(read, direct=True)
        self._by_ref[read.ref] = read

    def merge(self, other: Reads, *, direct: bool | None = None) -> None:
        """Add all reads of another evaluation; `direct` is what they are here, None leaves each as it is."""
        for read in other:
            self.add(read if direct is None or read.direct == direct else replace(read, direct=direct))

    def keys(self) -> list[str]:
        """References of the direct reads."""
        return [ref for ref, read in self._by_ref.items() if read.direct]

    def get(self, ref: str) -> Read | None:
        """The read of this reference, None if it was not read."""
        return self._by_ref.get(ref)

    def digest(self) -> str:
        """Digest over the values of the direct reads, in order."""
        lines = "\n".join(f"{read.ref}={read.digest}" for read in self if read.direct)
        return hashlib.sha256(lines.encode()).hexdigest()[:_DIGITS]

    def __iter__(self) -> Iterator[Read]:
        return iter(list(self._by_ref.values()))

    def __len__(self) -> int:
        return len(self._by_ref)

    def __contains__(self, ref: object) -> bool:
        return ref in self._by_ref


def value_digest(value: Any, key: Key) -> str:
    """Digest of a value: SHA-256 over its canonical JSON, or HMAC-SHA256 if any part of it is sensitive."""
    text = json.dumps(
        with_text_keys(bare(value)), sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str
    )
    data = text.encode("utf-8", "surrogatepass")
    if is_sensitive(value):
        return hmac.new(key_bytes(key), data, hashlib.sha256).hexdigest()[:_DIGITS]
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def make_read(ref: str, value: Any, key: Key) -> Read:
    """The record of a value that was read directly."""
    value = plain(value)
    sensitive = is_sensitive(value)
    return Read(ref, value_digest(value, key), sensitive, redact(value) if sensitive else value)
