"""Jobs that end while somebody watches."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.changes.job_record import write_job
from ansible_ensemble.changes.jobs_tsv import append_job
from ansible_ensemble.changes.record import JobRecord
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.jobs.endings import JobWatch
from ansible_ensemble.records.drift import last_drift
from ansible_ensemble.records.journals import close_journal, create_journal
from tests.unit.engine.entries import finished, job_finished, job_started, started
from tests.unit.plugins.test_documentation import load

FIRST, SECOND, THIRD = "A6BKKsK50000", "A6BLKsK50000", "A6BMKsK50000"
DRIFT = [{"name": "port", "recorded": 80, "live": 81}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {}\n")
    return tmp_path


def journal(folder: Path, job: str, drift: list[dict[str, Any]]) -> Path:
    made = create_journal(folder, job, {})
    for entry in (
        job_started(job=job, workflow="check"),
        started("app:check"),
        finished("app:check", drift=tuple(drift)),
        job_finished(),
    ):
        made.append(entry.to_json())
    made.close()
    return made.path


def record(folder: Path, job: str, workflow: str = "deploy") -> None:
    told = JobRecord(job, workflow=workflow, status="ok", end_time="2026-11-20-20-54-21-100000")
    write_job(folder, told, [], Redactor())
    append_job(folder / "jobs.tsv", told, [])


def check(folder: Path, job: str, drift: list[dict[str, Any]]) -> None:
    path = journal(folder, job, drift)
    record(folder, job, "check")
    close_journal(path)


def told(watch: JobWatch) -> list[tuple[str, str]]:
    return [(event["event"], event["job"]["change_id"]) for event in watch.events()]


def test_only_what_ends_from_now_on_is_told_and_once(folder: Path) -> None:
    record(folder, FIRST)
    watch = JobWatch(str(folder))
    assert told(watch) == []
    record(folder, SECOND)
    record(folder, THIRD)
    assert told(watch) == [("job_ended", SECOND), ("job_ended", THIRD)]
    assert told(watch) == []


def test_what_was_before_is_told_if_that_is_asked_for(folder: Path) -> None:
    record(folder, FIRST)
    assert told(JobWatch(str(folder), earlier=True)) == [("job_ended", FIRST)]


def test_drift_is_an_event_of_its_own(folder: Path) -> None:
    watch = JobWatch(str(folder))
    check(folder, FIRST, DRIFT)
    drift, ended = watch.events()
    assert (drift["event"], ended["event"]) == ("drift_found", "job_ended")
    assert drift["instances"] == [{"instance": "app", "changes": DRIFT}]
    assert drift["ensemble"] == str(folder / "ensemble.yaml")
    check(folder, SECOND, [])
    assert told(watch) == [("job_ended", SECOND)]


def test_a_job_ends_with_its_journal(folder: Path) -> None:
    watch = JobWatch(str(folder))
    path = journal(folder, FIRST, DRIFT)
    record(folder, FIRST, "check")
    assert told(watch) == []
    close_journal(path)
    assert told(watch) == [("drift_found", FIRST), ("job_ended", FIRST)]


def test_there_must_be_an_ensemble(tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="nowhere"):
        JobWatch(str(tmp_path / "nowhere.yaml"))


def test_the_drift_is_that_of_the_last_job_that_looked(folder: Path) -> None:
    assert last_drift(folder) is None
    check(folder, FIRST, DRIFT)
    record(folder, SECOND)
    found = last_drift(folder)
    assert found is not None
    assert (found["job"], found["workflow"]) == (FIRST, "check")
    assert found["instances"] == [{"instance": "app", "changes": DRIFT}]
    check(folder, THIRD, [])
    assert last_drift(folder) == {**found, "job": THIRD, "instances": []}


# -- the event source of rulebooks ------------------------------------------------------------------------------------


@pytest.fixture
def source(repository: Path) -> Any:
    return load(repository / "extensions" / "eda" / "plugins" / "event_source" / "ensemble.py")


def test_a_rulebook_gets_the_events_that_it_asks_for(source: Any, folder: Path) -> None:
    async def listen(events: list[str]) -> list[str]:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        arguments = {"ensemble": str(folder), "events": events, "earlier": True, "interval": 0.01}
        running = asyncio.create_task(source.main(queue, arguments))
        try:
            first = (await queue.get())["event"]
            check(folder, SECOND, DRIFT)
            return [first, (await queue.get())["event"], (await queue.get())["event"]]
        finally:
            running.cancel()

    check(folder, FIRST, DRIFT)
    assert asyncio.run(listen(["job_ended", "drift_found"])) == ["drift_found", "job_ended", "drift_found"]


def test_a_history_that_cannot_be_read_now_may_be_readable_later(source: Any, folder: Path) -> None:
    async def listen(said: list[str]) -> list[str]:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        arguments = {"ensemble": str(folder), "interval": 0.01, "earlier": True}
        running = asyncio.create_task(source.main(queue, arguments))
        try:
            first = await queue.get()
            lines, aside = folder / "jobs.tsv", folder / "aside"
            lines.rename(aside)
            lines.mkdir()
            while not said and not running.done():
                await asyncio.sleep(0.01)
            lines.rmdir()
            aside.rename(lines)
            record(folder, SECOND)
            return [event["job"]["change_id"] for event in (first, await queue.get())]
        finally:
            running.cancel()

    record(folder, FIRST)
    said: list[str] = []
    source.logging.getLogger(source.__name__).addFilter(lambda line: said.append(line.getMessage()) or True)
    assert asyncio.run(listen(said)) == [FIRST, SECOND]
    assert len(said) == 1
    assert "jobs.tsv" in said[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs the argument ensemble"),
        ({"ensemble": []}, "needs the argument ensemble"),
        ({"ensemble": "x", "evnts": []}, "has no argument evnts: there are ensemble, events, interval, earlier"),
        ({"ensemble": "x", "events": "job_ended"}, "events of tosca.ensemble.ensemble must be a list"),
        ({"ensemble": "x", "events": ["job_begun"]}, "events of tosca.ensemble.ensemble must be a list"),
        ({"ensemble": "x", "interval": 0}, "interval of tosca.ensemble.ensemble must be"),
        ({"ensemble": "x", "interval": True}, "interval of tosca.ensemble.ensemble must be"),
        ({"ensemble": "x", "earlier": "no"}, "earlier of tosca.ensemble.ensemble must be true or false"),
        ({"ensemble": "nowhere.yaml"}, "nowhere.yaml"),
    ],
)
def test_wrong_arguments_are_named(source: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        asyncio.run(source.main(asyncio.Queue(), arguments))
