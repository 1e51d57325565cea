"""Who approved a job."""

from __future__ import annotations

import pytest

from ansible_ensemble.projects.approval import APPROVED_BY, approver
from ansible_ensemble.projects.controller import ControllerJob
from ansible_ensemble.projects.lock import Lock
from ansible_ensemble.projects.process import Process

JOB = ControllerJob(42, "web deploy", "ann", "https://awx.example/#/jobs/playbook/42")


@pytest.mark.parametrize(
    ("environ", "job", "name"),
    [
        ({}, None, "joe@station"),
        ({}, JOB, "job 42 of AWX, template web deploy, launched by ann"),
        ({APPROVED_BY: "olga"}, None, "olga"),
        ({APPROVED_BY: "olga"}, JOB, "olga"),
        ({APPROVED_BY: ""}, None, "joe@station"),
        ({APPROVED_BY: "ol\udcffga"}, None, "ol\ufffdga"),
    ],
)
def test_a_job_is_approved_by(environ: dict[str, str], job: ControllerJob | None, name: str) -> None:
    held = Lock("ensemble.yaml", "1", "deploy", "joe@station", Process(1), "", "", job=job)
    assert approver(held, environ) == name
