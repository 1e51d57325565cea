from __future__ import annotations

from enum import Enum
from pathlib import Path

import pytest

from ansible_ensemble.changes.job_record import job_file_name, read_job, write_job
from ansible_ensemble.changes.record import ChangeRecord, JobRecord, operation_name
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor, mark_sensitive

JOB = "A6BKKsK50000"

# as Unfurl 1.2 writes it
UNFURL = """\
manifest: ../ensemble.yaml
changes:
- changeId: A6BKKsK50000
  startTime: 2026-11-20-20-54-20-096546
  workflow: deploy
  options: {commit: true}
  summary: 2 tasks (2 changed, 2 ok, 0 failed, 0 blocked, 0 unknown, 0 skipped)
  readyState: {local: ok}
  changelog: changes/job2026-11-20-20-54-20-A6BKKsK5.yaml
- changeId: A6BKKsK50002
  previousId: A6BKKsK40002
  target: ::app
  priority: required
  readyState: {local: ok}
  implementation: {operation: configure, className: unfurl.configurators.shell.ShellConfigurator}
  reason: add
  inputs: {command: echo "configured 8080"}
  changes:
    ::app:
      url: http://localhost:8080
  dependencies:
  - ref: ::app::port
    expected: 8080
    required: true
  result: {returncode: 0, stdout: hi}
  digestKeys: command,::app::port
  digestValue: e1df2251
  digestPut: ::app::url
- changeId: A6BKKsK50003
  target: ::db
  implementation: {operation: configure}
  result: skipped
"""


class Colour(Enum):
    RED = "red"


def full_task() -> ChangeRecord:
    return ChangeRecord(
        "A6BKKsK50001",
        "::app",
        "configure",
        class_name="Shell",
        previous_id="A6BKKsK40001",
        status="ok",
        state="configured",
        reason="add",
        start_time="2026-11-20-20-54-20-100000",
        end_time="2026-11-20-20-54-21-100000",
        seconds=1.0,
        changed=True,
        inputs={"command": "echo"},
        changes={"::app": {"url": "u"}},
        dependencies=[{"ref": "::app::port", "expected": 8080}],
        outputs={"a": [1, None]},
        messages=["line\nline"],
        result={"rc": 0},
        digest_keys=["command", "a,b"],
        digests=["1", "2"],
        digest_value="12",
        digest_put=["::app::url"],
        summary="configure on app",
    )


def test_file_name() -> None:
    assert job_file_name(JOB) == "job2026-11-20-20-54-20-A6BKKsK5"


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    job = JobRecord(
        JOB,
        workflow="deploy",
        previous_id="A6BKKsK40000",
        start_time="2026-11-20-20-54-20-096546",
        end_time="2026-11-20-20-54-25-096546",
        seconds=5.0,
        options={"commit": True},
        summary="1 task",
        status="ok",
    )
    tasks = [full_task()]
    committed, verbose = write_job(tmp_path, job, tasks, Redactor())
    assert committed == tmp_path / "changes" / "job2026-11-20-20-54-20-A6BKKsK5.yaml"
    assert verbose == tmp_path / "jobs" / committed.name
    assert job.changelog == f"changes/{committed.name}"
    assert read_job(verbose).job == job
    assert read_job(verbose).tasks == tasks
    assert read_job(committed).tasks[0].result == {}
    assert "result" not in committed.read_text()


@pytest.mark.parametrize("outcome", ["ok", "error", "skipped", "blocked", "cancelled", "interrupted"])
def test_outcomes_are_read_back(tmp_path: Path, outcome: str) -> None:
    task = ChangeRecord("A6BKKsK50001", "::app", "configure", outcome=outcome)
    paths = write_job(tmp_path, JobRecord(JOB), [task], Redactor())
    assert [read_job(path).tasks[0].outcome for path in paths] == [outcome, outcome]


def test_no_secret_is_in_any_copy(tmp_path: Path) -> None:
    task = full_task()
    task.inputs = {"password": mark_sensitive("by-its-mark")}
    task.result = {"stdout": "it printed by-its-text and more", "by-its-text": 1}
    task.error = "failed with by-its-text"
    job = JobRecord(JOB, options={"inputs": {"p": mark_sensitive("by-its-mark")}}, summary="by-its-text")
    for path in write_job(tmp_path, job, [task], Redactor(["by-its-text"])):
        text = path.read_text()
        assert "by-its" not in text
        assert "<<REDACTED>>" in text


def test_whatever_a_tool_returns_can_be_written(tmp_path: Path) -> None:
    task = full_task()
    task.result = {"path": Path("/x"), "set": {1}, "enum": Colour.RED, 3: (1, 2), "bytes": b"\xff"}
    _, verbose = write_job(tmp_path, JobRecord(JOB), [task], Redactor())
    assert read_job(verbose).tasks[0].result == {
        "path": "/x",
        "set": [1],
        "enum": "red",
        "3": [1, 2],
        "bytes": "b'\\xff'",
    }


def test_unfurl_records_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(UNFURL)
    record = read_job(file)
    assert record.job.workflow == "deploy"
    assert record.job.options == {"commit": True}
    configure, skipped = record.tasks
    assert configure.class_name == "unfurl.configurators.shell.ShellConfigurator"
    assert configure.previous_id == "A6BKKsK40002"
    assert configure.changes == {"::app": {"url": "http://localhost:8080"}}
    assert configure.digest_keys == ["command", "::app::port"]
    assert configure.outcome == "ok"
    assert skipped.outcome == "skipped"


@pytest.mark.parametrize("text", ["[]", "a: 1", "changes: {}", "changes: []", "changes: [1, x]"])
def test_what_is_no_record_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=r"job\.yaml"):
        read_job(file)


def test_odd_values_in_a_record_count_as_empty(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(
        "changes:\n- {changeId: A6BKKsK50000, options: 3, readyState: x, seconds: soon}\n"
        "- {changeId: A6BKKsK50001, target: null, inputs: [], messages: x, dependencies: [1], changed: maybe}\n"
    )
    record = read_job(file)
    assert record.job == JobRecord(JOB)
    assert record.tasks == [ChangeRecord("A6BKKsK50001", "", "")]


@pytest.mark.parametrize(
    ("interface", "operation", "name"),
    [
        ("Standard", "configure", "configure"),
        ("Configure", "add_target", "add_target"),
        ("Install", "check", "check"),
        ("Backup", "check", "Backup.check"),
    ],
)
def test_operation_names(interface: str, operation: str, name: str) -> None:
    assert operation_name(interface, operation) == name
