"""Backups: a database as a file, from which any kind of database is made.

The file is gzip'd lines of JSON: a `Header`, a line for each setting, object and part of a log, and a `Trailer`.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TypeAlias

import msgspec

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import decode_stored
from ansible_ensemble.provision.store.access import change, snapshot
from ansible_ensemble.provision.store.changes import Changes
from ansible_ensemble.provision.store.connection import Connection
from ansible_ensemble.provision.store.snapshot import PREFERENCE, Snapshot
from ansible_ensemble.provision.store.transaction import AlreadyExists

#: Of the files; a file of a newer version is refused.
VERSION = 1
_FORMAT = "ansible-ensemble provision backup"
_TABLES = ("settings", "objects", "logs")
_LOGS = "SELECT job, start, data FROM logs WHERE (job, start) > (?, ?) ORDER BY job, start LIMIT 50"


class Header(msgspec.Struct, frozen=True):
    """What a backup is, and how many lines of each table follow."""

    format: str
    version: int
    time: str
    counts: dict[str, int]


class Trailer(msgspec.Struct, frozen=True):
    """The digest of all lines before."""

    sha256: str


class Setting(msgspec.Struct, frozen=True, array_like=True, tag="settings"):
    """A preference or a secret of the server."""

    sort: str
    name: str
    value: bytes


class Kept(msgspec.Struct, frozen=True, array_like=True, tag="objects"):
    """An object of a kind."""

    prefix: str
    body: msgspec.Raw


class LogPart(msgspec.Struct, frozen=True, array_like=True, tag="logs"):
    """A part of the log of a job; they follow one another in their order."""

    job: str
    data: bytes


Line: TypeAlias = Setting | Kept | LogPart


class Altered(InvalidInput):
    """A backup is not as it was written."""


def back_up(where: str | Path, file: Path) -> dict[str, int]:
    """Write one moment of a database to a file that its owner alone can read; servers may run meanwhile.

    Args:
        where: the path or URL of the database.
        file: is replaced when the backup is whole and on the disk.

    Returns:
        How many rows of each table it holds.

    Raises:
        OSError: the file cannot be written.
    """
    _refuse_irreplaceable(file, Path(where))
    with snapshot(where) as connection, _replacing(file) as made:
        counts = _counts(connection)
        with gzip.GzipFile("", "wb", fileobj=made, compresslevel=6) as lines:
            _write(lines, Header(_FORMAT, VERSION, iso_time(now()), counts), connection)
    return counts


def _refuse_irreplaceable(file: Path, database: Path) -> None:
    """Refuse to put a backup in the place of a device, a folder or the database itself."""
    if file.exists() and (not file.is_file() or (database.exists() and file.samefile(database))):
        what = "the database itself" if file.is_file() else "no file"
        raise EnsembleError(f"{file} is {what}: it is not replaced by a backup")


@contextmanager
def _replacing(file: Path) -> Iterator[IO[bytes]]:
    """A file that becomes another one when it is whole and on the disk, or goes."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "wb") as made:
            yield made
            made.flush()
            os.fsync(handle)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink()
        raise


def _write(lines: gzip.GzipFile, header: Header, connection: Connection) -> None:
    digest = hashlib.sha256()
    for line in chain([header], _lines(connection)):
        text = msgspec.json.encode(line) + b"\n"
        digest.update(text)
        lines.write(text)
    lines.write(msgspec.json.encode(Trailer(digest.hexdigest())) + b"\n")


def _lines(connection: Connection) -> Iterator[Line]:
    for sort, name, value in connection.rows("SELECT sort, name, value FROM settings ORDER BY sort, name"):
        yield Setting(sort, name.decode(), value)
    for prefix, kind in KINDS.items():
        yield from (Kept(prefix, msgspec.Raw(body)) for body in Snapshot(connection).bodies(kind))
    job, start = b"", -1
    while found := connection.rows(_LOGS, job, start):
        yield from (LogPart(owner.decode(), data) for owner, _other, data in found)
        job, start, _other = found[-1]


def restore(where: str | Path, file: Path, *, force: bool = False) -> dict[str, int]:
    """Make a database hold what a backup holds, or change nothing. No server may run on it.

    Args:
        where: the path or URL of the database.
        file: the backup.
        force: whether what the database holds is given up; without it, it has to be empty.

    Returns:
        How many rows of each table it holds.

    Raises:
        Altered: the backup is truncated or altered.
        OSError: the file cannot be read.
    """
    with file.open("rb") as packed, change(where) as connection:
        _clear(connection, force)
        return _load(_Lines(packed, file), connection)


def _clear(connection: Connection, force: bool) -> None:
    if any(_counts(connection).values()) and not force:
        raise EnsembleError("the database is not empty", hint="--force replaces what it holds")
    for table in (*_TABLES, "lookups"):
        connection.run(f"DELETE FROM {table}")


def _counts(connection: Connection) -> dict[str, int]:
    return {table: connection.rows(f"SELECT count(*) FROM {table}")[0][0] for table in _TABLES}


class _Lines:
    """The lines of a backup, which end well only if they are those that were written."""

    def __init__(self, packed: IO[bytes], file: Path) -> None:
        self._packed, self._file = packed, file

    def __iter__(self) -> Iterator[bytes]:
        digest, last = hashlib.sha256(), b""
        for line in self._unpacked():
            yield from (last,) if last else ()
            digest.update(last)
            last = line
        if last != msgspec.json.encode(Trailer(digest.hexdigest())) + b"\n":
            raise self.altered("its digest is another one")

    def _unpacked(self) -> Iterator[bytes]:
        try:
            with gzip.GzipFile(fileobj=self._packed) as lines:
                yield from lines
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise self.altered(str(error)) from None

    def altered(self, why: str) -> Altered:
        """The refusal of this file."""
        return Altered(f"{self._file} is no whole backup: {why}")


def _load(lines: _Lines, connection: Connection) -> dict[str, int]:
    rest = iter(lines)
    try:
        header = _header(next(rest, b""), lines)
        changes = Changes(connection, "system", sys.maxsize)
        for line in rest:
            _load_line(msgspec.json.decode(line, type=Line), changes)
            changes.events.clear()
    except (msgspec.MsgspecError, ValueError, AlreadyExists, KeyError) as error:
        raise lines.altered(str(error)) from None
    return _checked(header, _counts(connection), lines)


def _header(line: bytes, lines: _Lines) -> Header:
    header = msgspec.json.decode(line, type=Header)
    if header.format != _FORMAT:
        raise lines.altered("it is something else")
    if header.version > VERSION:
        raise EnsembleError(f"the backup is of version {header.version}; this program knows versions up to {VERSION}")
    return header


def _load_line(line: Line, changes: Changes) -> None:
    match line:
        case Setting(sort, name, value) if sort == PREFERENCE:
            changes.set_preference(name, value.decode())
        case Setting(_, name, value):
            changes.keep_secret(name, value)
        case Kept(prefix, body):
            changes.create(decode_stored(KINDS[prefix], bytes(body)))
        case LogPart(job, data):
            changes.append_log(job, data)


def _checked(header: Header, counts: dict[str, int], lines: _Lines) -> dict[str, int]:
    if counts != header.counts:
        raise lines.altered("it holds another number of rows than it says")
    return counts
