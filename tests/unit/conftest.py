"""Short ways to load a template that stands in a test, and to have a job's tasks without a job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.engine.settle import Settled
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]

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


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load a template: its text without the version, and options of `load_topology`; `files` lie beside it."""

    def load_text(text: str, unfurl: bool = False, files: dict[str, str] | None = None, **options: Any) -> Topology:
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        version = "tosca_simple_unfurl_1_0_0" if unfurl else "tosca_simple_yaml_1_3"
        whole = f"tosca_definitions_version: {version}\n{text}"
        return load_topology(parse_yaml(whole, tmp_path / "service.yaml"), **options)

    return load_text
