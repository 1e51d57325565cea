"""Run the collection's playbooks over a stand-in for the Python package that notes how it is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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

    def run(command: str, *arguments: str, fail: str = "", package: Path | None = STAND_IN) -> Run:
        log = tmp_path / "calls.jsonl"
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_HOME": str(tmp_path / "home"),
            "ANSIBLE_NOCOLOR": "1",
            "PYTHONPATH": str(package) if package else "",
            "STAND_IN_LOG": str(log),
            "STAND_IN_FAIL": fail,
        }
        program = Path(sys.executable).parent / command
        done = subprocess.run(
            [program, *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        calls = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        log.unlink(missing_ok=True)
        return Run(done.returncode, done.stdout + done.stderr, calls)

    return run
