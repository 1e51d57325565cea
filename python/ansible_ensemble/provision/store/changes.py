"""Changing objects, settings and logs in the tables, and noting the events of it."""

from __future__ import annotations

from typing import TypeVar

from ansible_ensemble.core.clock import now
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.store.connection import Connection
from ansible_ensemble.provision.store.logs import LogWriter
from ansible_ensemble.provision.store.lookups import Lookup, as_bytes, lookups_of
from ansible_ensemble.provision.store.snapshot import PREFERENCE, SECRET, Snapshot
from ansible_ensemble.provision.store.transaction import AlreadyExists, NotKept

Kept = TypeVar("Kept", bound=Object)

_EXISTS = "SELECT 1 FROM objects WHERE prefix = ? AND key = ?"
_TAKEN = "SELECT 1 FROM lookups WHERE name = ? AND value = ?"
_INSERT = "INSERT INTO objects (prefix, key, body) VALUES (?, ?, ?)"
_UPDATE = "UPDATE objects SET body = ? WHERE prefix = ? AND key = ?"
_DELETE = "DELETE FROM objects WHERE prefix = ? AND key = ?"
_ADD_LOOKUP = "INSERT INTO lookups (name, value, prefix, key, single) VALUES (?, ?, ?, ?, ?)"
_REMOVE_LOOKUP = "DELETE FROM lookups WHERE name = ? AND value = ? AND prefix = ? AND key = ?"
_SET = (
    "INSERT INTO settings (sort, name, value) VALUES (?, ?, ?)"
    " ON CONFLICT (sort, name) DO UPDATE SET value = excluded.value"
)
_FORGET = "DELETE FROM settings WHERE sort = ? AND name = ?"

#: How many bytes of JSON an object may have: one request can make a good part of it, and many requests no more.
_MOST_BYTES = 16 * 2**20


def _body_of(wanted: Object) -> bytes:
    """The JSON of an object that is to be kept.

    Raises:
        Refused: 413, it is too large.
    """
    body = encode(wanted)
    if len(body) > _MOST_BYTES:
        raise Refused(413, "Object too large", type="PATCH", model=wanted.PREFIX, key=wanted.key)
    return body


class Changes(Snapshot):
    """A `Transaction` of one connection, which has begun it.

    Attributes:
        principal: who does it.
        events: what is to be told once it is durable.
        renewed: the objects of which it changed what events do not show.
    """

    def __init__(self, connection: Connection, principal: str, log_limit: int) -> None:
        super().__init__(connection)
        self.principal = principal
        self.events: list[Event] = []
        self.renewed: set[Reference] = set()
        self._bodies: dict[tuple[str, str], bytes] = {}  # of objects that were read or written by their key
        self._logs = LogWriter(connection, log_limit)

    def locked(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key; no other transaction changes it before this one has ended."""
        self._body(kind, key, self._connection.words["locked"])
        return self.get(kind, key)

    def _body(self, kind: type[Object], key: str, clause: str = "") -> bytes | None:
        place = (kind.PREFIX, key)
        if (clause or place not in self._bodies) and (body := super()._body(kind, key, clause)):
            self._bodies[place] = body
        return self._bodies.get(place)

    def create(self, made: Object) -> None:
        """Keep a new object, and tell of it."""
        prefix, key, body = made.PREFIX, as_bytes(made.key), _body_of(made)
        if self._connection.rows(_EXISTS, prefix, key):
            raise AlreadyExists(prefix, type(made).key_field(), made.key)
        lookups = lookups_of(made)
        self._refuse_taken(prefix, lookups)
        self._connection.run(_INSERT, prefix, key, body)
        self._bodies[prefix, made.key] = body
        self._add_lookups(prefix, key, lookups)
        self._note("create", made)

    def update(self, changed: Object) -> None:
        """Replace the object of its key, because a request was for it, and tell of it."""
        self._replace("update", changed)

    def save(self, changed: Object) -> None:
        """Replace the object of its key as a consequence of something else, and tell of it."""
        self._replace("save", changed)

    def _replace(self, action: str, changed: Object) -> None:
        prefix, key, body, original = changed.PREFIX, as_bytes(changed.key), _body_of(changed), self._kept(changed)
        before, after = lookups_of(original), lookups_of(changed)
        self._refuse_taken(prefix, after - before)
        self._connection.run(_UPDATE, body, prefix, key)
        self._bodies[prefix, changed.key] = body
        self._remove_lookups(prefix, key, before - after)
        self._add_lookups(prefix, key, after - before)
        self._note(action, changed, original)
        if _differ_in_secrets(original, changed):
            self.renewed.add((prefix, changed.key))

    def delete(self, gone: Object) -> None:
        """Remove the object of its key, and tell of it as it was; the log of a job goes with it."""
        prefix, key, original = gone.PREFIX, as_bytes(gone.key), self._kept(gone)
        self._connection.run(_DELETE, prefix, key)
        del self._bodies[prefix, gone.key]
        self._remove_lookups(prefix, key, lookups_of(original))
        if isinstance(gone, Job):
            self._logs.remove(gone.uuid)
        self._note("delete", original)

    def _kept(self, named: Object) -> Object:
        original = self.get(type(named), named.key)
        if original is None:
            raise NotKept(named.PREFIX, named.key)
        return original

    def _refuse_taken(self, prefix: str, lookups: set[Lookup]) -> None:
        """Refuse before anything is written, so that who catches the refusal may go on."""
        for lookup in sorted(lookups):
            if lookup.single and self._connection.rows(_TAKEN, lookup.name, lookup.value):
                index = lookup.name.removeprefix(f"{prefix}.")
                raise AlreadyExists(prefix, index, lookup.value.decode())

    def _add_lookups(self, prefix: str, key: bytes, lookups: set[Lookup]) -> None:
        lines = [(name, value, prefix, key, int(single)) for name, value, single in sorted(lookups)]
        self._connection.run_many(_ADD_LOOKUP, lines)

    def _remove_lookups(self, prefix: str, key: bytes, lookups: set[Lookup]) -> None:
        lines = [(name, value, prefix, key) for name, value, _other in sorted(lookups)]
        self._connection.run_many(_REMOVE_LOOKUP, lines)

    def _note(self, action: str, kept: Object, original: Object | None = None) -> None:
        before = original.public() if original else None
        event = Event(
            time=_event_time(),
            type=kept.PREFIX,
            action=action,
            key=kept.key,
            principal=self.principal,
            object=kept.public(),
            original=before,
        )
        self.events.append(event)

    def tell(self, event: Event) -> None:
        """Send an event that no object caused."""
        self.events.append(event)

    def set_preference(self, name: str, value: str) -> None:
        """Keep a setting."""
        self._connection.run(_SET, PREFERENCE, as_bytes(name), as_bytes(value))

    def keep_secret(self, name: str, value: bytes | None) -> None:
        """Keep a secret of the server, or forget it."""
        if value is None:
            self._connection.run(_FORGET, SECRET, as_bytes(name))
        else:
            self._connection.run(_SET, SECRET, as_bytes(name), value)

    def append_log(self, job: str, data: bytes) -> None:
        """Append to the log of a job; what exceeds the limit of a log is left out, and the log says so."""
        self._logs.append(job, data)


def _differ_in_secrets(one: Object, other: Object) -> bool:
    """Whether two versions of an object differ in what is never shown of it."""
    if (shown := other.public()) is other:
        return False
    hidden = [name for name in other.__struct_fields__ if getattr(shown, name) != getattr(other, name)]
    return any(getattr(one, name) != getattr(other, name) for name in hidden)


def _event_time() -> str:
    return now().isoformat(timespec="microseconds").replace("+00:00", "Z")
