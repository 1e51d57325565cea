r"""The journal: what happened in a job, one checksummed line per event; a result counts once it is in here.

A line is `{"seq":N,"crc":"XXXXXXXX",...}` and a newline, all ASCII: the event's number, counting from 0 without a gap,
a CRC-32 of the rest of the line, and the event. Event 0 is the header: format version, job, digests of what the job
started from. Reading it back survives whatever happened to the file, and names what is missing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.journal_kinds import EntryKind
from ansible_ensemble.core.regex import regex

#: Version of the format; the major number changes when a reader has to change.
FORMAT_VERSION = "1.0"

_CUT_OFF = "the line is cut off"
_LINE = regex(rb'(\{"seq":(0|[1-9][0-9]{0,17}),"crc":")([0-9a-f]{8})("(?:,.*)?\})\Z', re.DOTALL)
_BEGIN = regex(rb'\{"seq":')


class Journal:
    """The journal of a running job, for one writer.

    `append` only buffers; `commit` writes what is buffered and forces it to the disk, once for all of it. In asyncio,
    all that wait for `committed` in one turn of the loop share a commit. A commit that fails (a
    full disk) loses nothing that was committed before, and can be tried again.
    """

    def __init__(self, path: Path, descriptor: int, size: int, seq: int, sync: Callable[[int], None]) -> None:
        self.path = path
        self._descriptor = descriptor
        self._size = size
        self._seq = seq
        self._synced = seq
        self._sync = sync
        self._pending: list[bytes] = []

    @classmethod
    def create(
        cls, path: Path, job: str, base: Mapping[str, str], *, sync: Callable[[int], None] = os.fsync
    ) -> Journal:
        """Begin a journal of a job; its header, with digests of what the job started from, is on the disk on return."""
        # it gets its name once it has its header: a job that dies before leaves no journal
        unnamed = path.with_name(f".{path.name}.new")
        try:
            unnamed.unlink(missing_ok=True)
            descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _write_error(path, error) from error
        journal = cls(path, descriptor, 0, 0, sync)
        try:
            journal.append({"event": EntryKind.JOURNAL.value, "format": FORMAT_VERSION, "job": job, "base": dict(base)})
            journal.commit()
            _name(unnamed, path)
            _sync_folder(path.parent, sync)
        except OSError as error:
            journal.close(commit=False)
            raise _write_error(path, error) from error
        except EnsembleError:
            journal.close(commit=False)
            raise
        finally:
            unnamed.unlink(missing_ok=True)
        return journal

    @classmethod
    def reopen(cls, path: Path, *, sync: Callable[[int], None] = os.fsync) -> Journal:
        """Go on with the journal of a job that was killed; what was not written to its end is cut off."""
        content = path.read_bytes()
        numbers = (event["seq"] for _number, event, _problem in _parse(content) if event is not None)
        size = content.rfind(b"\n") + 1
        if size < len(content) and _event(content[size:]) is not None:  # it lacks the newline alone
            size = len(content)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            os.ftruncate(descriptor, size)
        except OSError as error:
            raise _write_error(path, error) from error
        journal = cls(path, descriptor, size, max(numbers, default=-1) + 1, sync)
        if size and not content[:size].endswith(b"\n"):
            journal._pending.append(b"\n")
        return journal

    def append(self, event: Mapping[str, Any]) -> int:
        """Add an event, already redacted and without `seq` and `crc`; return its number.

        It counts once that number is committed. What JSON can't express becomes text.
        """
        seq = self._seq
        self._pending.append(_line(seq, event))
        self._seq += 1
        return seq

    def commit(self) -> None:
        """Write what is buffered and force it to the disk."""
        data = memoryview(b"".join(self._pending))
        if not data:
            return
        try:
            # always at the end of what is known to be good, so that another try covers a torn one
            size = self._size
            while data:
                written = os.pwrite(self._descriptor, data, size)
                data, size = data[written:], size + written
            self._sync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise _write_error(self.path, error) from error
        self._size = size
        self._synced = self._seq
        self._pending.clear()

    async def committed(self, seq: int) -> None:
        """Wait until the event of that number is on the disk.

        It is written at the end of this turn of the event loop, with all that others add meanwhile, and in this
        thread: a thread of its own would make it unsafe to fork workers.
        """
        if self._synced <= seq:
            from asyncio import sleep  # here, for commands that only read a journal start faster without

            await sleep(0)
        if self._synced <= seq:
            self.commit()

    def close(self, *, commit: bool = True) -> None:
        """Commit and close the file."""
        try:
            if commit:
                self.commit()
        finally:
            os.close(self._descriptor)


class Damage(Struct, frozen=True):
    """A part of a journal that can't be read.

    Attributes:
        place: the file, and the line where the damage begins.
        reason: what is wrong there, in words.
        missing: numbers of the events lost there, as far as later events show: first and last.
        at_end: whether nothing follows: a write that did not come to its end leaves that behind.
    """

    place: Place
    reason: str
    missing: tuple[int, int] | None = None
    at_end: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class JournalReading(Struct):
    """What a journal holds.

    Attributes:
        header: event 0 (`format`, `job`, `base`), or None if it is lost.
        events: the intact events behind the header in order, each with its `seq`.
        damage: what is not intact.
    """

    header: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


def read_journal(path: Path) -> JournalReading:
    """Read a journal, whatever happened to it.

    A line that is cut off or does not match its checksum, and numbers that are missing, are reported as damage; all
    other events are kept. A journal cut off exactly between two lines cannot be distinguished from a shorter one.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EnsembleError(f"the journal can't be read: {error.strerror}", Place(str(path))) from error
    reading = JournalReading()
    expected = 0
    for number, event, problem in _parse(content):
        place = Place(str(path), number)
        if event is None:
            reading.damage.append(Damage(place, problem, at_end=problem == _CUT_OFF))
            continue
        seq = event["seq"]
        if seq < expected:
            reading.damage.append(Damage(place, f"event {seq} is repeated or out of order"))
            continue
        if seq > expected:
            names = f"event {expected} is" if seq == expected + 1 else f"events {expected} to {seq - 1} are"
            reading.damage.append(Damage(place, f"{names} missing", (expected, seq - 1)))
        expected = seq + 1
        if seq == 0:
            reading.header = _checked_header(event, place)
        else:
            reading.events.append(event)
    if expected == 0 and not reading.damage:
        reading.damage.append(Damage(Place(str(path), 1), "the journal is empty", at_end=True))
    return reading


def _line(seq: int, event: Mapping[str, Any]) -> bytes:
    body = json.dumps(dict(event), separators=(",", ":"), default=str)
    begin, end = f'{{"seq":{seq},"crc":"', f'",{body[1:]}' if event else '"}'
    crc = zlib.crc32((begin + end).encode())
    return f"{begin}{crc:08x}{end}\n".encode()


def _parse(content: bytes) -> Iterator[tuple[int, dict[str, Any] | None, str]]:
    """Each event with its line number; None and what is wrong for each stretch that is not an event."""
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        event = _event(line)
        if event is not None:
            yield number, event, ""
        elif line:
            # the newline itself may be what is damaged, with intact events at either side of it
            begins = [match.start() for match in _BEGIN.finditer(line)]
            parts = [line[begin:end] for begin, end in zip(begins, [*begins[1:], len(line)])]
            intact = [event for part in parts if (event := _event(part) or _event(part[:-1])) is not None]
            for event in intact:
                yield number, event, ""
            if intact and len(intact) == len(parts):
                yield number, None, "the end of the line is damaged, its events are not"
            else:
                yield number, None, _CUT_OFF if number == len(lines) else "the line is damaged"


def _event(line: bytes) -> dict[str, Any] | None:
    match = _LINE.match(line)
    if match is None or zlib.crc32(match[1] + match[4]) != int(match[3], 16):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    del event["crc"]
    return event if isinstance(event, dict) and isinstance(event.get("seq"), int) else None


def _checked_header(header: dict[str, Any], place: Place) -> dict[str, Any]:
    version = str(header.get("format"))
    if version.partition(".")[0] != FORMAT_VERSION.partition(".")[0]:
        raise InvalidInput(f"the journal has format {version}, this version reads {FORMAT_VERSION}", place)
    return header


def _name(unnamed: Path, path: Path) -> None:
    """Give a file its name, which nothing may have yet; some file systems have no links."""
    try:
        path.hardlink_to(unnamed)
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        unnamed.rename(path)


def _sync_folder(folder: Path, sync: Callable[[int], None]) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def _write_error(path: Path, error: OSError) -> EnsembleError:
    return EnsembleError(
        f"the journal can't be written: {error.strerror}",
        Place(str(path)),
        "what was written before is safe; run `ansible-ensemble recover` once there is free space",
    )
