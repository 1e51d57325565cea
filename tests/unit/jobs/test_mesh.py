"""What a job with a mesh needs before it begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.jobs.run import run_plan

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    one: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: frobnicate --all}}}}
"""


def run(made: Any) -> None:
    plan = plan_workflow(made.ensemble, "deploy", made.options)
    run_plan(made.ensemble, plan, made.options, lambda: pytest.fail("this wants Ansible"), show=print)


def test_a_socket_alone_is_no_mesh(job, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the environment has no mesh .*section `mesh`"):
        run(job(SERVICE.replace("frobnicate", "echo"), mesh="/run/control.sock"))
    assert not [*tmp_path.glob("jobs/*")]


def test_a_job_does_not_begin_without_the_key_of_its_orders(job, tmp_path: Path) -> None:
    (tmp_path / "ensemble-project.yaml").write_text(
        "environments: {defaults: {mesh: {socket: s, key: nosuch, place: [{node: b}]}}}"
    )
    with pytest.raises(InvalidInput, match=r"nosuch: it cannot be read: .*ssh-keygen"):
        run(job(SERVICE))
    assert not [*tmp_path.glob("jobs/*.journal")]
