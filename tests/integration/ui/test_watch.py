"""A job that one terminal began is followed from another one."""

from __future__ import annotations

import os
import re
import subprocess
import termios
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path

from tests.integration.ui.conftest import begun, ended


def watched(project: Path, go_on: Path) -> tuple[subprocess.Popen[str], subprocess.Popen[str], list[str]]:
    """A job whose first operation waits, who watches it, and what that one was told so far."""
    job = begun(project, "deploy", "--approve", "web/ensemble.yaml", WAITS_FOR=str(go_on))
    assert job.stdout is not None
    for line in job.stdout:
        if "db: create ..." in line:
            break
    watcher = begun(project, "show", _name(project), "--watch", "--ensemble", "web")
    assert watcher.stdout is not None
    return job, watcher, [watcher.stdout.readline()]


def test_a_job_is_followed_to_its_record(project: Path) -> None:
    go_on = project / "go-on"
    job, watcher, told = watched(project, go_on)
    assert told == ["[1/2] db: create ...\n"]
    go_on.touch()
    rest, _none = watcher.communicate(timeout=120)
    job.communicate(timeout=120)
    assert job.returncode == watcher.returncode == 0, rest
    assert "[2/2] app: create changed" in rest
    assert f"Job {_name(project)}" in rest, "then its record is shown"


def test_another_terminal_shows_the_time_to_go(project: Path) -> None:
    for words in (("deploy", "web"), ("undeploy", "web")):  # from which it is known how long operations take
        code, printed = ended(project, *words, "--approve")
        assert code == 0, printed
    recorded = set(_names(project))
    go_on = project / "go-on"
    job = begun(project, "deploy", "--approve", "web/ensemble.yaml", WAITS_FOR=str(go_on))
    assert job.stdout is not None
    assert any("db: create ..." in line for line in job.stdout)
    (name,) = set(_names(project)) - recorded
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, 140))
    watcher = begun(project, "show", name, "--watch", "--ensemble", "web", output=theirs)
    os.close(theirs)
    with FileIO(ours) as terminal:
        written, end = b"", time.monotonic() + 120
        try:
            while not re.search(rb"0 of 2 done, about \d+ s left, 1 running: db: create", written):
                assert time.monotonic() < end, written
                written += terminal.read(65536)
        finally:
            go_on.touch()
        with suppress(OSError):  # nobody writes to it any more
            while part := terminal.read(65536):
                written += part
    job.communicate(timeout=120)
    assert job.returncode == watcher.wait(timeout=120) == 0, written


def test_that_it_was_killed_is_said(project: Path) -> None:
    never = project / "never"
    job, watcher, _told = watched(project, never)
    kill_all(f"WAITS_FOR={never}")
    rest, _none = watcher.communicate(timeout=120)
    job.communicate(timeout=120)
    assert watcher.returncode == 1
    assert "was killed" in rest
    assert "recover" in rest


def _name(project: Path) -> str:
    """The id of the only job."""
    (name,) = _names(project)
    return name


def _names(project: Path) -> list[str]:
    """The ids of the jobs."""
    jobs = project / "web" / "jobs"
    return [f"{one.name.partition('.')[0][-8:]}0000" for one in (*jobs.glob("job*.journal"), *jobs.glob("job*.jsonl"))]


def kill_all(variable: str) -> None:
    """Kill the processes that have a variable in their environment."""
    while processes := _processes_with(variable):
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, 9)


def _processes_with(variable: str) -> list[int]:
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if variable.encode() in environment.read_bytes().split(b"\0"):
                found.append(int(environment.parent.name))
    return found
