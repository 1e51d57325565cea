"""The instances that node templates stand for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.scaling import instance_names, instance_number, is_asked_for, link_targets

Load = Callable[..., Topology]

SCALED = """
topology_template:
  node_templates:
    host: {type: Compute, count: %d}
    web_1: {type: SoftwareComponent, count: %d, requirements: [{host: host}]}
"""


@pytest.mark.parametrize(("count", "names"), [(0, []), (1, ["web_1"]), (3, ["web_1", "web_1_1", "web_1_2"])])
def test_names(load: Load, count: int, names: list[str]) -> None:
    template = load(SCALED % (1, count)).node_templates["web_1"]
    assert instance_names(template) == names
    assert [name for name in ("web_1", "web_1_1", "web_1_2", "web_1_3") if is_asked_for(template, name)] == names


@pytest.mark.parametrize(
    ("name", "number"),
    [("web_1", 0), ("web_1_7", 7), ("web", None), ("web_2", None), ("web_1_0", None), ("web_1_07", None), ("x", None)],
)
def test_number(load: Load, name: str, number: int | None) -> None:
    assert instance_number(load(SCALED % (1, 2)).node_templates["web_1"], name) == number


@pytest.mark.parametrize(
    ("hosts", "webs", "source", "targets"),
    [
        (2, 2, "web_1", ["host"]),
        (2, 2, "web_1_1", ["host_1"]),
        (2, 2, "web_1_2", ["host"]),
        (2, 3, "web_1_1", ["host", "host_1"]),
        (1, 1, "web_1", ["host"]),
        (0, 1, "web_1", []),
    ],
)
def test_link_targets(load: Load, hosts: int, webs: int, source: str, targets: list[str]) -> None:
    (relationship,) = load(SCALED % (hosts, webs)).node_templates["web_1"].requirements
    assert link_targets(relationship, source) == targets
