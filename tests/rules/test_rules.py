"""The cases of this folder: each plans a job, and where it says what is recorded or noted, runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.record import record_journal

HERE = Path(__file__).parent
CASES = sorted(path.parent for name in ("service.yaml", "ensemble.yaml") for path in HERE.glob(f"*/*/{name}"))


def without_ansible() -> NoReturn:
    pytest.fail("a case needs Ansible")


class Case:
    """A case in a folder of its own."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.source = source
        self.folder = folder
        shutil.copytree(source, folder)
        shutil.copy(HERE / "types.yaml", folder)
        self.job: dict[str, Any] = self.read("job.yaml") or {}
        before = self.read("before-status.yaml")
        if before is not None:
            ensemble = {
                "apiVersion": "tosca-ensemble/v1",
                "kind": "Ensemble",
                "spec": {"service_template": "service.yaml"},
                "status": before,
            }
            (folder / "ensemble.yaml").write_text(yaml.safe_dump(ensemble, sort_keys=False))

    def read(self, name: str) -> Any:
        file = self.source / name
        return yaml.safe_load(file.read_text()) if file.is_file() else None

    @property
    def location(self):
        ensemble = self.folder / "ensemble.yaml"
        return locate(ensemble if ensemble.is_file() else self.folder / "service.yaml")

    def plan(self, job: Mapping[str, Any]):
        options = JobOptions.from_mapping(job.get("options") or {})
        ensemble = read_recovered(self.location, options, write=True)
        return ensemble, plan_workflow(ensemble, job.get("workflow", "deploy"), options), options

    def run(self, job: Mapping[str, Any], planned: Any = None) -> dict[str, Any]:
        ensemble, plan, options = planned or self.plan(job)
        options.jobs = 1  # what runs side by side notes its names in any order
        _, journal = run_plan(ensemble, plan, options, without_ansible, show=lambda _: None)
        return record_journal(read_ensemble(self.location, options), journal)

    def prepare(self) -> None:
        """What came before: jobs, files, changes of the spec."""
        for job in self.job.get("before", []):
            self.run(job)
        for name, text in (self.job.get("files") or {}).items():
            (self.folder / name).write_text(text)
        service = self.folder / "service.yaml"
        for old, new in (self.job.get("edit") or {}).items():
            text = service.read_text()
            assert old in text, f"the service template has no {old!r} to edit"
            service.write_text(text.replace(old, new))
        for name in self.job.get("remove", []):
            (self.folder / name).unlink()
        (self.folder / "log").unlink(missing_ok=True)

    @property
    def log(self) -> list[str]:
        file = self.folder / "log"
        return file.read_text().splitlines() if file.is_file() else []


def instances(section: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded instances by name, at whatever depth they stand."""
    found: dict[str, Any] = {}
    for name, entry in (section.get("instances") or {}).items():
        found[name] = entry
        found.update(instances(entry))
    return found


def differences(expected: Any, actual: Any, at: str = "") -> list[str]:
    """How the actual data fails to hold the expected: `*` is anything but null, null is nothing at all."""
    if expected == "*":
        return [] if actual is not None else [f"{at} is missing"]
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return [line for key, value in expected.items() for line in differences(value, actual.get(key), f"{at}.{key}")]
    return [] if expected == actual else [f"{at}: expected {expected!r}, is {actual!r}"]


def plan_differences(expected: Mapping[str, Any], plan: Mapping[str, Any]) -> list[str]:
    """As `differences`, of a plan: the named instances must be all, and no others be excluded."""
    changes = {
        change["address"]: {**change, "actions": change["change"]["actions"]} for change in plan["resource_changes"]
    }
    excluded = {item["instance"]: item["reason"] for item in plan["excluded"]}
    found = []
    if "instances" in expected:
        found += differences(expected["instances"], changes, "instances")
        found += [f"{name} is planned: {changes[name]['reason']}" for name in changes.keys() - expected["instances"]]
    for name, reason in expected.get("excluded", {}).items():
        if reason not in excluded.get(name, ""):
            found.append(f"excluded.{name}: expected {reason!r}, is {excluded.get(name)!r}")
    if "excluded" in expected or "instances" in expected:
        found += [f"{name} is excluded: {excluded[name]}" for name in excluded.keys() - expected.get("excluded", {})]
    if "order" in expected and expected["order"] != (order := [one["key"] for one in plan["operations"]]):
        found.append(f"order: expected {expected['order']}, is {order}")
    for text in expected.get("warnings", []):
        if not any(text in warning for warning in plan["warnings"]):
            found.append(f"warnings: {text!r} is not among {plan['warnings']}")
    return found + differences(expected.get("summary", {}), plan["summary"], "summary")


@pytest.mark.parametrize("source", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_case(source: Path, tmp_path: Path) -> None:
    case = Case(source, tmp_path / "case")
    case.prepare()
    refusal = case.job.get("refused")
    if refusal is not None:
        with pytest.raises(EnsembleError) as error:
            case.plan(case.job)
        assert refusal in str(error.value)
        return
    planned = case.plan(case.job)
    expected_plan, expected_status = case.read("expect-plan.json"), case.read("expect-status.yaml")
    assert expected_plan is not None or expected_status is not None or "log" in case.job, "the case expects nothing"
    if expected_plan is not None:
        document = json.loads(planned[1].to_text())
        assert plan_differences(expected_plan, document) == []
    if expected_status is None and "log" not in case.job:
        return
    report = case.run(case.job, planned)
    assert report["job"]["success"] == case.job.get("success", True), report
    if "log" in case.job:
        assert case.log == case.job["log"]
    if expected_status is not None:
        recorded = yaml.safe_load((tmp_path / "case" / "ensemble.yaml").read_text())
        status = recorded["status"]
        expected = dict(expected_status)
        assert differences(expected.pop("instances", {}), instances(status)) == []
        assert differences(expected.pop("lastJob", {}), recorded.get("lastJob") or {}) == []
        assert differences(expected, status) == []
