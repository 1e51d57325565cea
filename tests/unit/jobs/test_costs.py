"""What a node costs, in numbers that do not depend on the machine: calls of Python functions, and processes.

A number that got smaller is written down here, so that it stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.record import record_job
from tests.bench.services import tosca

#: Calls for each node. More than a twentieth beyond is a failure.
MOST = {
    "read": 167,
    "plan": 520,
    "execute": 1971,
    "record": 1670,
    "read again": 461,
    "plan nothing": 125,
    "check": 2390,
}
#: Calls for each resource, a module with its arguments.
MOST_OF_RESOURCES = {"read": 819, "plan": 2254}
FEW, MANY = 10, 40
COMMAND = '{className: Cmd, primary: "true"}'
START = subprocess.Popen.__init__


class Costs:
    """Counts the calls of Python functions of each phase of a job, and the processes that it starts."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.processes = 0

    def of(self, phase: str, run: Callable[[], Any]) -> Any:
        count = 0

        def called(_frame: Any, event: str, _argument: Any) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            return run()
        finally:
            sys.setprofile(before)
            self.calls[phase] = count


def costs(folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> Costs:
    found, options = Costs(), JobOptions()
    folder.mkdir()
    tosca(folder, "independent", count, COMMAND)
    service = folder / "service.yaml"
    location = locate(service)

    def started(*arguments: Any, **named: Any) -> None:
        found.processes += 1
        START(*arguments, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", started)
    ensemble = found.of("read", lambda: read_ensemble(location, options))
    plan = found.of("plan", lambda: plan_workflow(ensemble, "deploy", options))
    _outcome, journal = found.of(
        "execute", lambda: run_plan(ensemble, plan, options, lambda: None, show=lambda _line: None)
    )
    report = found.of("record", lambda: record_job(ensemble, journal))
    assert report["summary"]["add"] == count
    location = locate(folder)
    ensemble = found.of("read again", lambda: read_ensemble(location, options))
    assert not found.of("plan nothing", lambda: plan_workflow(ensemble, "deploy", options)).operations
    check = f"interfaces: {{Install: {{operations: {{check: {{implementation: {COMMAND}}}}}}}, "
    service.write_text(service.read_text().replace("interfaces: {", check))
    ensemble = read_ensemble(location, options)
    found.of("check", lambda: checked(ensemble, options))
    return found


def checked(ensemble: Ensemble, options: JobOptions) -> None:
    plan = plan_workflow(ensemble, "check", options)
    assert plan.operations
    run_plan(ensemble, plan, options, lambda: None, show=lambda _line: None)


def test_a_node_costs_no_more_than_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    costs(tmp_path / "first", 1, monkeypatch)  # what is made once in a process
    few, many = (costs(tmp_path / str(count), count, monkeypatch) for count in (FEW, MANY))
    each = {phase: (many.calls[phase] - few.calls[phase]) / (MANY - FEW) for phase in MOST}
    assert {phase: calls for phase, calls in each.items() if calls > MOST[phase] * 1.05} == {}
    assert many.processes - few.processes == 2 * (MANY - FEW)  # one to make it, one to check it


def costs_of_resources(folder: Path, count: int) -> dict[str, int]:
    found, options = Costs(), JobOptions()
    folder.mkdir()
    nodes = {
        f"n{number}": {"module": "lineinfile", "args": {"path": f"f{number}", "line": "x"}, "hosts": ["localhost"]}
        for number in range(count)
    }
    body = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": nodes}}
    (folder / "service.yaml").write_text(json.dumps(body))
    ensemble = found.of("read", lambda: read_ensemble(locate(folder / "service.yaml"), options))
    assert len(found.of("plan", lambda: plan_workflow(ensemble, "deploy", options)).operations) == count
    return found.calls


def test_a_resource_costs_no_more_than_it_did(tmp_path: Path) -> None:
    costs_of_resources(tmp_path / "first", 1)
    few, many = (costs_of_resources(tmp_path / str(count), count) for count in (FEW, MANY))
    each = {phase: (many[phase] - few[phase]) / (MANY - FEW) for phase in MOST_OF_RESOURCES}
    assert {phase: calls for phase, calls in each.items() if calls > MOST_OF_RESOURCES[phase] * 1.05} == {}
