"""Jobs with the real Terraform, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.record import record_journal

Job = Callable[..., dict[str, Any]]


def without_ansible() -> NoReturn:
    pytest.fail("Terraform needs no Ansible")


def jobs_in(folder: Path) -> Job:
    """Runs jobs of the service template or ensemble in a folder, with its password file as the vault's."""

    def run(workflow: str = "deploy", **given: Any) -> dict[str, Any]:
        options = JobOptions.from_mapping({"vault_ids": [str(folder / "password")], **given})
        file = folder / "ensemble.yaml"
        location = locate(file if file.exists() else folder / "service.yaml")
        ensemble = read_ensemble(location, options)
        plan = plan_workflow(ensemble, workflow, options)
        _, journal = run_plan(ensemble, plan, options, without_ansible, show=lambda _: None)
        events = [json.loads(line) for line in journal.read_text().splitlines()]
        report = record_journal(read_ensemble(location, options), journal) if not options.check else {}
        return {**report, "events": events}

    return run


def instance(folder: Path, name: str = "stack") -> Mapping[str, Any]:
    """What the status says of an instance."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!vault", lambda loader, node: f"vault {loader.construct_scalar(node)[:15]}")
    status = yaml.load((folder / "ensemble.yaml").read_text(), Loader)["status"]
    found: Mapping[str, Any] = status["instances"][name]
    return found


def status(folder: Path, name: str = "stack") -> str:
    return str(instance(folder, name)["readyState"]["local"])


def finished(report: Mapping[str, Any]) -> dict[str, Any]:
    """The only operation that a job ran."""
    (event,) = [one for one in report["events"] if one["event"] == "finished"]
    found: dict[str, Any] = event
    return found


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
