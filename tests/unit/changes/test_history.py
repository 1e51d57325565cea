from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.changes.history import find_changes, find_job, history, newest_job, show
from ansible_ensemble.changes.job_record import write_job
from ansible_ensemble.changes.jobs_tsv import append_job
from ansible_ensemble.changes.record import ChangeRecord, JobRecord
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor

END = "2026-11-20-20-54-21-100000"
FIRST, SECOND, NOOP = "A6BKKsK50000", "A6BLKsK50000", "A6BMKsK50000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for job_id, workflow in ((SECOND, "check"), (FIRST, "deploy")):
        job = JobRecord(job_id, workflow=workflow, status="ok", end_time=END, seconds=1.5, summary="1 task")
        tasks = [ChangeRecord(job_id[:8] + "0001", "::app", "configure", result={"rc": 0})]
        write_job(tmp_path, job, tasks, Redactor())
        append_job(tmp_path / "jobs.tsv", job, tasks)
    append_job(tmp_path / "jobs.tsv", JobRecord(NOOP, workflow="deploy", end_time=END, summary="nothing to do"))
    return tmp_path


def test_jobs_come_in_order(folder: Path) -> None:
    jobs = history(folder)
    assert [(job["change_id"], job["workflow"], job["tasks"]) for job in jobs] == [
        (FIRST, "deploy", 1),
        (SECOND, "check", 1),
        (NOOP, "deploy", 0),
    ]
    assert jobs[0]["changelog"].startswith("changes/job")
    assert jobs[0]["seconds"] == 1.5


def test_a_job_says_how_it_ended(folder: Path) -> None:
    append_job(folder / "jobs.tsv", JobRecord("A6BNKsK50000", workflow="deploy", outcome="stopped", end_time=END))
    append_job(
        folder / "jobs.tsv", JobRecord("A6BOKsK50000", workflow="deploy", status="error")
    )  # as Unfurl does, which says nothing of it
    assert [job.get("outcome") for job in history(folder)] == ["ok", "ok", "ok", "stopped", None]
    assert [show(folder, job)["outcome"] for job in (FIRST, NOOP)] == ["ok", "ok"]


def test_an_ensemble_without_jobs_has_no_history(tmp_path: Path) -> None:
    assert history(tmp_path) == []


def test_a_job_that_the_index_lacks_is_found_in_its_record(folder: Path) -> None:
    (folder / "jobs.tsv").unlink()
    assert [(job["change_id"], job["workflow"], job["tasks"]) for job in history(folder)] == [
        (FIRST, "deploy", 1),
        (SECOND, "check", 1),
    ]


def test_a_job_is_shown_with_its_tasks(folder: Path) -> None:
    job = show(folder, FIRST)
    assert job["workflow"] == "deploy"
    assert [task["target"] for task in job["tasks"]] == ["::app"]
    assert show(folder, NOOP)["tasks"] == []


def test_a_task_is_shown_from_the_best_record_there_is(folder: Path) -> None:
    task_id = FIRST[:8] + "0001"
    assert show(folder, task_id)["result"] == {"rc": 0}
    (folder / "jobs" / "job2026-11-20-20-54-20-A6BKKsK5.yaml").unlink()
    assert "result" not in show(folder, task_id)
    (folder / "changes" / "job2026-11-20-20-54-20-A6BKKsK5.yaml").unlink()
    assert show(folder, task_id)["target"] == "::app"


@pytest.mark.parametrize("change_id", ["A6BKKsK50009", "A6BNKsK50000", "", "hello", "../../etc/passwd"])
def test_what_is_not_there_is_named(folder: Path, change_id: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        show(folder, change_id)
    assert change_id in str(refused.value)


def test_find_job_of_a_task(folder: Path) -> None:
    record = find_job(folder, FIRST[:8] + "0001")
    assert record is not None
    assert record.job.change_id == FIRST
    assert find_job(folder, NOOP) is None


def test_changes_come_in_the_order_in_which_they_ran(folder: Path) -> None:
    tasks = find_changes(folder, [SECOND[:8] + "0001", FIRST, FIRST[:8] + "0001"])
    assert [task.change_id for task in tasks] == [FIRST[:8] + "0001", SECOND[:8] + "0001"]


@pytest.mark.parametrize("change_id", ["A6BKKsK50009", "A6BNKsK50000", "nonsense", NOOP])
def test_changes_that_are_not_recorded_are_named(folder: Path, change_id: str) -> None:
    with pytest.raises(InvalidInput, match=change_id):
        find_changes(folder, [change_id])


@pytest.mark.parametrize(
    "left", ["jobs/job2026-12-01-00-00-00-A6C10000.journal", "changes/job2026-12-01-00-00-00-A6C10000.yaml"]
)
def test_the_newest_job_is_known_without_its_line(folder: Path, left: str) -> None:
    assert newest_job(folder) == NOOP
    (folder / left).write_text("")
    assert newest_job(folder) == "A6C100000000"
    (folder / "jobs" / "job-of-somebody.yaml").write_text("")
    (folder / "jobs.tsv").unlink()
    assert newest_job(folder) == "A6C100000000"


def test_a_record_that_cannot_be_read_hides_no_other(folder: Path) -> None:
    (folder / "jobs.tsv").unlink()
    next((folder / "changes").glob(f"*{FIRST[:8]}.yaml")).write_text("changes: 5")
    first, second = history(folder)
    assert first["change_id"] == FIRST
    assert "this is not a record of a job" in first["summary"]
    assert second["workflow"] == "check"
