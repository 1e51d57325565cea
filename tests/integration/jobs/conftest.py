"""Run the command as a user does: as a process of its own, in a folder of its own, without a terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from tests.preloaded import PROGRAMS, run_fresh
from tests.preloaded import run as run_command


@dataclass
class Run:
    """What a command came to."""

    code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    return {**kept, "HOME": str(home), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "ANSIBLE_NOCOLOR": "1"}


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Run]:
    """Run `ansible-ensemble ARGUMENTS` in the test's folder, or another program with `program`.

    It runs in a fork of an interpreter that has loaded its modules, or in a process of its own with `fresh`.
    """
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)

    def run(
        *arguments: str,
        cwd: Path = tmp_path,
        program: str = "ansible-ensemble",
        extra: Mapping[str, str] | None = None,
        fresh: bool = False,
    ) -> Run:
        begin = run_fresh if fresh else run_command
        done = begin([PROGRAMS / program, *arguments], cwd=cwd, env={**environment(home), **(extra or {})})
        return Run(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start `ansible-ensemble ARGUMENTS` in the background; what is left of it is ended after the test.

    What it prints comes from its `stdout`, unless `stdout` and `stderr` are files.
    """
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    started: list[subprocess.Popen[str]] = []

    def begin(
        *arguments: str,
        cwd: Path = tmp_path,
        program: str = "ansible-ensemble",
        stdout: int | IO[str] = subprocess.PIPE,
        stderr: int | IO[str] = subprocess.STDOUT,
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [PROGRAMS / program, *arguments],
            cwd=cwd,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def corpus(corpus_folder: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A writable copy of a folder of the third-party test files."""

    def copy(name: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(corpus_folder / name, folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return folder

    return copy
