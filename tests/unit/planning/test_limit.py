"""The limit of a job: web1 hosts app1 and, within that, page; web2 hosts app2; lone and tool are hosted on nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.lanes.host_patterns import host_matches
from ansible_ensemble.language.entities import EntityType, NodeTemplate, Topology
from ansible_ensemble.planning.context import PlannedInstance
from tests.unit.planning.topologies import interfaces, node, plan, relate, topology

COMPUTE = EntityType("node", "tosca.nodes.Compute")
ALL = "web1 app1 page web2 app2 lone other"


def sites() -> Topology:
    machines = [NodeTemplate(name, COMPUTE, interfaces=interfaces(["create"])) for name in ("web1", "web2")]
    services = [node(name, ["create"]) for name in ("app1", "page", "app2", "lone", "other")]
    app1, page, app2, lone, other = services
    relate(app1, machines[0], hosted=True)
    relate(page, app1, hosted=True)
    relate(app2, machines[1], hosted=True)
    relate(lone, other)
    return topology(*machines, *services)


def planned(pattern: str, **options: object) -> set[str]:
    return {change.instance for change in plan(sites(), limit=pattern, **options).instances}


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("lone", "lone"),
        ("web1", "web1 app1 page"),
        ("app1,lone", "app1 page lone"),
        ("web1:lone", "web1 app1 page lone"),
        ("web*", "web1 app1 page web2 app2"),
        ("~web[2-9]", "web2 app2"),
        ("*[0]", "web1 app1 page"),
        ("web1:!page", "web1 app1"),
        ("!web1", "web2 app2 lone other"),
        ("!web1:!nobody", "web2 app2 lone other"),
        ("web*:&template_app2", "app2"),
        ("template_app1", "app1 page"),
        ("localhost", "lone other"),
        ("all", ALL),
        ("*", ALL),
        ("all:!localhost", "web1 app1 page web2 app2"),
    ],
)
def test_a_pattern_names_instances_and_what_they_host(pattern: str, left: str):
    assert planned(pattern) == set(left.split())


@pytest.mark.parametrize(
    ("pattern", "left"), [("edge[1]", "b@edge2"), ("edge:!edge2", "a@edge1"), ("edge1", "a@edge1")]
)
def test_a_host_of_the_inventory_means_what_runs_there(pattern: str, left: str, monkeypatch: pytest.MonkeyPatch):
    """`a` and `b` have an instance on a host each, which is no instance itself."""
    inventory = InventoryManager(loader=DataLoader(), sources=None, parse=False)
    inventory.add_group("edge")
    for host in ("edge1", "edge2"):
        inventory.add_host(host, "edge")

    def matches(_: object, pattern: str, members: list[PlannedInstance]) -> object:
        return host_matches(pattern, [one.name for one in members], {}, inventory)

    monkeypatch.setattr("tests.unit.planning.topologies.ToldChanges.matches", matches)
    spec = topology(*(node(name, ["create"]) for name in ("a@edge1", "b@edge2", "lone")))
    assert {change.instance for change in plan(spec, limit=pattern).instances} == {left}


def test_a_file_of_patterns(tmp_path: Path):
    (tmp_path / "hosts").write_text("web2\nlone\n")
    assert planned(f"@{tmp_path / 'hosts'}") == {"web2", "app2", "lone"}


def test_the_filters_hold_together():
    assert planned("web1", instances=["app1", "app2"]) == {"app1"}


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("web3", 'no instance, host or group "web3"'),
        ("web1,web3", 'no instance, host or group "web3"'),
        ("web1:&nobody", 'no instance, host or group "nobody"'),
        ("web1:!web1", "leaves no instance"),
        ("x*", "leaves no instance"),
        (",", "names nothing"),
        (" , ", "names nothing"),
        ("@nowhere", "Unable to find limit file"),
    ],
)
def test_a_pattern_of_nothing_is_refused(pattern: str, message: str):
    with pytest.raises(InvalidInput) as refused:
        planned(pattern)
    assert message in str(refused.value)


def test_plain_names_of_instances_ask_no_inventory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr("tests.unit.planning.topologies.ToldChanges.matches")
    assert planned("web1,lone") == {"web1", "app1", "page", "lone"}
