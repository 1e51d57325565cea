"""Jobs that are killed while they work on objects of Kubernetes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import Run, command, start
from tests.integration.jobs.processes import read, wait_for, working_in
from tests.integration.kubernetes.cluster import Cluster

__all__ = ["command", "start"]

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    all:
      type: kubernetes.Manifest
      properties:
        namespace: killed
        wait: WAIT
        wait_timeout: 900
        definition:
          - {apiVersion: v1, kind: ConfigMap, metadata: {name: first}}
          - {apiVersion: v1, kind: ConfigMap, metadata: {name: second}}
"""
PROGRAM = "ansible_ensemble.kubernetes.service"


def test_a_killed_job_leaves_nothing_at_work_and_the_next_one_goes_on(
    command: Callable[..., Run],
    start: Callable[..., object],
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    cluster.kubectl("create", "namespace", "killed")
    folder = tmp_path / "ensemble"
    folder.mkdir()
    (folder / "service.yaml").write_text(SERVICE.replace("WAIT", "{field: .metadata.annotations.done}"))
    start("deploy", "--approve", "service.yaml", cwd=folder)
    wait_for(lambda: cluster.get("configmap", "first", "--namespace", "killed") is not None, "the first object")
    for process in filter(None, map(read, working_in(folder))):
        if PROGRAM not in process.command:
            process.kill()
    wait_for(lambda: not working_in(folder), "the end of the program that the job kept")
    assert cluster.get("configmap", "second", "--namespace", "killed") is None

    (folder / "service.yaml").write_text(SERVICE.replace("WAIT", "false"))
    done = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert done.code == 0, done.output
    assert cluster.get("configmap", "second", "--namespace", "killed") is not None
    undone = command("undeploy", "--approve", "service.yaml", cwd=folder)
    assert undone.code == 0, undone.output
    assert cluster.get("configmap", "first", "--namespace", "killed") is None
