"""Machines that are there already are used; those that operations make are created."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.jobs.inspection import status
from ansible_ensemble.jobs.planned import make_plan

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    web1: {type: tosca.nodes.Compute%s}
    app: {type: tosca.nodes.SoftwareComponent, requirements: [{host: web1}]}
"""
ENSEMBLE = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
    web1: {template: web1, readyState: {local: ok, state: created}, created: A6BKKsK50001}
    app: {template: app, readyState: {local: ok, state: created}, created: A6BKKsK50002}
"""


def planned(folder: Path, more: str) -> tuple[str, ...]:
    """What a plan says of the machine: its symbol, the reason of its step, and how many instances it adds and uses."""
    (folder / "service.yaml").write_text(SERVICE % more)
    document = make_plan(str(folder / "service.yaml"), "deploy", {}).document
    (change,) = [one for one in document["resource_changes"] if one["address"] == "web1"]
    reasons = {one["reason"] for one in document["operations"] if one["instance"] == "web1"}
    return (change["symbol"], *sorted(reasons), document["summary"]["add"], document["summary"]["use"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", ("=", "use", 1, 1)),
        (", interfaces: {Standard: {start: echo wake}}", ("=", "use", 1, 1)),
        (", interfaces: {Standard: {create: echo make}}", ("+", "add", 2, 0)),
        (", interfaces: {Standard: {configure: echo make}}", ("+", "add", 2, 0)),
        (", interfaces: {Standard: {delete: echo make}}", ("+", "add", 2, 0)),
    ],
)
def test_a_machine_that_no_operation_makes_is_used(tmp_path: Path, more: str, told: tuple[str, ...]) -> None:
    assert planned(tmp_path, more) == told


def test_a_host_whose_facts_are_read_is_used(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("tosca.nodes.Compute", "ansible.Host") % "")
    document = make_plan(str(tmp_path / "service.yaml"), "deploy", {"inventory": ["web1,"]}).document
    assert document["resource_changes"][0]["symbol"] == "="
    assert document["summary"]["add"] == 1


@pytest.mark.parametrize(("more", "used"), [("", True), (", interfaces: {Standard: {create: echo make}}", False)])
def test_status_and_graph_say_so(tmp_path: Path, more: str, used: bool) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE % more)
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    path = str(tmp_path / "ensemble.yaml")
    for instances in (status(path, {})["instances"], make_plan(path, "deploy", {}).with_instances()["instances"]):
        assert {one["name"]: one["used"] for one in instances} == {"web1": used, "app": False}


def test_it_is_taken_up_anew_where_it_is_to_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE % "")
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    document = make_plan(str(tmp_path / "ensemble.yaml"), "deploy", {"replace": ["web1"], "force": True}).document
    (change,) = [one for one in document["resource_changes"] if one["address"] == "web1"]
    assert (change["symbol"], change["reason"]) == ("=", "it is used again")
    assert {one["reason"] for one in document["operations"] if one["instance"] == "web1"} == {"use"}


def test_it_is_let_go_and_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE % "")
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    document = make_plan(str(tmp_path / "ensemble.yaml"), "undeploy", {}).document
    (change,) = [one for one in document["resource_changes"] if one["address"] == "web1"]
    assert (change["symbol"], change["reason"]) == (".", "it was used, not created")
    assert document["summary"]["destroy"] == 0


def test_what_an_earlier_job_could_not_take_up_is_used(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("tosca.nodes.Compute", "ansible.Host") % "")
    failed = ENSEMBLE.replace("{local: ok, state: created}", "{local: pending, state: configuring}", 1)
    (tmp_path / "ensemble.yaml").write_text(failed)
    document = make_plan(str(tmp_path / "ensemble.yaml"), "deploy", {"inventory": ["web1,"]}).document
    assert document["resource_changes"][0]["symbol"] == "="
    assert {one["reason"] for one in document["operations"] if one["instance"] == "web1"} == {"use"}
    assert (document["summary"]["add"], document["summary"]["use"]) == (0, 1)
