"""Machines on their way: lines, and what a terminal shows of them."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from ansible_ensemble.reports.machine_lines import MachineLines
from ansible_ensemble.reports.style import Style

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def machine(name: str, number: int = 0, state: str = "waiting", **more: Any) -> dict[str, Any]:
    task = f"task{number}" if number else ""
    job = {"JobState": "", "StartTime": "", "EndTime": ""}
    return {
        "Name": name,
        "Stage": "s",
        "Task": task,
        "TaskNumber": number,
        "TaskCount": 3,
        "State": state,
        **job,
        **more,
    }


FINISHED = {"JobState": "finished", "StartTime": "2026-01-01T00:00:00Z", "EndTime": "2026-01-01T00:01:05Z"}


def screen(text: str) -> list[str]:
    """The lines that a terminal shows after it was told a text."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[\d*[A-Za-z]|\n|\r|[^\x1b\n\r]+", text):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif move := re.fullmatch(r"\x1b\[(\d+)A", part):
            row -= int(move[1])
        elif part == "\x1b[K":
            lines[row] = ""
        elif part[0] not in "\r\x1b":
            lines[row] += part
    return [line for line in lines if line]


def test_without_a_terminal_each_change_is_a_line() -> None:
    stream = io.StringIO()
    lines = MachineLines(stream, Style(), None)
    lines.take(machine("m1"), at(0))
    lines.take(machine("m1", 1, "running", JobState="running"), at(1))
    lines.take(machine("m1", 1, "running", JobState="running", Runnable=False), at(2))
    lines.take(machine("m1", 1, **FINISHED), at(3))
    lines.refresh(at(60))
    lines.gone("m1", at(61))
    lines.gone("m1", at(62))
    assert stream.getvalue().splitlines() == [
        "m1  0/3  s  waiting",
        "m1  1/3  s  task1  running",
        "m1  1/3  s  task1  finished  1m05s",
        "m1  deleted",
    ]


def test_a_terminal_shows_a_line_for_each_machine_and_how_long_it_is_so() -> None:
    stream = io.StringIO()
    lines = MachineLines(stream, Style(), lambda: (80, 24))
    lines.take(machine("m1"), at(0))
    lines.take(machine("machine2", 1, "running", JobState="running"), at(1))
    lines.refresh(at(9))
    assert screen(stream.getvalue()) == ["m1        0/3  s         waiting  9s", "machine2  1/3  s  task1  running  8s"]
    lines.take(machine("m1", 3, "complete", **FINISHED), at(10))
    lines.gone("machine2", at(11))
    assert screen(stream.getvalue()) == ["m1  3/3  s  task3  complete"]


def test_a_small_terminal_shows_what_goes_on_and_counts_the_rest() -> None:
    stream = io.StringIO()
    lines = MachineLines(stream, Style(), lambda: (20, 4))
    for number in range(4):
        lines.take(machine(f"m{number}", 3, "complete"), at(0))
    lines.take(machine("a-machine", 2, "running"), at(0))
    shown = screen(stream.getvalue())
    assert shown[0].startswith("a-machine")
    assert all(len(line) < 20 for line in shown[:2])
    assert shown[-1] == "and 3 complete"


def test_only_the_state_is_coloured_and_nothing_drives_the_terminal() -> None:
    stream = io.StringIO()
    lines = MachineLines(stream, Style(colour=True), lambda: (80, 24))
    lines.take(machine("failed\x1b[2J", 1, "failed", Stage="failed"), at(0))
    assert stream.getvalue().count("\x1b[31mfailed\x1b[0m") == 1
    assert "\x1b[2J" not in stream.getvalue()
