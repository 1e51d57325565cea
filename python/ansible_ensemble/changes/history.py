"""The history of an ensemble as plain JSON documents: its jobs, a job with its tasks, a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.job_record import CHANGES, JOBS, JobFile, job_file_name, read_job
from ansible_ensemble.changes.jobs_tsv import FILE_NAME, JobsLine, last_job, read_jobs
from ansible_ensemble.changes.record import ChangeRecord, snake_case_keys, unescape
from ansible_ensemble.core.changeid import is_change_id, is_job, job_of
from ansible_ensemble.core.errors import InvalidInput


def history(folder: Path) -> list[dict[str, Any]]:
    """All jobs of an ensemble, oldest first, from `jobs.tsv` and the records of jobs that it lacks.

    Each is `{change_id, previous_id, workflow, approved_by, status, outcome, start_time, end_time, seconds, summary,
    start_commit, changelog, tasks}`, without what is unknown; `tasks` is a count.
    """
    lines = read_jobs(folder / FILE_NAME)
    counts = Counter(job_of(change_id) for change_id in lines if not is_job(change_id))
    jobs = {line.id: _job_line(line, counts[line.id]) for line in lines.values() if line.is_job}
    for path in (folder / CHANGES).glob("job*.yaml"):
        job_id = path.stem[-8:] + "0000"
        if not jobs.get(job_id, {}).get("workflow"):  # Unfurl's lines do not have it
            try:
                record = read_job(path)
            except InvalidInput as error:  # the others are shown anyway
                jobs.setdefault(job_id, {"changeId": job_id, "summary": str(error), "tasks": 0})
                continue
            jobs[record.job.change_id] = _job_document(record) | {"tasks": len(record.tasks)}
    return [snake_case_keys(jobs[job_id]) for job_id in sorted(jobs)]


def show_job(folder: Path, change_id: str) -> dict[str, Any]:
    """A job with the list of its `tasks`; from the verbose record if it is still there."""
    record = find_job(folder, change_id)
    if record is None:
        return _job_line(_line(folder, job_of(change_id)), 0) | {"tasks": []}
    return _job_document(record) | {"tasks": [snake_case_keys(task.to_json(verbose=True)) for task in record.tasks]}


def show_task(folder: Path, change_id: str) -> dict[str, Any]:
    """A task; from the verbose record of its job if it is still there."""
    record = find_job(folder, change_id)
    for task in record.tasks if record else ():
        if task.change_id == change_id:
            return task.to_json(verbose=True)
    line = _line(folder, change_id)
    return {"changeId": line.id, **line.columns, "target": line.target, "operation": line.operation}


def show(folder: Path, change_id: str) -> dict[str, Any]:
    """The job or task of this id."""
    return snake_case_keys(show_job(folder, change_id) if is_job(change_id) else show_task(folder, change_id))


def find_changes(folder: Path, change_ids: Iterable[str]) -> list[ChangeRecord]:
    """The recorded tasks of these ids, in the order in which they ran; a job's id means all of its tasks."""
    found: dict[str, ChangeRecord] = {}
    for change_id in change_ids:
        record = find_job(folder, change_id)
        tasks = (
            [task for task in record.tasks if change_id in (task.change_id, job_of(task.change_id))] if record else []
        )
        if record is None or not (tasks or is_job(change_id)):
            _line(folder, change_id)
            raise InvalidInput(f"the record of {change_id} is gone; only its line in {FILE_NAME} is left")
        found |= {task.change_id: task for task in tasks}
    return [found[change_id] for change_id in sorted(found)]


def find_job(folder: Path, change_id: str) -> JobFile | None:
    """The record of the job with this id, or of the job this task belongs to; None if no file holds it."""
    name = job_file_name(job_of(change_id)) + ".yaml"
    for subfolder in (JOBS, CHANGES):
        path = folder / subfolder / name
        if path.is_file():
            return read_job(path)
    return None


def newest_job(folder: Path) -> str | None:
    """The id of the newest job in `jobs.tsv`, the records and the journals; None if there is none."""
    names = (path.name.partition(".")[0] for part in (JOBS, CHANGES) for path in (folder / part).glob("job*-*"))
    found = [last_job(folder / FILE_NAME) or "", *(name[-8:] + "0000" for name in names)]
    return max((change_id for change_id in found if is_change_id(change_id)), default=None)


def _line(folder: Path, change_id: str) -> JobsLine:
    line = read_jobs(folder / FILE_NAME, (change_id,)).get(change_id) if is_change_id(change_id) else None
    if line is None:
        raise InvalidInput(f"there is no change {change_id!r}", hint="see `ansible-ensemble history`")
    return line


def _job_document(record: JobFile) -> dict[str, Any]:
    return _with_outcome(record.job.to_json())


def _with_outcome(job: dict[str, Any]) -> dict[str, Any]:
    """A job with the outcome `ok` where ours leaves that out; what Unfurl wrote has no end and says nothing."""
    return job | {"outcome": job.get("outcome", "ok")} if job.get("endTime") else job


def _job_line(line: JobsLine, tasks: int) -> dict[str, Any]:
    names = (
        "workflow",
        "approvedBy",
        "status",
        "outcome",
        "startTime",
        "endTime",
        "summary",
        "startCommit",
        "changelog",
    )
    texts = {"changeId": line.id, "previousId": line.previous_id}
    texts |= {name: line.columns.get(name, "") for name in names}
    texts |= {name: unescape(texts[name]) for name in ("workflow", "approvedBy", "changelog")}
    document: dict[str, Any] = _with_outcome({key: text for key, text in texts.items() if text})
    if line.seconds is not None:
        document["seconds"] = line.seconds
    return document | {"tasks": tasks}
