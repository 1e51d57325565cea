"""What is known of a job while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.inspection import RunningPlan, running_plan
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.saved_plans import keep_plan
from tests.bench.services import tosca


def no_ansible() -> NoReturn:
    """Stands for the start of Ansible, which no operation here needs."""
    pytest.fail("Ansible was started")


def followed(folder: Path, options: JobOptions, *, kept: bool = True) -> RunningPlan | None:
    """What another terminal knows of a job with these options, whose plan is still kept or not."""
    tosca(folder, "independent", 2, '{className: Cmd, primary: "true"}')
    ensemble = read_ensemble(locate(folder / "service.yaml"), options)
    plan = plan_workflow(ensemble, "deploy", options)
    saved = keep_plan(plan.to_text(), ensemble.planned, locked=True)
    keep_plan(plan_workflow(ensemble, "undeploy", options).to_text(), ensemble.planned, locked=False)
    _outcome, journal = run_plan(ensemble, plan, options, no_ansible, show=lambda _line: None, plan_digest=saved.digest)
    if not kept:
        saved.path.unlink()
    return running_plan(str(folder / "service.yaml"), journal, {})


def test_a_journal_leads_to_its_plan(tmp_path: Path) -> None:
    found = followed(tmp_path, JobOptions(jobs=3))
    assert found is not None
    assert [one["instance"] for one in found.document["operations"]] == ["n0", "n1"]
    assert found.slots == 3


def test_the_number_of_parallel_operations_is_the_usual_one(tmp_path: Path) -> None:
    found = followed(tmp_path, JobOptions())
    assert found is not None
    assert found.slots == JobOptions().parallel


def test_without_its_plan_a_job_is_followed_all_the_same(tmp_path: Path) -> None:
    assert followed(tmp_path, JobOptions(), kept=False) is None
