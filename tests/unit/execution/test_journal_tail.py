"""What is added to a journal, as it is seen from another process."""

from __future__ import annotations

import os

from ansible_ensemble.execution.journal_tail import JournalTail


def test_the_tail_reads_complete_lines_once(tmp_path):
    journal = tmp_path / "journal"
    tail = JournalTail(journal)
    assert tail.events() == []
    journal.write_bytes(b'{"event":"started","key":"a"}\n{"event":"fin')
    assert [event["event"] for event in tail.events()] == ["started"]
    with journal.open("ab") as stream:
        stream.write(b'ished","key":"a"}\nnot json\n[1]\n')
    assert [event["event"] for event in tail.events()] == ["finished"]
    assert tail.events() == []


def test_the_tail_stays_with_a_journal_that_is_renamed(tmp_path):
    journal = tmp_path / "journal"
    journal.write_bytes(b'{"event":"started","key":"a"}\n')
    tail = JournalTail(journal)
    tail.events()
    with journal.open("ab") as stream:
        stream.write(b'{"event":"finished","key":"a"}\n')
    journal.rename(tmp_path / "recorded")
    assert [event["event"] for event in tail.events()] == ["finished"]
    tail.close()


def test_the_tail_goes_on_in_a_longer_copy_that_is_put_in_its_place(tmp_path):
    journal, copy = tmp_path / "journal", tmp_path / "copy"
    journal.write_bytes(b'{"event":"started","key":"a"}\n{"event":"fin')
    tail = JournalTail(journal)
    assert [event["event"] for event in tail.events()] == ["started"]
    copy.write_bytes(b'{"event":"started","key":"a"}\n{"event":"finished","key":"a"}\n{"event":"started","key":"b"}\n')
    copy.replace(journal)
    assert [event["key"] for event in tail.events()] == ["a", "b"]
    assert tail.events() == []
    tail.close()


def test_only_a_regular_file_is_read(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("fifo", "link"):
        assert JournalTail(tmp_path / name).events() == []


def test_a_line_that_is_nested_too_deep_is_no_event(tmp_path):
    journal = tmp_path / "journal"
    journal.write_text("[" * 100_000 + "\n" + '{"event":"started"}\n')
    assert [event["event"] for event in JournalTail(journal).events()] == ["started"]
