"""What is added to a journal, as it is seen from another process."""

from __future__ import annotations

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
