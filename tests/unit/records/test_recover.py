"""The journals that killed jobs left are recorded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.engine.journal_entries import Entry
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.projects.process import describe_process
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.journals import create_journal, open_journals
from ansible_ensemble.records.recover import record_killed
from tests.unit.engine.entries import finished, job_finished, job_started, started

JOBS = ("A6BKKsK50000", "A6BKKsK60000")
CREATE = "app:Standard.create"


def left(made: Any, job: str, *entries: Entry, **header: Any) -> Path:
    """The journal that a killed job left."""
    journal = create_journal(made.ensemble.folder, job, {})
    for entry in (job_started(job=job, **header), *entries):
        journal.append(entry.to_json())
    journal.close()
    return journal.path


def created(job: str, url: str) -> list[Entry]:
    task = f"{job[:-4]}0001"
    patch = {"name": "app", "template": "app", "status": "ok", "attributes": {"url": url}}
    return [started(CREATE, task=task), finished(CREATE, task=task, patches=(patch,))]


def recover(made: Any) -> list[tuple[str, dict[str, Any]]]:
    return record_killed(locate(made.ensemble.folder / "service.yaml"), JobOptions())


def url(made: Any) -> Any:
    location = locate(made.ensemble.folder / "service.yaml")
    return read_recovered(location, JobOptions(), write=False).instances.by_name["app"].attributes["url"]


def test_killed_jobs_are_recorded_oldest_first(job) -> None:
    made = job()
    for number in (1, 0):
        left(made, JOBS[number], *created(JOBS[number], f"{number}"))
    told = recover(made)
    assert [report["job"]["id"] for _, report in told] == [*JOBS]
    assert [text for text, _ in told] == [f"Job {one} was killed; what it did is recorded now." for one in JOBS]
    assert (url(made), open_journals(made.ensemble.folder)) == ("1", [])


def test_what_was_interrupted_is_named_but_no_step_that_runs_nothing(job) -> None:
    made = job()
    left(made, JOBS[0], started(CREATE), started("machine:Standard.create", implementation=""))
    [(text, _)] = recover(made)
    assert text.endswith(f"is recorded now. Interrupted: {CREATE}.")


def test_a_job_that_goes_on_without_its_lock_is_left_alone(job) -> None:
    made = job()
    journal = left(made, JOBS[0], *created(JOBS[0], "x"), process=describe_process(os.getpid()).to_json())
    with pytest.raises(Locked, match=f"job {JOBS[0]} is still running without its lock: process {os.getpid()}"):
        recover(made)
    assert open_journals(made.ensemble.folder) == [journal]


def test_a_journal_that_cannot_be_read_is_told_once_the_others_are_recorded(job) -> None:
    made = job()
    broken = left(made, JOBS[0])
    broken.write_bytes(b"rubbish\nrubbish\n")
    left(made, JOBS[1], *created(JOBS[1], "x"))
    with pytest.raises(EnsembleError, match="nothing of the journal can be read") as caught:
        recover(made)
    assert f"Job {JOBS[1]} was killed; what it did is recorded now" in str(caught.value)
    assert open_journals(made.ensemble.folder) == [broken]


@pytest.mark.parametrize(("torn", "told", "ending"), [(False, 0, ".events.jsonl"), (True, 1, ".torn")])
def test_a_job_that_did_nothing_is_told_of_only_if_its_journal_is_torn(job, torn: bool, told: int, ending: str) -> None:
    made = job()
    journal = create_journal(made.ensemble.folder, JOBS[0], {})
    journal.close()
    if torn:
        journal.path.write_bytes(journal.path.read_bytes()[:-5])
    assert [report for _, report in recover(made)] == [{}] * told
    assert [path.name.endswith(ending) for path in journal.path.parent.iterdir()] == [True]
    assert open_journals(made.ensemble.folder) == []


def test_who_only_looks_hears_nothing_of_a_job_that_has_not_begun(job) -> None:
    made = job()
    create_journal(made.ensemble.folder, JOBS[0], {}).close()
    location = locate(made.ensemble.folder / "service.yaml")
    assert read_recovered(location, JobOptions(), write=False).warnings == made.ensemble.warnings


def test_who_only_looks_sees_what_killed_jobs_did_and_records_nothing(job) -> None:
    made = job()
    journal = left(made, JOBS[0], *created(JOBS[0], "x"), job_finished())
    assert url(made) == "x"
    assert open_journals(made.ensemble.folder) == [journal]
    assert not made.ensemble.path.exists()


def test_what_was_recorded_is_told_also_if_another_job_still_runs(job) -> None:
    made = job()
    left(made, JOBS[0], *created(JOBS[0], "x"))
    left(made, JOBS[1], process=describe_process(os.getpid()).to_json())
    with pytest.raises(Locked, match=f"Job {JOBS[0]} was killed; what it did is recorded now"):
        recover(made)


def test_what_killed_jobs_were_writing_is_removed(job) -> None:
    made = job()
    left(made, JOBS[0], *created(JOBS[0], "x"))
    unfinished = made.ensemble.folder / "jobs" / f".job.yaml.{'0' * 8}.new"
    unfinished.write_text("half of it")
    recover(made)
    assert not unfinished.exists()


def test_secrets_that_killed_jobs_were_given_are_removed(job) -> None:
    made = job()
    left(made, JOBS[0], *created(JOBS[0], "x"))
    given = made.ensemble.planned / "given.json"
    given.parent.mkdir(exist_ok=True)
    given.write_text('{"plan": "", "inputs": {"word": "hunter2"}, "variables": {}}')
    recover(made)
    assert not given.exists()


def test_what_was_left_of_the_ensembles_file_is_removed_whoever_wrote_it(job) -> None:
    made = job()
    unfinished = made.ensemble.path.with_name(f".{made.ensemble.path.name}.{'0' * 8}.new")
    unfinished.write_text("half of it")
    recover(made)
    assert not unfinished.exists()
