"""A job between its plan and its record."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, UsageError
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.engine.entry_builders import job_started_entry
from ansible_ensemble.engine.journal_entries import StartingPoint
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.jobs import locking
from ansible_ensemble.jobs.prepared_job import PreparedJob
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.lfs_lock import GlobalLock
from ansible_ensemble.projects.process import describe_process
from ansible_ensemble.records.journals import create_journal


@pytest.fixture
def prepared(job: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedJob:
    """A job with a global lock that the server keeps."""
    made = job()
    local = locks.acquire(tmp_path / "ensemble.yaml", "deploy")
    shared = GlobalLock(tmp_path, "all", "1", "me", "", tmp_path / "record")
    monkeypatch.setattr(locking, "release_global", lambda lock: f"the global lock {lock.name} could not be released")
    plan = plan_workflow(made.ensemble, "deploy", made.options)
    location = locate(tmp_path / "service.yaml")
    return PreparedJob(location, made.ensemble, plan, made.options, locking.JobLock(local, shared))


def test_a_plan_that_nobody_approves_tells_of_a_global_lock_that_stays(prepared: PreparedJob, tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="the global lock all could not be released"), prepared:
        pass
    assert locks.read_lock(tmp_path / "ensemble.yaml") is None


def test_a_job_that_lost_its_lock_is_waited_for(prepared: PreparedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its playbook may be killed before it; what it ends until it goes itself is recorded as well."""
    worker = subprocess.Popen(["sleep", "60"])
    written = create_journal(prepared.folder.parents[1], prepared.id, {})
    began = job_started_entry(Plan("deploy", "ensemble.yaml"), prepared.id, {}, StartingPoint(), Redactor())
    written.append(began.to_json() | {"process": describe_process(worker.pid).to_json()})
    written.close()
    locks.unlock(prepared.folder.parents[1] / "ensemble.yaml", prepared._lock.local.id)
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            worker.kill()
            worker.wait()

    monkeypatch.setattr(time, "sleep", wait)
    try:
        prepared.finish()
    finally:
        worker.kill()
    assert len(waits) == 2


def test_an_error_comes_first(prepared: PreparedJob) -> None:
    with pytest.raises(UsageError, match="nobody to ask") as caught, prepared:
        raise UsageError("nobody to ask", hint="--approve")
    assert caught.value.hint == "--approve; the global lock all could not be released"
