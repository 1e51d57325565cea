"""What the next job makes of what a killed one left: torn, damaged and strange journals."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.commands import recover
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.journals import OPEN, RECORDED, TORN, create_journal, open_journals
from tests.rules.test_rules import HERE, Case

DEEP = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
node_types:
  Deep:
    derived_from: tosca.nodes.Root
    attributes: {x: {type: any}}
    interfaces: {Standard: {operations: {create: cat out.json}}}
topology_template:
  node_templates:
    deep: {type: Deep}
    web: {type: App}
"""


@pytest.fixture
def web(tmp_path: Path) -> Case:
    return Case(HERE / "deploy" / "new", tmp_path / "case")


def line(event: dict[str, Any]) -> bytes:
    """An event's line, as the journal writes it."""
    body = json.dumps({key: value for key, value in event.items() if key != "seq"}, separators=(",", ":"))
    begin, end = f'{{"seq":{event["seq"]},"crc":"', f'",{body[1:]}'
    return f"{begin}{zlib.crc32((begin + end).encode()):08x}{end}\n".encode()


def events_of(log: Path) -> list[dict[str, Any]]:
    """The events of a journal, without the process that carried its job out: it is this one."""
    events: list[dict[str, Any]] = [json.loads(text) for text in log.read_bytes().splitlines()]
    for event in events:
        del event["crc"]
        event.pop("process", None)
    return events


def killed(case: Case) -> tuple[Path, list[dict[str, Any]]]:
    """A job that ran and was not recorded: its journal, which this very process no longer carries out, and events."""
    case.run({"workflow": "check"})
    before = (case.folder / "ensemble.yaml").read_bytes()
    case.run({})
    [log] = [path for path in (case.folder / "jobs").glob(f"*{RECORDED}") if b'"deploy"' in path.read_bytes()]
    events = events_of(log)
    (case.folder / "ensemble.yaml").write_bytes(before)
    journal = log.with_name(log.name.removesuffix(RECORDED) + OPEN)
    log.rename(journal)
    return journal, events


@pytest.mark.parametrize("keep", [0, 1, -10, 0.01, 0.5], ids=["empty", "one byte", "header", "a little", "first event"])
def test_a_job_that_died_before_it_began_blocks_no_other(web: Case, keep: float) -> None:
    journal, events = killed(web)
    header, first = line(events[0]), line(events[1])
    torn = header + first[: int(len(first) * keep)] if isinstance(keep, float) else header[:keep] if keep else b""
    journal.write_bytes(torn)
    ensemble = read_recovered(web.location, JobOptions(), write=True)
    [told] = [text for text in ensemble.warnings if "died before it began and did nothing" in text]
    aside = journal.with_name(journal.name.removesuffix(OPEN) + TORN)
    assert aside.name in told
    assert aside.read_bytes() == torn
    assert open_journals(web.folder) == []
    assert web.run({})["job"]["success"]


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b'{"seq":0,"crc":"'])
def test_recover_says_so_in_a_line(web: Case, content: bytes) -> None:
    web.run({})
    (web.folder / "jobs" / f"job2026-01-01-00-00-00-A6110000{OPEN}").write_bytes(content)
    [text] = recover(str(web.folder), {})["freed"]
    assert text.startswith("Job A61100000000 died before it began and did nothing")
    assert recover(str(web.folder), {}) == {}


def test_what_is_there_is_recorded_when_the_beginning_is_lost(web: Case) -> None:
    journal, events = killed(web)
    journal.write_bytes(b"rubbish\n" + b"".join(map(line, events[2:])))
    report = recover(str(web.folder), {})
    assert report["job"]["id"] == journal.stem[-8:] + "0000"
    assert any("line is damaged" in text for text in report["warnings"])
    assert read_ensemble(web.location, JobOptions()).instances.by_name["web"].status.value == "ok"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"patches": [{"name": "web", "status": "fine"}]}, "patches[0].status is not one of"),
        ({"patches": 5}, "patches is not a list"),
        ({"reason": None}, "reason is not one of"),
        ({"ok": "yes"}, "ok is not true or false"),
        ({"time": "noon"}, "time is not a number"),
        ({"event": 7}, "it has no kind"),
        ({"outputs": json.loads("[" * 300 + "]" * 300)}, "it is nested too deep"),
    ],
)
def test_an_event_of_another_form_counts_as_lost_and_is_named(web: Case, change: Any, said: str) -> None:
    journal, events = killed(web)
    number = next(n for n, event in enumerate(events) if event["event"] == "finished" and "start" in event["key"])
    events[number] |= change
    journal.write_bytes(b"".join(map(line, events)))
    report = recover(str(web.folder), {})
    assert any(f"event {number} cannot be read: {said}" in text for text in report["warnings"]), report["warnings"]
    assert read_ensemble(web.location, JobOptions()).instances.by_name["web"].status.value == "unknown"


def test_a_journal_of_which_nothing_can_be_read_hides_no_other(web: Case) -> None:
    journal, events = killed(web)
    broken = journal.with_name(f"job2026-01-01-00-00-00-A6110000{OPEN}")
    broken.write_bytes(b"rubbish\nrubbish\n")
    journal.write_bytes(b"".join(map(line, events)))
    shown = read_recovered(web.location, JobOptions(), write=False)
    assert shown.instances.by_name["web"].status.value == "ok"
    assert any("A61100000000 is not included" in text for text in shown.warnings)
    with pytest.raises(EnsembleError, match=rf"{broken.name}: nothing of the journal can be read \(move it away"):
        recover(str(web.folder), {})
    assert open_journals(web.folder) == [broken]


@pytest.mark.parametrize("depth", [99, 100, 101, 300, 3000])
def test_what_is_nested_too_deep_fails_its_operation_alone(web: Case, depth: int) -> None:
    (web.folder / "service.yaml").write_text(DEEP)
    (web.folder / "out.json").write_text('{"x": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}")
    report = web.run({})
    tasks = {task["key"]: task for task in report["tasks"]}
    assert tasks["web:Standard.create"]["status"] == "ok"
    if depth <= 100:
        assert report["job"]["success"]
    else:
        assert "nested deeper than 100" in tasks["deep:Standard.create"]["error"]
    (web.folder / "out.json").write_text('{"x": 1}')
    assert web.run({})["job"]["success"]
    assert read_ensemble(web.location, JobOptions()).instances.by_name["deep"].status.value == "ok"


def test_an_integer_that_no_file_holds_fails_its_operation_alone(web: Case) -> None:
    service = DEEP.replace("create: cat out.json", "create: {implementation: cat out.json, outputs: {y: [SELF, x]}}")
    (web.folder / "service.yaml").write_text(
        service.replace("outputs:", "inputs: {outputsTemplate: {y: '{{ 10 ** 4200 * 10 ** 4200 }}'}}, outputs:")
    )
    (web.folder / "out.json").write_text("{}")
    report = web.run({})
    [task] = [task for task in report["tasks"] if task["key"] == "deep:Standard.create"]
    assert task["status"] == "error"
    assert "digits" in task["error"]
    assert read_ensemble(web.location, JobOptions()).instances.by_name["web"].status.value == "ok"


def test_jobs_of_two_clones_with_one_id_are_named(web: Case) -> None:
    web.run({})
    file = web.folder / "jobs.tsv"
    line = file.read_text().splitlines()[0]
    file.write_text(file.read_text() + line.replace("startTime=2", "startTime=3") + "\n")
    for write in (True, False):
        warnings = read_recovered(web.location, JobOptions(), write=write).warnings
        assert any(f"Two jobs have the id {line[:12]}" in text for text in warnings)
    assert any("Two jobs have the id" in text for text in recover(str(web.folder), {})["freed"])


@pytest.mark.parametrize("part", ["jobs/{}.events.jsonl", "changes/{}.yaml"])
def test_a_job_gets_no_id_of_another(web: Case, part: str) -> None:
    web.run({})
    job = next((web.folder / "changes").glob("job*.yaml")).stem
    for file in (*web.folder.glob("jobs/*"), *web.folder.glob("changes/*")):
        if file.relative_to(web.folder).as_posix() != part.format(job):
            file.unlink()
    with pytest.raises(EnsembleError, match=r"there is a job .*0000 already"):
        create_journal(web.folder, job[-8:] + "0000", {})


def test_files_that_killed_jobs_were_writing_are_removed_and_no_others(web: Case) -> None:
    journal, events = killed(web)
    journal.write_bytes(b"".join(map(line, events)))
    folder = web.folder
    for name in ("jobs", "changes", "active/artifacts"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    names = [".ensemble.yaml.0a1b2c3d.new", "jobs/.a.yaml.0a1b2c3d.new", "changes/.a.yaml.0a1b2c3d.new"]
    left = [folder / name for name in (*names, "active/artifacts/.templates.json.0a1b2c3d.new")]
    kept = [folder / name for name in (".ensemble.yaml.draft.new", ".other.yaml.0a1b2c3d.new", "changes/.notes.new")]
    for path in (*left, *kept):
        path.write_text("{}")
    web.run({})
    assert not [path for path in left if path.exists()]
    assert all(path.exists() for path in kept)
