"""A journal becomes the status and the records of its job."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.changes.history import history, show
from ansible_ensemble.changes.job_record import job_file_name, read_job
from ansible_ensemble.changes.record import ChangeRecord
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.sensitive import REDACTED, mark_sensitive
from ansible_ensemble.engine.journal_entries import Entry
from ansible_ensemble.records.job_journal import Folded
from ansible_ensemble.records.journals import create_journal
from ansible_ensemble.records.record import fold, record_job
from tests.unit.engine.entries import finished, job_finished, job_started, started

JOB = "A6BKKsK50000"
CREATE = "app:Standard.create"
MADE = ({"name": "app", "template": "app", "status": "ok", "state": "created", "attributes": {"url": "x"}},)


def folded(*entries: Entry) -> Folded:
    found = Folded(job_started())
    for entry in entries:
        found.take(entry)
    return found


def recorded(made: Any, *entries: Entry, job: str = JOB, **header: Any) -> dict[str, Any]:
    """The report of a job that is recorded from a journal of these entries."""
    journal = create_journal(made.ensemble.folder, job, {})
    for entry in (job_started(job=job, **header), *entries):
        journal.append(entry.to_json())
    journal.close()
    return record_job(made.ensemble, journal.path)


def ran(task: str) -> list[Entry]:
    return [started(CREATE, task=task), finished(CREATE, task=task, patches=MADE), job_finished()]


def tasks(made: Any) -> list[ChangeRecord]:
    [file] = made.ensemble.folder.glob("changes/job*.yaml")
    return read_job(file).tasks


def test_patches_count_in_their_order(job) -> None:
    made = job()
    later = ({"name": "app", "attributes": {"url": "y"}}, {"name": "machine", "status": "error"})
    entries = [started(CREATE, patches=({"name": "app", "state": "creating"},)), finished(CREATE, patches=MADE)]
    assert fold(folded(*entries, finished("app:Standard.start", patches=later)), made.ensemble) == {"app", "machine"}
    app, machine = made.instances.by_name["app"], made.instances.by_name["machine"]
    assert (app.status.value, app.state.value, app.attributes) == ("ok", "created", {"url": "y"})
    assert machine.status.value == "error"


@pytest.mark.parametrize(
    ("key", "reason", "created", "expected"),
    [
        (CREATE, Reason.ADD, None, "T"),
        (CREATE, Reason.ADD, "A0", "A0"),
        (CREATE, Reason.MISSING, None, "T"),
        ("app:Standard.configure", Reason.RECONFIGURE, None, None),
        ("app:Standard.delete", Reason.REPLACE, None, None),
        ("app:Standard.stop", Reason.UNDEPLOY, "A0", "A0"),
    ],
)
def test_an_interrupted_operation_leaves_what_is_unknown_and_what_it_makes_created(
    job, key: str, reason: Reason, created: str | None, expected: str | None
) -> None:
    made = job()
    made.instance("app", status="pending", **({"created": created} if created else {}))
    assert fold(folded(started(key, task="T", reason=reason)), made.ensemble) == {"app"}
    app = made.instances.by_name["app"]
    assert (app.status.value, app.created) == ("unknown", expected)


@pytest.mark.parametrize("operation", ["Install.check", "Install.discover", "run.command"])
def test_one_that_only_looks_or_runs_a_command_leaves_the_instance_as_it_is(job, operation: str) -> None:
    made = job()
    made.instance("app", status="ok")
    assert fold(folded(started(f"app:{operation}", reason=Reason.CHECK)), made.ensemble) == set()
    assert made.instances.by_name["app"].status.value == "ok"


def test_one_of_an_instance_that_is_not_there_makes_none(job) -> None:
    made = job()
    assert fold(folded(started(CREATE)), made.ensemble) == set()
    assert made.instances.get("app") is None


def test_each_task_has_a_record_as_it_ended_at_last(job) -> None:
    made = job()
    recorded(
        made,
        started(CREATE, task="A6BKKsK50001", time=11.0),
        finished(CREATE, False, task="A6BKKsK50001", error="no", time=12.0),
        started(CREATE, task="A6BKKsK50001", time=13.0, attempt=2),
        finished(CREATE, task="A6BKKsK50001", patches=MADE, time=14.0),
        started("machine:Standard.create", task="A6BKKsK50002", implementation=""),
        finished("machine:Standard.create", task="A6BKKsK50002", implementation=""),
        job_finished(),
    )
    [task] = tasks(made)
    assert (task.change_id, task.outcome, task.status, task.state) == ("A6BKKsK50001", "ok", "ok", "created")
    assert (task.start_time[17:19], task.end_time[17:19]) == ("13", "14")
    assert task.changes == {"::app": {"url": "x"}}


def test_an_interrupted_task_has_a_record_and_so_has_the_part_of_one(job) -> None:
    made = job()
    part = f"{CREATE}>app:Standard.configure"
    recorded(
        made,
        started(CREATE, task="A6BKKsK50001", patches=({"name": "app", "template": "app", "state": "creating"},)),
        started(part, instance="app", operation="Standard.configure", task="A6BKKsK50002"),
        finished(part, instance="app", operation="Standard.configure", task="A6BKKsK50002"),
    )
    whole, step = tasks(made)
    assert (whole.outcome, whole.error, whole.state, whole.part_of) == ("interrupted", "interrupted", "creating", "")
    assert (step.outcome, step.part_of) == ("ok", "A6BKKsK50001")
    assert "status: unknown" not in made.ensemble.path.read_text()
    assert "local: unknown" in made.ensemble.path.read_text()


def test_recording_a_journal_again_gives_the_same_files(job) -> None:
    made, later = job(), "A6BKKsK60000"
    recorded(made, *ran("A6BKKsK50001"))
    made = type(made)(made.ensemble.folder)
    recorded(made, *ran("A6BKKsK60001"), job=later)
    once = {path: path.read_bytes() for path in made.ensemble.folder.rglob("*") if path.is_file()}
    record_job(
        type(made)(made.ensemble.folder).ensemble, made.ensemble.folder / "jobs" / f"{job_file_name(later)}.journal"
    )
    assert {path: path.read_bytes() for path in once} == once
    second = read_job(made.ensemble.folder / "changes" / f"{job_file_name(later)}.yaml").job
    assert second.previous_id == JOB


@pytest.mark.parametrize("approver", ["ann@station", "a\tb\nc", ""])
def test_who_approved_is_recorded(job, approver: str) -> None:
    made = job()
    header = {"approved_by": approver} if approver else {}  # journals of earlier versions do not have it
    assert recorded(made, *ran("A6BKKsK50001"), **header)["job"]["approved_by"] == approver
    folder = made.ensemble.folder
    [file] = folder.glob("changes/job*.yaml")
    assert read_job(file).job.approved_by == approver
    known = {"approved_by": approver} if approver else {}
    for told in (history(folder)[0], show(folder, JOB)):
        assert {key: value for key, value in told.items() if key == "approved_by"} == known


def test_a_secret_that_the_job_learnt_is_masked_in_who_approved(job) -> None:
    made = job()
    made.ensemble.redactor.add(mark_sensitive("ann the secret"))
    report = recorded(made, *ran("A6BKKsK50001"), approved_by="ann the secret of ours")
    assert report["job"]["approved_by"] == f"{REDACTED} of ours"
    folder = made.ensemble.folder
    assert history(folder)[0]["approved_by"] == f"{REDACTED} of ours"
    files = [folder / "jobs.tsv", *folder.rglob("*.yaml")]  # the journal was begun before
    assert len(files) > 3
    assert not [path for path in files if "ann the secret" in path.read_text()]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, True),
        ({"check": True}, False),
        ({"command": "x"}, False),
        ({"command": "x", "save": True}, True),
    ],
)
def test_nothing_is_kept_of_dry_runs_and_of_passing_commands(job, options: dict[str, Any], kept: bool) -> None:
    made = job()
    run = {"operation": "run.command", "reason": Reason.RUN, "task": "A6BKKsK50001"}
    report = recorded(made, started("app:run", **run), finished("app:run", **run), job_finished(), options=options)
    assert report["job"]["ok"] == 1
    assert made.ensemble.path.exists() is kept
    assert len([*made.ensemble.folder.glob("changes/*")]) == kept
