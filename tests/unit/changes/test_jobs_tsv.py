from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.changes.jobs_tsv import append_job, collisions, last_job, latest_digests, read_jobs
from ansible_ensemble.changes.record import ChangeRecord, JobRecord
from ansible_ensemble.core.errors import EnsembleError

# as Unfurl 1.2 writes it
UNFURL = (
    "A6BKKsK50000\tstatus=ok\tstartTime=2026-11-20-20-54-20-096546\tspecDigest=598c\tstartCommit=a779\t"
    "summary=2 tasks (2 changed)\tchangelog=changes/job2026-11-20-20-54-20-A6BKKsK5.yaml\n"
    "A6BKKsK50002\tpreviousId=\tstatus=ok\ttarget=::app\toperation=configure\tdigestKeys=command,::app::port\t"
    "digestValue=e1df\tdigestPut=::app::url\tsummary=configure on instance app\n"
)


def task(change_id: str, **fields: object) -> ChangeRecord:
    values: dict[str, object] = {"target": "::app", "operation": "configure", "digest_value": "d"} | fields
    return ChangeRecord(change_id, **values)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "jobs.tsv"


def test_a_missing_file_has_no_jobs(file: Path) -> None:
    assert read_jobs(file) == {}
    assert latest_digests(file) == {}
    assert last_job(file) is None


def test_unfurl_lines_are_read_as_they_are(file: Path) -> None:
    file.write_text(UNFURL)
    jobs = read_jobs(file)
    assert list(jobs) == ["A6BKKsK50000", "A6BKKsK50002"]
    assert jobs["A6BKKsK50000"].is_job
    line = jobs["A6BKKsK50002"]
    assert (line.target, line.operation, line.status) == ("::app", "configure", "ok")
    assert line.digest_keys == ["command", "::app::port"]
    assert line.digests == []
    assert line.digest_put == ["::app::url"]
    assert latest_digests(file)[("::app", "configure")].digest_value == "e1df"


def test_lines_are_in_unfurl_form(file: Path) -> None:
    job = JobRecord("A6BKKsK50000", status="ok", start_time="2026-11-20-20-54-20-096546", summary="1 task")
    append_job(file, job, [task("A6BKKsK50001", status="ok", digest_keys=["a", "b"], digests=["1", "2"], seconds=0.5)])
    assert file.read_text() == (
        "A6BKKsK50000\tstatus=ok\tstartTime=2026-11-20-20-54-20-096546\tsummary=1 task\n"
        "A6BKKsK50001\tstatus=ok\ttarget=::app\toperation=configure\tdigestKeys=a,b\tdigestValue=d\tdigests=1,2\t"
        "seconds=0.500\n"
    )


def test_a_job_without_tasks_is_one_line(file: Path) -> None:
    append_job(file, JobRecord("A6BKKsK50000", workflow="deploy", status="ok"))
    assert file.read_text().count("\n") == 1
    assert read_jobs(file)["A6BKKsK50000"].columns["workflow"] == "deploy"


@pytest.mark.parametrize(
    "name", ["a,b", "tab\there", "line\nbreak", "cr\rhere", "100%", "%2C", "%252C", "ünïcode", "a=b"]
)
def test_any_name_comes_back(file: Path, name: str) -> None:
    append_job(
        file, JobRecord("A6BKKsK50000"), [task("A6BKKsK50001", target=name, operation=name, digest_keys=[name, "x"])]
    )
    line = read_jobs(file)["A6BKKsK50001"]
    assert (line.target, line.operation, line.digest_keys) == (name, name, [name, "x"])
    assert list(latest_digests(file)) == [(name, name)]


def test_a_summary_stays_in_its_line(file: Path) -> None:
    append_job(file, JobRecord("A6BKKsK50000", summary="one\ttwo\nthree"))
    assert read_jobs(file)["A6BKKsK50000"].columns["summary"] == "one two three"


def test_only_wanted_lines_are_read(file: Path) -> None:
    file.write_text(UNFURL)
    assert list(read_jobs(file, ["A6BKKsK50002", "A00000000000"])) == ["A6BKKsK50002"]
    assert read_jobs(file, []) == {}


def test_merged_files_may_have_lines_twice_and_in_any_order(file: Path) -> None:
    file.write_text("".join(reversed(UNFURL.splitlines(keepends=True))) + UNFURL)
    assert list(read_jobs(file)) == ["A6BKKsK50000", "A6BKKsK50002"]


def test_recording_a_job_twice_changes_nothing(file: Path) -> None:
    file.write_text(UNFURL)
    job, tasks = JobRecord("A6BKKsK60000"), [task("A6BKKsK60001")]
    append_job(file, job, tasks)
    once = file.read_bytes()
    append_job(file, job, tasks)
    assert file.read_bytes() == once


def test_a_torn_line_is_completed_by_the_same_job_recorded_again(file: Path) -> None:
    job, tasks = JobRecord("A6BKKsK50000", summary="1 task"), [task("A6BKKsK50001", digest_value="0123456789abcdef")]
    append_job(file, job, tasks)
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        append_job(file, job, tasks)
        assert read_jobs(file)["A6BKKsK50001"].digest_value == "0123456789abcdef"
        assert latest_digests(file)[("::app", "configure")].digest_value == "0123456789abcdef"
        assert last_job(file) == "A6BKKsK50000"


@pytest.mark.parametrize(
    "text", ["\n\n", "garbage\n", "\x00\x00\n", "<<<<<<< ours\n", "A6BKKsK50001\n", "A6BKKsK50001\tx\n"]
)
def test_damaged_lines_do_no_harm(file: Path, text: str) -> None:
    file.write_text(text + UNFURL + text)
    assert read_jobs(file)["A6BKKsK50002"].digest_value == "e1df"
    assert ("::app", "configure") in latest_digests(file)
    assert last_job(file) == "A6BKKsK50000"


def test_windows_line_ends_are_read(file: Path) -> None:
    file.write_bytes(UNFURL.replace("\n", "\r\n").encode())
    assert read_jobs(file)["A6BKKsK50002"].columns["summary"] == "configure on instance app"


def test_the_newest_successful_task_has_the_digest(file: Path) -> None:
    append_job(file, JobRecord("A6BKKsK50000"), [task("A6BKKsK50001", digest_value="new")])
    append_job(file, JobRecord("A6BKKsK40000"), [task("A6BKKsK40001", digest_value="old")])
    append_job(file, JobRecord("A6BKKsK60000"), [task("A6BKKsK60001", digest_value="failed", outcome="error")])
    append_job(file, JobRecord("A6BKKsK70000"), [task("A6BKKsK70001", digest_value="other", operation="start")])
    digests = {key: line.digest_value for key, line in latest_digests(file).items()}
    assert digests == {("::app", "configure"): "new", ("::app", "start"): "other"}


def test_a_file_that_cannot_be_read_is_an_error_for_the_user(file: Path) -> None:
    file.mkdir()
    with pytest.raises(EnsembleError, match="cannot be read"):
        read_jobs(file)


def test_an_id_of_two_jobs_is_named(file: Path) -> None:
    line = "A6BKKsK50000\tstatus=ok\tstartTime=2026-11-20-20-54-20-096546\tsummary=1 task\n"
    file.write_text(line + line.replace("20-096546", "21-000001") + "A6BKKsK60000\tstartTime=2026\n")
    assert collisions(file) == ["A6BKKsK50000"]


@pytest.mark.parametrize("again", ["", "\tseconds=0.5", "\toutcome=error"])
@pytest.mark.parametrize("torn", [12, 13, 22, 40, 49])
def test_a_job_that_was_recorded_again_is_one(file: Path, torn: int, again: str) -> None:
    line = "A6BKKsK50000\tstatus=ok\tstartTime=2026-11-20-20-54-20-096546"
    file.write_text(f"{line[:torn]}\n{line}\n{line}{again}\n")
    assert collisions(file) == []
