"""A command line whose jobs room and runner are stand-ins that remember what they were asked."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import ansible_ensemble.jobs
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.main import execute
from ansible_ensemble.cli.session import Session
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.runner.playbook import RunnerResult

REPORTS = Path(__file__).parent.parent / "reports" / "data"


def read(name: str) -> Any:
    return json.loads((REPORTS / f"{name}.json").read_text(encoding="utf-8"))


class Stream(io.StringIO):
    """A stream that may be a terminal."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@dataclass
class FakeJob:
    document: dict[str, Any]
    report: dict[str, Any]
    id: str = "A6BKKsK50000"
    folder: Path = Path("jobs/A6BKKsK50000.runner")
    journal: Path = Path("jobs/A6BKKsK50000.journal")
    callback_folders: Sequence[Path] = ()
    playbook: str = "tosca.ensemble.deploy"
    finished_with: list[int | None] = field(default_factory=list)
    released: bool = False
    finish_error: Exception | None = None
    slots: int = 4

    def usual_seconds(self) -> dict[str, float]:
        return {}

    def save(self) -> Mapping[str, Any]:
        return {"ensemble": "ensemble.yaml"}

    def finish(self, interrupted_by: int | None = None) -> dict[str, Any]:
        self.finished_with.append(interrupted_by)
        if self.finish_error:
            raise self.finish_error
        return self.report

    def __enter__(self) -> FakeJob:
        return self

    def query(self, expression: str) -> Any:
        if expression == "bad[":
            raise InvalidInput("bad[ is not a path")
        return {"of": expression}

    def __exit__(self, *_: object) -> None:
        self.released = True


@dataclass
class FakePlan:
    document: dict[str, Any]
    saved: list[Path] = field(default_factory=list)

    predicted: list[Any] = field(default_factory=list)
    wanted_again: list[str] = field(default_factory=list)

    def save(self, path: Path) -> None:
        self.saved.append(path)

    def with_instances(self) -> dict[str, Any]:
        return {**self.document, "instances": [{"name": "db", "status": "ok", "state": "started", "needs": []}]}

    def predict(self, report: Any) -> None:
        self.predicted.append(report)


class FakeJobs:
    """Stands for `commands`, `inspection` and `planned` of `ansible_ensemble.jobs`."""

    def __init__(self) -> None:
        self.plan = FakePlan(read("plan"))
        self.job = FakeJob(read("plan"), read("job-ok"))
        self.calls: list[tuple[Any, ...]] = []
        self.raises: BaseException | None = None

    def _called(self, *call: Any) -> None:
        self.calls.append(call)
        if self.raises is not None:
            raise self.raises

    def make_plan(self, ensemble, workflow, options):
        self._called("make_plan", ensemble, workflow, dict(options))
        return self.plan

    def prepare_job(self, ensemble, workflow, options):
        self._called("prepare_job", ensemble, workflow, dict(options))
        return self.job

    def prepare_saved_plan(self, plan, workflow, options, loaded=None):
        self._called("prepare_saved_plan", plan, workflow, dict(options))
        return self.job

    def prepare_replay(self, ensemble, changes, options):
        self._called("prepare_replay", ensemble, list(changes), dict(options))
        return self.job

    def prepare_rollback(self, ensemble, job, options):
        self._called("prepare_rollback", ensemble, job, dict(options))
        return self.job

    def import_playbooks(self, playbooks, options):
        self._called("import_playbooks", list(playbooks), dict(options))
        entry = {"file": "/a.yml", "line": 3, "name": "x", "play": "p", "becomes": "resource", "node": "x"}
        entries = [{**entry, "why": "", "undo": "file with state absent", "no_undo": ""}]
        return {
            "folder": "/",
            "files": ["ensemble.yaml"],
            "problems": [],
            "remarks": [],
            "entries": entries,
            "counts": {"resource": 1},
        }

    def adopt(self, ensemble, instance, attributes):
        self._called("adopt", ensemble, instance, dict(attributes))
        return {"adopted": instance, "attributes": dict(attributes)}

    def query(self, ensemble, expression, instance, options):
        self._called("query", ensemble, expression, instance, dict(options))
        return "http://localhost:8080"

    def status(self, ensemble, options):
        self._called("status", ensemble, dict(options))
        return read("status")

    def outputs(self, ensemble, options):
        self._called("outputs", ensemble, dict(options))
        return {"url": "http://localhost:8080", "ports": [80, 443]}

    def output(self, ensemble, name, options):
        self._called("output", ensemble, name, dict(options))
        found = {"url": "http://localhost:8080", "ports": [80, 443]}
        if name not in found:
            raise InvalidInput(f'there is no output "{name}"', hint=nearest(name, list(found)))
        return found[name]

    def validate(self, paths, options, *, part=False, expand=False):
        self._called("validate", list(paths), dict(options))
        files = [
            {
                "path": path,
                "file": f"{path}.yaml",
                "counts": {"node_templates": 2, "inputs": 0, "policies": 1},
                "missing_inputs": [],
                "errors": [{"text": f"{path}:1:1: it is wrong"}] if "bad" in path else [],
                "warnings": [],
                **({"expanded": {"description": path}} if expand else {}),
            }
            for path in paths
        ]
        return {"valid": not any(file["errors"] for file in files), "files": files}

    def migrate(self, path, options, *, write=False):
        self._called("migrate", path, write, dict(options))
        outcome = "understood" if path == "." else path
        listed = {"file": "s.yaml", "version": "", "outcome": outcome, "findings": []}
        return {"path": path, "outcome": outcome, "files": [listed], "diff": "", "written": []}

    def history(self, ensemble, options, *, limit=None):
        self._called("history", ensemble, options, limit)
        return {"jobs": read("history")["jobs"][:limit]}

    def show(self, ensemble, change_id, options):
        self._called("show", ensemble, change_id, options)
        return read("history")["job" if change_id.endswith("0000") else "task"]

    def recover(self, ensemble, options):
        self._called("recover", ensemble, options)
        return {}

    def unlock(self, ensemble, lock_id, options):
        self._called("unlock", ensemble, lock_id, options)
        return {"ID": lock_id}

    def forget(self, ensemble, instances, options):
        self._called("forget", ensemble, list(instances), options)
        return {"forgotten": list(instances)}

    def init(self, folder, ci):
        self._called("init", folder, ci)
        project = str(folder.parent) if folder.parent.name else None
        return {"folder": str(folder), "project": project, "files": ["ensemble.yaml"]}

    def clone(self, source, folder):
        self._called("clone", source, folder)
        return {"folder": "copy", "ensembles": ["copy/ensemble.yaml"]}


@dataclass
class Outcome:
    code: int
    out: str
    err: str


class CommandLine:
    """Runs commands; tests set what it meets before and read what it did after."""

    def __init__(self) -> None:
        self.jobs = FakeJobs()
        self.environment: dict[str, str] = {}
        self.stdin = ""
        self.terminal = False
        self.passwords: list[str] = []
        self.playbooks: list[tuple[str, dict[str, Any]]] = []
        self.result = RunnerResult(rc=0, status="successful", artifacts=Path("artifacts"))
        self.lines: Sequence[str] = ()
        self.password_files: dict[str, str] = {}

    def _run_playbook(self, playbook: str, **options: Any) -> RunnerResult:
        self.playbooks.append((playbook, copy.copy(options)))
        for word in options["cmdline"]:
            path = Path(word.rpartition("@")[2])
            if path.name.startswith("password"):
                self.password_files[word] = path.read_text(encoding="utf-8")
        for line in self.lines:
            options["show"](line)
        return self.result

    def __call__(self, *words: str) -> Outcome:
        streams = [Stream(self.stdin), Stream(), Stream()]
        for stream in streams:
            stream.terminal = self.terminal
        answers = iter(self.passwords)
        console = Console(*streams, self.environment, ask_password=lambda _: next(answers))
        session = Session(console, run_playbook=self._run_playbook)
        code = execute(words, session)
        return Outcome(code, streams[1].getvalue(), streams[2].getvalue())


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = CommandLine()
    for name in ("commands", "inspection", "planned"):
        monkeypatch.setattr(ansible_ensemble.jobs, name, line.jobs, raising=False)
    return line


@pytest.fixture
def saved_plan(tmp_path: Path) -> Path:
    """A plan of nothing, beside the ensemble that it is of."""
    ensemble = tmp_path / "ensemble.yaml"
    ensemble.write_text("kind: Ensemble\n")
    file = tmp_path / "plan.json"
    file.write_text(Plan("deploy", str(ensemble)).to_text())
    return file


@pytest.fixture
def report() -> Any:
    return read
