"""A plan says of what it repairs what was found of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.reports.plan_text import plan_text

SERVICE = "resources: {page: {playbook: up.yml}}\n"
ENSEMBLE = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
    page:
      template: page
      readyState: {local: error, state: configured}
      created: A6BN64gG0001
      lastConfigChange: A6BN64gG0001
"""
RECORD = """
changes:
  - {changeId: A6BN64lz0000, workflow: check}
  - {changeId: A6BN64lz0001, target: "::page", implementation: {operation: check}, error: "it would be changed\\nby it"}
"""
FAILED = """
changes:
  - {changeId: A6BN64gG0000, workflow: deploy}
  - {changeId: A6BN64gG0001, target: "::page", implementation: {operation: configure}, error: no disk, outcome: error}
"""
LINE = "A6BN64lz0001\ttarget=::page\toperation=check\tdigestKeys=.inputs\tdigests=1\tdigestValue=1\n"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, None),
        ({"changes/job2026-11-23-06-04-42-A6BN64gG.yaml": FAILED}, "configure failed: no disk"),
        (
            {"changes/job2026-11-23-06-04-47-A6BN64lz.yaml": RECORD, "jobs.tsv": LINE},
            "check found: it would be changed\n        by it",
        ),
        ({"changes/job2026-11-23-06-04-47-A6BN64lz.yaml": "]", "jobs.tsv": LINE}, None),
    ],
)
def test_a_repair_says_what_was_found(tmp_path: Path, files: dict[str, str], told: str | None) -> None:
    texts = {"service.yaml": SERVICE, "ensemble.yaml": ENSEMBLE, "up.yml": "- hosts: all\n", **files}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    made = make_plan(str(tmp_path), "deploy", {}).plan
    (change,) = made.instances
    assert (change.found is None) == (told is None)
    assert type(made).from_json(made.to_json()).instances == made.instances
    assert "found" not in json.loads(made.to_text())["resource_changes"][0], "a saved plan is what is carried out"
    lines = plan_text(made.to_json()).partition("(ansible.Playbook)\n")[2]
    assert lines.startswith(f"      {told}\n" if told else "      runs ")


def test_a_change_that_has_no_job_is_no_hindrance(tmp_path: Path) -> None:
    for name, text in {"service.yaml": SERVICE, "up.yml": "- hosts: all\n"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE.replace("lastConfigChange: A6BN64gG0001", "lastConfigChange: zzz"))
    (change,) = make_plan(str(tmp_path), "deploy", {}).plan.instances
    assert change.found is None
