from __future__ import annotations

import io

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.live import live_lines


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
