from __future__ import annotations

import io

import pytest

from ansible_ensemble.reports.live import LiveView
from ansible_ensemble.reports.progress import Progress
from ansible_ensemble.reports.remaining import Remaining

STARTED = {"event": "started", "key": "app:Standard.configure", "instance": "app", "operation": "Standard.configure"}


@pytest.fixture
def terminal():
    return io.StringIO()


@pytest.fixture
def view(terminal):
    return LiveView(terminal, Progress(total=3), lambda: 40)


def screen(terminal: io.StringIO) -> list[str]:
    """What a terminal shows after what was written: `\\r` and `erase line` are all that is used."""
    lines = [""]
    for part in terminal.getvalue().replace("\r\x1b[K", "\0").replace("\n", "\1").replace("\0", "\1\0").split("\1"):
        if part.startswith("\0"):
            lines[-1] = part[1:]
        elif lines == [""]:
            lines[-1] = part
        else:
            lines.append(part)
    return lines


def test_the_last_line_names_what_runs(view, terminal):
    view.event(STARTED, 0.0)
    view.refresh(12.3)
    assert screen(terminal) == ["[1/3] app: configure ...", "0 of 3 done, 1 running: app: configure…"]


def test_lines_stay_above_it(view, terminal):
    view.event(STARTED, 0.0)
    view.refresh(1.0)
    view.line("one")
    assert screen(terminal) == ["[1/3] app: configure ...", "one", "0 of 3 done, 1 running: app: configure…"]


def test_nothing_runs_nothing_is_shown(view, terminal):
    view.refresh(1.0)
    view.line("one")
    assert terminal.getvalue() == "one\n"


def test_it_is_removed_at_the_end(view, terminal):
    view.event(STARTED, 0.0)
    view.refresh(1.0)
    view.close()
    view.close()
    assert screen(terminal) == ["[1/3] app: configure ...", ""]


def test_what_did_not_change_is_not_written_again(view, terminal):
    view.event(STARTED, 0.0)
    view.refresh(1.0)
    written = terminal.getvalue()
    view.refresh(1.1)
    assert terminal.getvalue() == written


def test_a_line_may_come_in_the_middle_of_another(terminal):
    class Interrupted(io.StringIO):
        """A terminal on which a signal arrives while the first line is written."""

        def write(self, text: str) -> int:
            if text == "one\n":
                view.line("signal")
            return super().write(text)

    stream = Interrupted()
    view = LiveView(stream, Progress(), lambda: 40)
    view.line("one")
    assert sorted(stream.getvalue().split()) == ["one", "signal"]


def test_without_a_terminal_what_runs_for_long_is_named_in_lines(terminal):
    view = LiveView(terminal, Progress(total=3), None)
    view.event(STARTED, 0.0)
    view.refresh(1.0)
    view.refresh(12.0)
    assert terminal.getvalue().splitlines() == ["[1/3] app: configure ...", "[1/3] app: configure still running (12s)"]


def test_a_stream_that_takes_no_more_is_left_alone(view, terminal):
    view.line("before")
    terminal.write = lambda _: (_ for _ in ()).throw(OSError("full"))
    view.event(STARTED, 0.0)
    del terminal.write
    view.refresh(1.0)
    view.close()
    assert screen(terminal)[0] == "before"
    assert "app" not in terminal.getvalue()


def test_who_asks_what_waits_is_told_on_a_terminal_too(terminal):
    plan = {"operations": [
        {"key": STARTED["key"], "implementation": "x"},
        {"key": "app:Standard.start", "implementation": "x", "waits_for": [STARTED["key"]]},
    ]}  # fmt: skip
    view = LiveView(terminal, Progress.of_plan(plan, verbosity=2), lambda: 80)
    view.event(STARTED, 0.0)
    view.refresh(10.0)
    assert screen(terminal) == [
        "[1/2] app: configure ...",
        "[1/2] app: configure still running (10s); app: start waits for it",
        "0 of 2 done, 1 running: app: configure (10s)",
    ]


def test_the_last_line_counts_what_failed_until_it_is_tried_again(terminal):
    view = LiveView(terminal, Progress(total=3), lambda: 80)
    other = {**STARTED, "key": "db:Standard.configure", "instance": "db"}
    for event in (STARTED, other, {**STARTED, "event": "finished", "ok": False, "error": "no"}):
        view.event(event, 0.0)
    view.refresh(10.0)
    assert screen(terminal)[-1] == "1 of 3 done, 1 failed, 1 running: db: configure (10s)"
    view.event({**STARTED, "attempt": 2}, 10.0)
    view.refresh(11.0)
    assert screen(terminal)[-1] == "0 of 3 done, 2 running: db: configure (11s), app: configure (1s)"


def test_the_last_line_tells_the_time_to_go(terminal):
    plan = {"operations": [{"key": STARTED["key"], "implementation": "x", "waits_for": []}]}
    remaining = Remaining(plan, {STARTED["key"]: 100.0}, 1)
    view = LiveView(terminal, Progress(total=3), lambda: 80, remaining)
    view.event(STARTED, 0.0)
    view.refresh(10.0)
    assert screen(terminal)[-1] == "0 of 3 done, about 2 min left, 1 running: app: configure (10s)"
