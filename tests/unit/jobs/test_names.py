from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.jobs.names import names

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    db: {type: tosca.nodes.Root, interfaces: {Standard: {create: "true"}}}
    app: {type: tosca.nodes.Root, interfaces: {Standard: {configure: "true"}}}
  outputs: {url: {value: x}}
  workflows: {release: {steps: {one: {target: app, activities: [{call_operation: Standard.configure}]}}}}
"""


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("instances", ["db", "app"]),
        ("templates", ["db", "app"]),
        ("operations", ["Standard.configure", "Standard.create"]),
        ("outputs", ["url"]),
        ("jobs", []),
        ("changes", []),
    ],
)
def test_names(tmp_path: Path, kind: str, found: list[str]) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    assert names(str(tmp_path / "service.yaml"), kind) == found


def test_workflows_of_the_topology_come_first(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    assert names(str(tmp_path / "service.yaml"), "workflows")[:2] == ["release", "deploy"]


def test_an_ensemble_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EnsembleError):
        names(str(tmp_path / "none"), "instances")
