"""Where journals are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.records.journals import (
    close_journal,
    create_journal,
    drop_dry_runs,
    is_empty,
    job_log,
    job_of_journal,
    open_journals,
    put_aside,
)

JOB = "A6BKKsK50000"


def created(folder: Path, job: str = JOB) -> Path:
    journal = create_journal(folder, job, {})
    journal.close()
    return journal.path


def test_a_journal_is_open_until_its_job_is_recorded(tmp_path: Path) -> None:
    journal = created(tmp_path)
    assert (open_journals(tmp_path), job_of_journal(journal)) == ([journal], JOB)
    close_journal(journal)
    assert (open_journals(tmp_path), job_log(tmp_path, JOB).is_file()) == ([], True)


def test_the_oldest_job_comes_first_whatever_the_clock_said(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    names = ["job2026-01-02-00-00-00-A6110000.journal", "job2026-01-01-00-00-00-A6120000.journal"]
    for name in reversed(names):
        (folder / name).touch()
    assert [path.name for path in open_journals(tmp_path)] == names


@pytest.mark.parametrize("ending", [".events.jsonl", ".torn"])
def test_what_is_put_away_is_no_open_journal(tmp_path: Path, ending: str) -> None:
    journal = created(tmp_path)
    (close_journal if ending == ".events.jsonl" else put_aside)(journal)
    assert open_journals(tmp_path) == []
    assert [path.name.endswith(ending) for path in (tmp_path / "jobs").iterdir()] == [True]


def test_a_journal_of_a_dry_run_goes(tmp_path: Path) -> None:
    created(tmp_path)
    drop_dry_runs(tmp_path)
    assert open_journals(tmp_path) == []


def test_an_id_is_given_once(tmp_path: Path) -> None:
    close_journal(created(tmp_path))
    with pytest.raises(EnsembleError, match=f"there is a job {JOB} already"):
        create_journal(tmp_path, JOB, {})


@pytest.mark.parametrize(
    ("content", "empty"),
    [
        (b"", True),
        (b'{"seq":0,"cr', True),
        (b'{"seq":0,"cr\n', False),  # it was damaged where more may have followed
        (b"rubbish\nrubbish", False),
    ],
)
def test_a_journal_is_empty_if_nothing_but_a_torn_end_is_there(tmp_path: Path, content: bytes, empty: bool) -> None:
    journal = tmp_path / "x.journal"
    journal.write_bytes(content)
    assert is_empty(read_journal(journal)) is empty
    assert is_empty(read_journal(created(tmp_path)))
