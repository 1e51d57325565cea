"""The progress of machines in their workflows: a line for each, updated on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import Any, TextIO

from ansible_ensemble.reports.objects_text import duration_text, seconds_between
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import clip, table, width
from ansible_ensemble.reports.values import clean

_CLEAR = "\x1b[K"
_COLOURS = {
    "complete": Style.good,
    "finished": Style.good,
    "failed": Style.bad,
    "unavailable": Style.bad,
    "incomplete": Style.warning,
    "stopped": Style.warning,
    "retrying": Style.warning,
}


class MachineLines:
    """Shows the progress of machines.

    Args:
        stream: where it writes.
        style: how to emphasise.
        size: gives the columns and lines of the terminal; None if it is no terminal: then each change is a line.
    """

    def __init__(self, stream: TextIO, style: Style, size: Callable[[], tuple[int, int]] | None) -> None:
        self._stream, self._style, self._size = stream, style, size
        self._machines: dict[str, dict[str, Any]] = {}
        self._since: dict[str, datetime] = {}
        self._drawn = 0

    def take(self, machine: dict[str, Any], now: datetime) -> None:
        """Take the progress of a machine: a document of its `Name`, `Stage`, `Task`, `State`, `JobState` and others."""
        name, before = machine["Name"], self._machines.get(machine["Name"])
        self._machines[name] = machine
        if before and _looks(before) == _looks(machine):
            return
        self._since[name] = now
        self._show(f"{name}  {'  '.join(filter(None, self._cells(machine, now)[1:]))}", now)

    def gone(self, name: str, now: datetime) -> None:
        """Remove a machine that no longer exists."""
        if self._machines.pop(name, None):
            self._show(f"{name}  deleted", now)

    def refresh(self, now: datetime) -> None:
        """Update the terminal."""
        if self._size:
            self._draw(self._lines(now, *self._size()))

    def _show(self, line: str, now: datetime) -> None:
        if self._size:
            self.refresh(now)
        else:
            self._stream.write(clean(line) + "\n")
            self._stream.flush()

    def _draw(self, lines: list[str]) -> None:
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        rest = max(0, self._drawn - len(lines))
        written = "".join(f"\r{_CLEAR}{line}\n" for line in [*lines, *[""] * rest])
        self._stream.write(up + written + (f"\x1b[{rest}A" if rest else ""))
        self._stream.flush()
        self._drawn = len(lines)

    def _lines(self, now: datetime, columns: int, lines: int) -> list[str]:
        """A line for each machine, as many as there is room for; those that go on are first."""
        machines = list(self._machines.values())
        room = max(1, lines - 2)
        if len(machines) > room:
            machines.sort(key=lambda one: one["State"] == "complete")
        rows = [self._cells(one, now) for one in machines[:room]]
        shown = [line if width(line) < columns else clip(line, columns - 1) for line in table(rows)] if rows else []
        coloured = [self._coloured(line, row[4]) for line, row in zip(shown, rows)]
        if rest := Counter(one["State"] for one in machines[room:]):
            coloured.append("and " + ", ".join(f"{count} {state}" for state, count in rest.items()))
        return coloured

    def _cells(self, machine: dict[str, Any], now: datetime) -> list[str]:
        tasks = f"{machine['TaskNumber']}/{machine['TaskCount']}"
        names = [clean(machine[name]) for name in ("Name", "Stage", "Task")]
        return [names[0], tasks, names[1], names[2], _word(machine), self._duration(machine, now)]

    def _duration(self, machine: dict[str, Any], now: datetime) -> str:
        """How long the job runs or ran; on a terminal otherwise how long it is so already."""
        ended = seconds_between(machine["StartTime"], machine["EndTime"])
        if _word(machine) in ("finished", "failed") and ended is not None:
            return duration_text(ended)
        if not self._size or machine["State"] == "complete":
            return ""
        return duration_text((now - self._since.get(machine["Name"], now)).total_seconds())

    def _coloured(self, line: str, word: str) -> str:
        before, found, after = line.rpartition(f"  {word}")
        return f"{before}  {_COLOURS[word](self._style, word)}{after}" if found and word in _COLOURS else line


def _word(machine: dict[str, Any]) -> str:
    """What the machine does; between two jobs, that the first is finished."""
    return "finished" if machine["State"] == "waiting" and machine["JobState"] == "finished" else str(machine["State"])


def _looks(machine: dict[str, Any]) -> tuple[Any, ...]:
    return (*(machine[name] for name in ("Stage", "Task", "TaskNumber", "TaskCount")), _word(machine))
