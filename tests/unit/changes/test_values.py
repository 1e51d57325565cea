"""Values of what an operation read are recorded beside the digests, as far as they are short."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.changes.jobs_tsv import append_job, read_jobs
from ansible_ensemble.changes.operations import RecordedOperations, is_brief
from ansible_ensemble.changes.record import ChangeRecord, JobRecord

VALUES = {
    "inventory::web1::port": 8080,
    "inventory::web1::word": "a\tb,c%=\nd",
    "group::db": ["db1"],
    "fact::h::f": None,
}


def test_they_are_read_as_they_were_written(tmp_path: Path):
    path = tmp_path / "jobs.tsv"
    told = [{"ref": "::app::port"}, *({"ref": ref, "expected": value} for ref, value in VALUES.items())]
    task = ChangeRecord("A6BNLwD90001", "::app", "configure", dependencies=told, digest_keys=["x"], digests=["1"])
    task.digest_value = "1"
    append_job(path, JobRecord("A6BNLwD90000"), [task])
    assert read_jobs(path)["A6BNLwD90001"].values == VALUES
    assert RecordedOperations(path).of("app")["Standard.configure"].values == VALUES
    assert len(path.read_text().splitlines()) == 2
    again = ChangeRecord.from_json(task.to_json())
    assert again.dependencies == told


def test_a_torn_line_has_none(tmp_path: Path):
    path = tmp_path / "jobs.tsv"
    path.write_text('A6BNLwD90001\ttarget=::app\toperation=configure\tvalues={"inventory::web1\n')
    assert read_jobs(path)["A6BNLwD90001"].values == {}


def test_what_is_long_is_not_recorded():
    assert is_brief({"a": 1})
    assert not is_brief("x" * 2000)
