"""Where the time of the tests goes.

`MEASURED=FILE make test` writes a line for each test, and `python tests/measured.py FILE` sums them up. A line is JSON:
the test, its seconds by the clock, those of processors that its worker took, those that other processes of the worker
took, and how often it started which program. What a fixture of a session takes counts for the first test that uses it.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_TICKS = os.sysconf("SC_CLK_TCK")
_LONGEST = 100


class Measured:
    """A plugin of pytest that writes the lines; workers share a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._started: Counter[str] = Counter()
        sys.addaudithook(self._count)

    def _count(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            self._started[Path(os.fsdecode(arguments[0])).name] += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._started.clear()
        began = (time.monotonic(), *_processors())
        done = yield
        took = [round(now - then, 3) for now, then in zip((time.monotonic(), *_processors()), began)]
        names = ("clock", "worker", "others")
        line = {"test": item.nodeid, **dict(zip(names, took)), "started": self._started}
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return done


def _processors() -> tuple[float, float]:
    """Seconds of processors until now, of this process, and of those it started and what they waited for."""
    own, ended = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    alive = 0.0
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread or a child has ended just now
            for child in (task / "children").read_text().split():
                times = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:15]
                alive += sum(map(int, times)) / _TICKS
    return own.ru_utime + own.ru_stime, ended.ru_utime + ended.ru_stime + alive


def _taken(line: dict[str, Any]) -> float:
    return float(line["worker"] + line["others"])


def _report(lines: list[dict[str, Any]]) -> Iterator[str]:
    folders: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        folders.setdefault("/".join(line["test"].partition("::")[0].split("/")[1:4]), []).append(line)
    yield "processors    clock   tests   programs"
    for folder, some in sorted(folders.items(), key=lambda one: -sum(map(_taken, one[1]))):
        programs = sum((Counter(one["started"]) for one in some), Counter[str]())
        often = ", ".join(f"{count} {name}" for name, count in programs.most_common(3))
        clock = sum(one["clock"] for one in some)
        yield f"{sum(map(_taken, some)):10.1f} {clock:8.1f} {len(some):7}   {folder}: {often}"
    for line in sorted(lines, key=_taken, reverse=True)[:_LONGEST]:
        yield f"{_taken(line):10.1f} {line['clock']:8.1f}           {line['test']}"


if __name__ == "__main__":
    print("\n".join(_report([json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()])))
