"""The progress of a job: a line when an operation starts and ends, and on a terminal what runs, on its last line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Set
from typing import Any, TextIO

from ansible_ensemble.reports.progress import Progress
from ansible_ensemble.reports.remaining import Remaining, in_words
from ansible_ensemble.reports.table import clip

_CLEAR = "\r\x1b[K"


class LiveView:
    """Writes the lines of a job's events, and keeps the last line of a terminal up to date.

    Its methods may be called from several threads. When the stream takes no more - its reader is gone, or its disk
    is full - it stops writing, and the job goes on.

    Args:
        stream: where it writes.
        progress: the state of the job.
        columns: gives the width of the terminal in cells; None if it is no terminal: then there is no last line, and
            what runs for long is named in lines. It is so named on a terminal, too, if the progress shows what waits.
        remaining: tells the time to go for the last line; None if it is not shown.
    """

    def __init__(
        self,
        stream: TextIO,
        progress: Progress,
        columns: Callable[[], int] | None,
        remaining: Remaining | None = None,
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._columns = columns
        self._remaining = remaining
        self._shown = ""
        self._silent = False
        # a signal handler may write a line while another line is written
        self._lock = threading.RLock()

    def line(self, text: str) -> None:
        """Write a line that stays."""
        with self._lock:
            self._write(f"{_CLEAR if self._shown else ''}{text}\n{self._shown}")

    def event(self, event: dict[str, Any], now: float) -> None:
        """Take an event of the job's journal; `now` is in seconds of any clock that only goes forward."""
        with self._lock:
            for line in self._progress.lines(event, now):
                self.line(line)

    def refresh(self, now: float) -> None:
        """Show what runs now, and since when."""
        with self._lock:
            if self._columns is None or self._progress.dependants is not None:
                for line in self._progress.tick(now):
                    self.line(line)
            if self._columns is None:
                return
            text = clip(self._summary(now), self._columns() - 1)
            if text != self._shown:
                self._write(_CLEAR + text)
                self._shown = text

    def close(self) -> None:
        """Remove the last line."""
        with self._lock:
            if self._shown:
                self._write(_CLEAR)
                self._shown = ""

    def _summary(self, now: float) -> str:
        running = list(self._progress.running.values())
        if not running:
            return ""
        ended = self._progress.numbers.keys() - self._progress.running.keys()
        names = ", ".join(f"{one.named} ({now - one.since:.0f}s)" for one in running)
        left = self._left(ended, now)
        failed = f", {len(self._progress.failed)} failed" if self._progress.failed else ""
        return f"{len(ended)} of {self._progress.total} done{failed}{left}, {len(running)} running: {names}"

    def _left(self, ended: Set[str], now: float) -> str:
        if self._remaining is None:
            return ""
        elapsed = {key: now - one.since for key, one in self._progress.running.items()}
        seconds = self._remaining.seconds(ended, elapsed)
        return "" if seconds is None else f", {in_words(seconds)}"

    def _write(self, text: str) -> None:
        if self._silent:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._silent = True
