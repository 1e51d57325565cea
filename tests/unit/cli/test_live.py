from __future__ import annotations

import io

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.live import JournalTail, live_lines


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


def test_the_events_of_the_journal_are_told(tmp_path):
    out = io.StringIO()
    plan = {"operations": [{"key": "app:Standard.start", "implementation": "x", "instance": "app"}]}
    with live_lines(Console(io.StringIO(), out, io.StringIO(), {}), plan, tmp_path / "journal"):
        (tmp_path / "journal").write_text(
            '{"event":"started","key":"app:Standard.start","instance":"app","operation":"Standard.start"}\n'
            '{"event":"finished","key":"app:Standard.start","ok":true,"seconds":2}\n'
        )
    assert out.getvalue().splitlines() == ["[1/1] app: start ...", "[1/1] app: start ok (2.0s)"]


def test_without_a_terminal_lines_are_all(tmp_path):
    out = io.StringIO()
    with live_lines(Console(io.StringIO(), out, io.StringIO(), {}), {"operations": []}, tmp_path / "journal") as show:
        show("one")
    assert out.getvalue() == "one\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_lines_are_shown_too(tmp_path):
    out = Terminal()
    with live_lines(Console(io.StringIO(), out, io.StringIO(), {}), {"operations": []}, tmp_path / "journal") as show:
        show("one")
    assert out.getvalue() == "one\n"
