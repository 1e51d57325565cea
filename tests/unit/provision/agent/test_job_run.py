"""The actions of a job on a host."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.agent.exit_codes import SMOOTH
from ansible_ensemble.provision.agent.job_run import JobRun
from ansible_ensemble.provision.agent.local_host import LocalHost
from ansible_ensemble.provision.objects.job import Job, JobAction


async def _nothing(*_: Any) -> Any:
    return {}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("a/b", "agent/job/a/b"),
        ("./a//b/../c", "agent/job/a/c"),
        ("../../out", "agent/job/out"),
        ("a/../../out", "agent/job/out"),
        ("{folder}/away/../else", "else"),
    ],
)
def test_where_a_file_is_written(tmp_path: Path, path: str, place: str) -> None:
    written: list[str] = []

    class Host(LocalHost):
        async def make_folder(self, parent: str, prefix: str) -> str:
            return f"{parent}/job"

        async def write(self, path: str, content: str, mode: int) -> None:
            await super().write(path, content, mode)
            written.append(path)

    action = JobAction(name="file", path=path.format(folder=tmp_path), content="text", meta=None)
    run = JobRun(Host(), Job(task="t"), True, str(tmp_path / "agent"), {}, _nothing, _nothing, _nothing, _nothing)
    assert asyncio.run(run.run([action])) == SMOOTH
    assert written == [str(tmp_path / place)]
