"""Adopting by hand, with the command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
topology_template:
  node_templates:
    app: {type: App}
"""


@pytest.fixture
def adopt(tmp_path: Path, command: Callable[..., Any]) -> Callable[..., Any]:
    (tmp_path / "service.yaml").write_text(SERVICE)
    return lambda *arguments: command("adopt", "--approve", "--ensemble", "service.yaml", *arguments)


def test_by_hand(tmp_path: Path, adopt: Callable[..., Any]) -> None:
    run = adopt("app", "--attribute", "url=http://here")
    assert run.code == 0, run.output
    recorded = yaml.safe_load((tmp_path / "ensemble.yaml").read_text())["status"]["instances"]["app"]
    assert recorded["attributes"] == {"url": "http://here"}
    assert recorded["readyState"] == {"local": "ok", "state": "started"}
    assert "created" not in recorded


@pytest.mark.parametrize(
    "arguments,code,words",
    [
        (["app", "--attribute", "port=1"], 3, 'has no attribute "port"'),
        (["nobody", "--attribute", "url=1"], 3, 'the spec has no instance "nobody"'),
        (["app", "b", "--attribute", "url=1"], 2, "--attribute needs exactly one instance"),
    ],
)
def test_refused(tmp_path: Path, adopt: Callable[..., Any], arguments: list[str], code: int, words: str) -> None:
    run = adopt(*arguments)
    assert (run.code, words in run.output) == (code, True), run.output
    assert not (tmp_path / "ensemble.yaml").exists()
