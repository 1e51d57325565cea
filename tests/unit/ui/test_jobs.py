"""Jobs that are begun for who looks at the pages."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.ui.command import Command
from ansible_ensemble.ui.jobs import Jobs


class Unable(Command):
    """A command that makes plans, and cannot be started."""

    async def ask(self, words: Sequence[str], pass_fds: Sequence[int] = ()) -> Any:
        Path(words[words.index("--out") + 1]).write_text("{}")
        return {"workflow": "deploy"}

    def begin(self, *_said: Any) -> Any:
        raise BlockingIOError("there are too many processes")


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Jobs(Unable(tmp_path))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_plan_whose_job_cannot_begin_waits_on(jobs: Jobs) -> None:
    ensemble = Path("ensemble.yaml")
    plan = asyncio.run(jobs.plan(ensemble, {}, []))
    before = descriptors()
    for _again in range(2):
        with pytest.raises(BlockingIOError):
            jobs.approve(plan.id, "ann")
    assert jobs.waiting(ensemble) == [plan]
    assert plan.file.is_file()
    assert (jobs.runs(ensemble), descriptors()) == ([], before)


def test_a_look_that_cannot_begin_leaves_nothing(jobs: Jobs, tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError):
        jobs.look(Path("ensemble.yaml"), "check")
    assert list(tmp_path.iterdir()) == []
