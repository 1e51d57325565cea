"""A journal as it is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.engine.journal_entries import Blocked, Cancelled, Entry, Skipped, Waiting
from ansible_ensemble.execution.journal import Journal
from ansible_ensemble.records.job_journal import Folded, read_job_journal
from tests.unit.engine.entries import finished, job_finished, job_started, started

JOB = "A6BKKsK50000"
KEY = "a:Standard.create"


def written(folder: Path, *events: Entry | dict[str, Any], base: Any = None) -> Path:
    """The journal of a job that these entries were written to."""
    journal = Journal.create(folder / "job2026-01-01-00-00-00-A6BKKsK5.journal", JOB, base or {})
    for event in events:
        journal.append(event if isinstance(event, dict) else event.to_json())
    journal.close()
    return journal.path


def read(folder: Path, *events: Entry | dict[str, Any]) -> Folded:
    return read_job_journal(written(folder, job_started(), *events))


@pytest.mark.parametrize(
    ("endings", "ok"),
    [
        ([finished(KEY, ok=False), started(KEY, attempt=2), finished(KEY)], True),
        ([finished(KEY), started(KEY, attempt=2), finished(KEY, ok=False)], False),
        ([finished(KEY, ok=False), finished(KEY)], True),
    ],
)
def test_the_last_ending_of_an_operation_that_was_tried_again_counts(tmp_path: Path, endings: Any, ok: bool) -> None:
    folded = read(tmp_path, started(KEY), *endings)
    assert [(key, ending.ok) for key, ending in folded.endings.items()] == [(KEY, ok)]
    assert folded.interrupted == []
    assert folded.outcome.counts == {"succeeded" if ok else "failed": 1}


def test_an_operation_that_was_being_tried_again_has_no_ending(tmp_path: Path) -> None:
    again = started(KEY, attempt=2, time=20.0)
    folded = read(tmp_path, started(KEY), finished(KEY, ok=False), again)
    assert folded.endings == {}
    assert folded.interrupted == [again]
    assert folded.outcome.counts == {"interrupted": 1}


@pytest.mark.parametrize(
    "ending", [finished(KEY), Skipped(key=KEY, reason="r"), Blocked(key=KEY, by=()), Cancelled(key=KEY, reason=None)]
)
def test_each_ending_ends_its_operation(tmp_path: Path, ending: Any) -> None:
    folded = read(tmp_path, started(KEY), ending)
    assert (folded.endings, folded.interrupted) == ({KEY: ending}, [])


def test_what_waits_has_not_ended(tmp_path: Path) -> None:
    folded = read(tmp_path, started(KEY), Waiting(key=KEY, for_=("b",)))
    assert [begun.key for begun in folded.interrupted] == [KEY]


@pytest.mark.parametrize(
    ("entries", "ended", "seconds"),
    [
        ([], 10.0, 0.0),
        ([started(KEY, time=11.0), finished(KEY, time=12.5)], 12.5, 2.5),
        ([started(KEY, time=11.0), Skipped(key="b", reason="r")], 11.0, 1.0),
        ([started(KEY, time=7.0)], 7.0, 0.0),  # the clock was set back
        ([started(KEY, time=11.0), job_finished(time=7.0, seconds=4.0)], 7.0, 4.0),
    ],
)
def test_a_job_ends_with_what_tells_its_time_last(tmp_path: Path, entries: Any, ended: float, seconds: float) -> None:
    folded = read(tmp_path, *entries)
    assert (folded.end_time, folded.seconds) == (ended, seconds)


def test_a_job_without_an_end_was_killed(tmp_path: Path) -> None:
    made = tmp_path / "ended"
    made.mkdir()
    assert read(tmp_path).outcome.word == "interrupted"
    assert read_job_journal(written(made, job_started(), job_finished())).outcome.ok


def test_a_job_that_was_stopped_says_by_what(tmp_path: Path) -> None:
    outcome = read(tmp_path, job_finished(ok=False, stopped="no", signal=2, lost_lock=True)).outcome
    assert (outcome.word, outcome.stopped, outcome.signal, outcome.lost_lock) == ("stopped", "no", 2, True)


def test_what_is_of_another_form_is_lost_and_named_and_of_another_kind_passed_over(tmp_path: Path) -> None:
    strange: list[dict[str, Any]] = [{"event": "skipped", "key": KEY}, {"event": "new", "key": 7}]
    folded = read(tmp_path, started(KEY), *strange, finished(KEY))
    [damage] = folded.damage
    assert damage.endswith("event 3 cannot be read: it has no reason")
    assert [type(entry).__name__ for entry in folded.entries] == ["JobStarted", "Started", "Finished"]


@pytest.mark.parametrize("job", ["x", "A6BKKsK50001", "../../../etc"])
def test_a_job_of_another_id_than_jobs_have_is_lost_and_named(tmp_path: Path, job: str) -> None:
    folded = read_job_journal(written(tmp_path, job_started(job=job), started(KEY)))
    assert (folded.header.job, folded.header.time) == (JOB, 11.0)
    assert [text.partition("read: ")[2] for text in folded.damage] == [f"{job} is not an id of a job"]


def test_of_a_job_whose_beginning_is_lost_the_header_tells(tmp_path: Path) -> None:
    journal = written(tmp_path, started(KEY), base={"spec": "d"})
    assert read_job_journal(journal).header.base == {"spec": "d"}
    journal.unlink()
    assert read_job_journal(written(tmp_path, started(KEY), base={"spec": 7})).header.base == {}


def test_a_journal_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    journal = written(tmp_path)
    assert read_job_journal(journal).entries == []
    journal.write_bytes(b"rubbish\n")
    with pytest.raises(EnsembleError, match="nothing of the journal can be read"):
        read_job_journal(journal)
