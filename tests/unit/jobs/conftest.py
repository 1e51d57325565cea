"""A job's tasks without a job: a service template is read and planned, and nothing runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.jobs.location import locate
from ansible_ensemble.jobs.options import JobOptions
from ansible_ensemble.jobs.plan import plan_workflow
from ansible_ensemble.jobs.read import read_ensemble
from ansible_ensemble.jobs.render import Renderer
from ansible_ensemble.jobs.settle import Settled
from ansible_ensemble.jobs.task import JobTask

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Machine:
    derived_from: tosca.nodes.Compute
  App:
    derived_from: tosca.nodes.Root
    properties:
      port: {type: integer, default: 80}
    requirements:
      - host: {capability: tosca.capabilities.Compute, relationship: tosca.relationships.HostedOn}
    attributes:
      url: {type: string}
      token: {type: string, metadata: {sensitive: true}}
    interfaces:
      Standard:
        operations:
          create: echo create
          configure:
            implementation: configure.sh
            inputs: {port: {get_property: [SELF, port]}}
            outputs: {address: [SELF, url], seen: [HOST, guest]}
          delete: echo delete
      Install:
        operations:
          check: echo check
topology_template:
  node_templates:
    machine: {type: Machine}
    app:
      type: App
      requirements: [host: machine]
"""


class Job:
    """The tasks of an ensemble's jobs."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.options = JobOptions(**options)
        self.ensemble = read_ensemble(locate(folder / "service.yaml"), self.options)
        self.renderer = Renderer(self.ensemble, self.options)

    @property
    def instances(self):
        return self.ensemble.instances

    def task(self, key: str, workflow: str = "deploy") -> JobTask:
        """The task that is planned under a key, ready to run."""
        planned = {
            operation.key: operation for operation in plan_workflow(self.ensemble, workflow, self.options).operations
        }
        return self.renderer.task(planned[key], "A0task000001")

    def record(self, settled: Settled) -> None:
        """Let patches count."""
        for patch in settled.patches:
            apply_patch(self.instances, patch)

    def instance(self, name: str, **status: Any) -> Instance:
        """Let there be an instance."""
        apply_patch(self.instances, {"name": name, "template": name, **status})
        return self.instances.by_name[name]


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., Job]:
    """Read the service template, or one that is given, in the test's folder."""

    def read(service: str = SERVICE, **options: Any) -> Job:
        (tmp_path / "service.yaml").write_text(service)
        (tmp_path / "configure.sh").write_text("#!/bin/sh\n")
        return Job(tmp_path, **options)

    return read
