"""The record of a job as YAML: committed in `changes/`, verbose in `jobs/` (docs/rules.md, "Generated files")."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.changes.record import ChangeRecord, JobRecord
from ansible_ensemble.core.changeid import timestamp
from ansible_ensemble.core.clock import file_time
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.yaml import read_yaml

CHANGES = "changes"
JOBS = "jobs"
#: Ending of a journal whose job is not recorded yet.
OPEN = ".journal"


class JobFile(Struct):
    """The record of a job and of its tasks, in the order of their change ids."""

    job: JobRecord
    tasks: list[ChangeRecord] = field(default_factory=list)


def job_file_name(job_id: str) -> str:
    """The name of a job's record without its ending: `job2024-01-31-23-33-37-A41VNXbB`."""
    return f"job{file_time(timestamp(job_id))}-{job_id[:8]}"


def write_job(
    folder: Path, job: JobRecord, tasks: Iterable[ChangeRecord], redactor: Redactor, *, manifest: str = "ensemble.yaml"
) -> list[Path]:
    """Write both copies of a job's record, secrets masked, and set the job's `changelog`.

    Returns:
        The committed copy and the verbose one.
    """
    name = job_file_name(job.change_id) + ".yaml"
    job.changelog = f"{CHANGES}/{name}"
    records = list(tasks)
    paths = []
    for subfolder, verbose in ((CHANGES, False), (JOBS, True)):
        path = folder / subfolder / name
        document = {
            "manifest": f"../{manifest}",
            "changes": [job.to_json(), *(record.to_json(verbose=verbose) for record in records)],
        }
        try:
            make_private(path.parent)
        except OSError as error:
            raise EnsembleError(f"cannot be made: {error.strerror}", Place(str(path.parent))) from error
        write_atomically(path, emit_yaml(_storable(redactor.data(document))), mode=0o600)
        paths.append(path)
    return paths


def read_job(path: Path) -> JobFile:
    """Read a job's record, ours or Unfurl's."""
    data = read_yaml(path).data
    records = data.get("changes") if isinstance(data, dict) else None
    if not isinstance(records, list):
        raise InvalidInput("this is not a record of a job", Place(str(path)), hint='it has no list "changes"')
    documents = [record for record in records if isinstance(record, dict) and "changeId" in record]
    jobs = [JobRecord.from_json(record) for record in documents if _is_job(record)]
    tasks = [ChangeRecord.from_json(record) for record in documents if not _is_job(record)]
    if isinstance(data.get("job"), dict):
        jobs.insert(0, JobRecord.from_json(data["job"]))
    if not jobs:
        raise InvalidInput("the record has no job", Place(str(path)))
    return JobFile(jobs[0], sorted(tasks, key=lambda task: task.change_id))


def _is_job(record: dict[str, Any]) -> bool:
    return "target" not in record and "implementation" not in record


def _storable(value: Any) -> Any:
    """The value in the types of YAML, as a tool may return anything."""
    if isinstance(value, Enum):
        return _storable(value.value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, dict):
        return {str(key): _storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_storable(item) for item in value]
    return str(value)
