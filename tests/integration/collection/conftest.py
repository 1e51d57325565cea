"""Run the collection's playbooks over a stand-in for the Python package that notes how it is called."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.preloaded import PROGRAMS
from tests.preloaded import run as run_command

STAND_IN = Path(__file__).parent / "stand_in"


@dataclass
class Run:
    code: int
    output: str
    calls: list[dict[str, Any]]

    @property
    def names(self) -> list[str]:
        return [call["call"] + (f" {call['state']}" if call["call"] == "lock" else "") for call in self.calls]

    def call(self, name: str) -> dict[str, Any]:
        return next(call for call in self.calls if call["call"] == name)


@pytest.fixture
def ansible(tmp_path: Path, collections: Path) -> Callable[..., Run]:
    """Run one of Ansible's commands; `fail` names the call that the stand-in lets fail."""
    return _runner(tmp_path, collections)


@pytest.fixture(scope="module")
def module_ansible(tmp_path_factory: pytest.TempPathFactory, collections: Path) -> Callable[..., Run]:
    """The same, for runs that several tests look at."""
    return _runner(tmp_path_factory.mktemp("ansible"), collections)


def _runner(folder: Path, collections: Path) -> Callable[..., Run]:
    def run(command: str, *arguments: str, fail: str = "", package: Path | None = STAND_IN, cwd: Path = folder) -> Run:
        log = folder / "calls.jsonl"
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_SHOW_CUSTOM_STATS": "1",
            "ANSIBLE_NOCOLOR": "1",
            "PYTHONPATH": str(package) if package else "",
            "STAND_IN_LOG": str(log),
            "STAND_IN_FAIL": fail,
        }
        done = run_command([PROGRAMS / command, *arguments], env=environment, cwd=cwd)
        calls = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        log.unlink(missing_ok=True)
        return Run(done.returncode, done.stdout + done.stderr, calls)

    return run
