"""The journal: what it keeps whatever happens to its file, and how often it goes to the disk."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.execution.journal import FORMAT_VERSION, Journal, read_journal

BASE = {"spec": "sha256:1", "status": "sha256:2"}
EVENTS = [
    {"event": "started", "key": "a"},
    {"event": "finished", "key": "a", "ok": True},
    {"event": "late", "é": "ß\n"},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.fixture
def written(path: Path) -> Path:
    journal = Journal.create(path, "A1", BASE)
    for event in EVENTS:
        journal.append(event)
    journal.close()
    return path


def plain(events: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{key: value for key, value in event.items() if key != "seq"} for event in events]


def test_what_is_written_is_read(written: Path) -> None:
    reading = read_journal(written)
    assert reading.header == {"seq": 0, "event": "journal", "format": FORMAT_VERSION, "job": "A1", "base": BASE}
    assert plain(reading.events) == EVENTS
    assert [event["seq"] for event in reading.events] == [1, 2, 3]
    assert reading.damage == []


def test_each_line_is_json_and_plain_ascii(written: Path) -> None:
    for number, line in enumerate(written.read_text("ascii").splitlines()):
        assert line.startswith(f'{{"seq":{number},"crc":"')
        assert json.loads(line)["seq"] == number


def test_it_is_for_its_owner_only(written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o600


def test_events_of_any_shape_come_back(path: Path) -> None:
    journal = Journal.create(path, "A1", {})
    strange = [{}, {"a": {"seq": 1}}, {"text": '{"seq":1,"crc":"00000000"}'}, {"path": Path("/x")}, {"s": "\ud800"}]
    for event in strange:
        journal.append(event)
    journal.close()
    reading = read_journal(path)
    assert reading.damage == []
    assert plain(reading.events) == [*strange[:3], {"path": "/x"}, strange[4]]


def test_truncation_at_every_byte(written: Path) -> None:
    content = written.read_bytes()
    ends = [index for index, byte in enumerate(content) if byte == ord("\n")]
    for size in range(len(content)):
        written.write_bytes(content[:size])
        reading = read_journal(written)
        whole = sum(end <= size for end in ends)
        assert plain(reading.events) == EVENTS[: max(whole - 1, 0)], size
        assert (reading.header is not None) == (whole > 0)
        at_end_of_line = size in ends or size - 1 in ends
        assert bool(reading.damage) == (not at_end_of_line), size


def test_a_flipped_bit_anywhere(written: Path) -> None:
    content = written.read_bytes()
    original = read_journal(written)
    everything = [original.header, *original.events]
    for index in range(len(content)):
        for bit in range(8):
            damaged = bytearray(content)
            damaged[index] ^= 1 << bit
            written.write_bytes(damaged)
            reading = read_journal(written)
            kept = [event for event in [reading.header, *reading.events] if event is not None]
            assert reading.damage, (index, bit)
            in_newline = content[index] == ord("\n")
            hit = content[:index].count(b"\n")
            assert kept == [event for number, event in enumerate(everything) if in_newline or number != hit], index
            named = [damage.missing for damage in reading.damage if damage.missing is not None]
            assert named == ([] if in_newline or hit == len(EVENTS) else [(hit, hit)])


def test_damage_is_named_with_its_place(written: Path) -> None:
    lines = written.read_bytes().split(b"\n")
    written.write_bytes(b"\n".join([lines[0], b"rubbish", lines[3], lines[3], b'{"seq":4,']))
    assert [str(damage).partition(".jsonl:")[2] for damage in read_journal(written).damage] == [
        "2: the line is damaged",
        "3: events 1 to 2 are missing",
        "4: event 3 is repeated or out of order",
        "5: the line is cut off",
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00" * 5000, b"{}", b"[1]\n", b'{"seq":0,"crc":"00000000"}\n'])
def test_a_file_of_rubbish_holds_no_events(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    reading = read_journal(path)
    assert (reading.header, reading.events) == (None, [])
    assert reading.damage


def test_a_checksum_over_something_that_is_no_object(path: Path) -> None:
    from zlib import crc32

    path.write_bytes(b'{"seq":1,"crc":"%08x",{}\n' % crc32(b'{"seq":1,"crc":"",{}'))
    assert read_journal(path).events == []


def test_another_format_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_ensemble.execution.journal.FORMAT_VERSION", "2.0")
    Journal.create(path, "A1", {}).close()
    monkeypatch.undo()
    with pytest.raises(InvalidInput, match=r"journal.jsonl:1: the journal has format 2.0, this version reads 1.0"):
        read_journal(path)


def test_a_file_that_cannot_be_read(path: Path) -> None:
    with pytest.raises(EnsembleError, match="the journal can't be read: No such file"):
        read_journal(path)


def test_a_journal_is_begun_once(written: Path) -> None:
    content = written.read_bytes()
    with pytest.raises(EnsembleError, match="File exists"):
        Journal.create(written, "A2", {})
    assert written.read_bytes() == content


class Disk:
    """A stand-in for fsync that counts, and fails when told to."""

    def __init__(self) -> None:
        self.syncs = 0
        self.error: OSError | None = None

    def __call__(self, descriptor: int) -> None:
        if self.error is not None:
            raise self.error
        self.syncs += 1


def test_what_is_appended_is_written_with_the_commit(path: Path) -> None:
    disk = Disk()
    journal = Journal.create(path, "A1", {}, sync=disk)
    assert disk.syncs == 2, "the file and its folder"
    for event in EVENTS:
        journal.append(event)
    assert read_journal(path).events == []
    journal.commit()
    assert plain(read_journal(path).events) == EVENTS
    assert disk.syncs == 3
    journal.commit()
    journal.close()
    assert disk.syncs == 3, "nothing to write"


def test_all_who_wait_share_a_commit(path: Path) -> None:
    disk = Disk()
    journal = Journal.create(path, "A1", {}, sync=disk)
    disk.syncs = 0

    async def work(number: int) -> int:
        await journal.committed(journal.append({"n": number}))
        return disk.syncs

    async def main() -> list[int]:
        return await asyncio.gather(*(work(number) for number in range(100)))

    assert asyncio.run(main()) == [1] * 100
    journal.close()
    assert [event["n"] for event in read_journal(path).events] == list(range(100))


def test_waiting_for_what_is_committed_costs_nothing(path: Path) -> None:
    disk = Disk()
    journal = Journal.create(path, "A1", {}, sync=disk)
    seq = journal.append({"n": 1})
    journal.commit()
    syncs = disk.syncs
    asyncio.run(journal.committed(seq))
    journal.close()
    assert disk.syncs == syncs


def test_a_waiter_that_is_cancelled_takes_nothing_from_the_others(path: Path) -> None:
    journal = Journal.create(path, "A1", {}, sync=Disk())

    async def main() -> None:
        one, two = (asyncio.ensure_future(journal.committed(journal.append({"n": n}))) for n in (1, 2))
        await asyncio.sleep(0)
        one.cancel()
        await two
        with pytest.raises(asyncio.CancelledError):
            await one

    asyncio.run(main())
    assert len(read_journal(path).events) == 2
    journal.close()


def test_a_failed_sync_is_an_error_in_order_and_can_be_tried_again(path: Path) -> None:
    disk = Disk()
    journal = Journal.create(path, "A1", {}, sync=disk)
    seq = journal.append(EVENTS[0])
    disk.error = OSError(errno.EIO, "Input/output error")
    for _ in range(2):
        with pytest.raises(EnsembleError, match=r"journal.jsonl: the journal can't be written: Input/output error"):
            asyncio.run(journal.committed(seq))
    assert read_journal(path).events == []
    disk.error = None
    journal.append(EVENTS[1])
    journal.commit()
    journal.close()
    assert plain(read_journal(path).events) == EVENTS[:2]


def test_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a part of what is written, then no more; what was committed stays, and the torn end is harmless."""
    journal = Journal.create(path, "A1", {})
    journal.append(EVENTS[0])
    journal.commit()
    room = [10]
    write = os.pwrite

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, bytes(data[: room[0]]), offset)
        room[0] -= written
        return written

    def no_truncate(descriptor: int, size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr(os, "ftruncate", no_truncate)
    journal.append(EVENTS[1])
    with pytest.raises(EnsembleError, match=r"No space left on device \(what was written before is safe"):
        journal.commit()
    torn = read_journal(path)
    assert plain(torn.events) == EVENTS[:1]
    assert [damage.reason for damage in torn.damage] == ["the line is cut off"]
    with pytest.raises(EnsembleError, match="No space left"):
        journal.commit()
    monkeypatch.undo()
    journal.close()
    reading = read_journal(path)
    assert plain(reading.events) == EVENTS[:2]
    assert reading.damage == []


def test_a_journal_that_cannot_be_begun(tmp_path: Path) -> None:
    disk = Disk()
    disk.error = OSError(errno.ENOSPC, "No space left on device")
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(EnsembleError, match="No space left"):
        Journal.create(tmp_path / "j", "A1", {}, sync=disk)
    with pytest.raises(EnsembleError, match="No such file"):
        Journal.create(tmp_path / "none" / "j", "A1", {})
    syncs: list[int] = []

    def only_files(descriptor: int) -> None:
        syncs.append(descriptor)
        if len(syncs) == 2:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(EnsembleError, match="Input/output error"):
        Journal.create(tmp_path / "k", "A1", {}, sync=only_files)
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_journal_that_was_cut_off_anywhere_can_be_gone_on_with(written: Path, cut: int) -> None:
    content = written.read_bytes()
    written.write_bytes(content[:-cut])
    kept = plain(read_journal(written).events)
    journal = Journal.reopen(written)
    journal.append({"event": "more"})
    journal.close()
    reading = read_journal(written)
    assert plain(reading.events) == [*kept, {"event": "more"}]
    assert reading.damage == []
