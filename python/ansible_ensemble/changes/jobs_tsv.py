"""`jobs.tsv`: a line for each job and task, for fast loading and merging without conflicts.

A line is a change id and then `key=value`, separated by tabs (docs/rules.md, "Generated files"). Lines are only ever
appended, and clones merge by union, so lines may come twice and in any order. A line that was torn by a crash stays as
it is; the job is then recorded again, and of the lines with one id the longest counts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.changes.record import ChangeRecord, JobRecord, escape, number, split_keys, unescape
from ansible_ensemble.core.changeid import is_change_id, is_job
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.atomic import append_durably

FILE_NAME = "jobs.tsv"


class JobsLine(Struct, frozen=True):
    """A line of `jobs.tsv`: a job or a task.

    Attributes:
        id: the change id.
        columns: the rest as it is written.
    """

    id: str
    columns: dict[str, str]

    @property
    def is_job(self) -> bool:
        """Whether it is a job's line."""
        return is_job(self.id)

    @property
    def previous_id(self) -> str:
        """The job before, or the task that changed the target before."""
        return self.columns.get("previousId", "")

    @property
    def status(self) -> str:
        """Status of the target, or of the ensemble, after it."""
        return self.columns.get("status", "")

    @property
    def target(self) -> str:
        """Key of what the task worked on."""
        return unescape(self.columns.get("target", ""))

    @property
    def operation(self) -> str:
        """Name of the task's operation, see `record.operation_name`."""
        return unescape(self.columns.get("operation", ""))

    @property
    def digest_keys(self) -> list[str]:
        """What the task read."""
        return split_keys(self.columns.get("digestKeys", ""))

    @property
    def digests(self) -> list[str]:
        """Digests of what it read, in the order of the keys; empty in Unfurl's lines."""
        return split_keys(self.columns.get("digests", ""))

    @property
    def digest_value(self) -> str:
        """Digest of all it read."""
        return self.columns.get("digestValue", "")

    @property
    def digest_put(self) -> list[str]:
        """Refs that it wrote."""
        return split_keys(self.columns.get("digestPut", ""))

    @property
    def values(self) -> dict[str, Any]:
        """Values of what it read, by reference: those that may be shown, and are short."""
        try:
            values = json.loads(unescape(self.columns.get("values", "{}")))
        except ValueError:  # torn
            return {}
        return values if isinstance(values, dict) else {}

    @property
    def seconds(self) -> float | None:
        """Wall time it took."""
        return number(self.columns.get("seconds"))


def append_job(path: Path, job: JobRecord, tasks: Iterable[ChangeRecord] = ()) -> None:
    """Append a job and its tasks, durably and all at once; lines that are there already are not appended again."""
    lines = [_line(job.change_id, _job_columns(job))]
    lines += (_line(task.change_id, _task_columns(task)) for task in tasks)
    stamp = job.change_id[:8]
    present = {line for line in _lines(path) if line.startswith(stamp)}
    whole = _ends_whole(path)
    block = "".join(line for line in lines if line[:-1] not in present)
    if block or not whole:
        append_durably(path, block if whole else "\n" + block)


def read_jobs(path: Path, wanted: Collection[str] | None = None) -> dict[str, JobsLine]:
    """Read the lines of the wanted ids (None: all) by id, in order; a file that is not there counts as empty."""
    ids = None if wanted is None else frozenset(wanted)
    lines: dict[str, str] = {}
    for line in _lines(path):
        change_id = line.partition("\t")[0]
        if (ids is None or change_id in ids) and len(line) > len(lines.get(change_id, "")):
            lines[change_id] = line
    return {change_id: _parse(lines[change_id]) for change_id in sorted(lines) if is_change_id(change_id)}


def latest_digests(path: Path) -> dict[tuple[str, str], JobsLine]:
    """The newest successful task with digests, by (target, operation); for change detection."""
    newest: dict[tuple[str, str], str] = {}
    for line in _lines(path):
        if "\tdigestValue=" in line and "\toutcome=" not in line:
            key = (_column(line, "target"), _column(line, "operation"))
            newest[key] = max(newest.get(key, ""), line, key=_age)
    return {(line.target, line.operation): line for line in map(_parse, newest.values()) if is_change_id(line.id)}


def collisions(path: Path) -> list[str]:
    """Ids that jobs of two clones share; lines of a job that was recorded twice have the same start."""
    begun: dict[str, str] = {}
    found = set()
    for line in _lines(path):
        change_id = line.partition("\t")[0]
        start = _column(line, "startTime") if is_change_id(change_id) and is_job(change_id) else ""
        other = begun.setdefault(change_id, start) if start else ""
        if not (start.startswith(other) or other.startswith(start)):  # a torn line has a part of it
            found.add(change_id)
    return sorted(found)


def last_job(path: Path) -> str | None:
    """The id of the newest job, None if there is none."""
    ids = (line.partition("\t")[0] for line in _lines(path))
    return max((change_id for change_id in ids if is_change_id(change_id) and is_job(change_id)), default=None)


def _age(line: str) -> tuple[str, int]:
    return line.partition("\t")[0], len(line)


def _column(line: str, key: str) -> str:
    _head, found, rest = line.partition(f"\t{key}=")
    return rest.partition("\t")[0] if found else ""


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise EnsembleError(f"cannot be read: {error.strerror}", Place(str(path))) from error
    yield from text.split("\n")


def _parse(line: str) -> JobsLine:
    change_id, *columns = line.rstrip("\r").split("\t")
    pairs = (column.partition("=") for column in columns)
    return JobsLine(change_id, {key: value for key, separator, value in pairs if separator})


def _line(change_id: str, columns: dict[str, str]) -> str:
    return "\t".join([change_id, *(f"{key}={value}" for key, value in columns.items() if value)]) + "\n"


def _job_columns(job: JobRecord) -> dict[str, str]:
    return {
        "previousId": job.previous_id,
        "status": job.status,
        "outcome": job.outcome if job.outcome != "ok" else "",
        "startTime": job.start_time,
        "endTime": job.end_time,
        "seconds": _seconds(job.seconds),
        "workflow": escape(job.workflow),
        "approvedBy": escape(job.approved_by),
        "specDigest": job.spec_digest,
        "startCommit": job.start_commit,
        "summary": _one_line(job.summary),
        "changelog": escape(job.changelog),
    }


def _task_columns(task: ChangeRecord) -> dict[str, str]:
    return {
        "previousId": task.previous_id,
        "status": task.status,
        "outcome": task.outcome if task.outcome != "ok" else "",
        "target": escape(task.target),
        "operation": escape(task.operation),
        "digestKeys": ",".join(map(escape, task.digest_keys)),
        "digestValue": task.digest_value,
        "digests": ",".join(task.digests),
        "digestPut": ",".join(map(escape, task.digest_put)),
        "values": _values(task),
        "seconds": _seconds(task.seconds),
        "summary": _one_line(task.summary),
    }


def _values(task: ChangeRecord) -> str:
    values = {one["ref"]: one["expected"] for one in task.dependencies if "expected" in one and "ref" in one}
    return escape(json.dumps(values, separators=(",", ":"), ensure_ascii=False, default=str)) if values else ""


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3f}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ends_whole(path: Path) -> bool:
    """Whether the file ends with a newline, or is empty."""
    try:
        with path.open("rb") as stream:
            if stream.seek(0, 2) == 0:
                return True
            stream.seek(-1, 2)
            return stream.read(1) == b"\n"
    except OSError:
        return True
