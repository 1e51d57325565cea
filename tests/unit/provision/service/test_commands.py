"""Commands that carry out actions."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.service.actions import ActionFailed
from ansible_ensemble.provision.service.commands import run_command


def _run(code: str, seconds: float = 60) -> Any:
    return run_command([sys.executable, "-c", code], seconds, {"object": {"Name": "m1"}})


@pytest.mark.parametrize(
    ("code", "result"), [("", ""), ("print('it is on')", "it is on"), ("print('{\"a\": [1]}')", {"a": [1]})]
)
def test_results(code: str, result: Any) -> None:
    assert _run(code) == result


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; print('no answer', file=sys.stderr); sys.exit(3)", "exited with status 3\nno answer"),
        ("import os; os.kill(os.getpid(), 9)", "exited with status -9"),
    ],
)
def test_failures(code: str, message: str) -> None:
    with pytest.raises(ActionFailed) as failed:
        _run(code)
    assert str(failed.value) == f"{sys.executable} {message}"


def test_a_command_that_does_not_end_or_begin() -> None:
    with pytest.raises(ActionFailed, match=r"took longer than 0\.1 seconds"):
        _run("import time; time.sleep(60)", seconds=0.1)
    with pytest.raises(ActionFailed, match="/nowhere/poweron: No such file or directory"):
        run_command(["/nowhere/poweron"], 60, {})


def test_what_a_command_started_ends_with_it_when_its_time_is_over(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ActionFailed, match="sh took longer than 1 seconds"):
        run_command(["sh", "-c", f"sleep 9999 > {held} & sleep 9999"], 1, {})
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b"", "nobody holds it any more"
    os.close(reader)
