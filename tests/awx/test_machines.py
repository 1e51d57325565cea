"""The machine half in AWX: machines are hosts, and a workflow of theirs runs once somebody has approved it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_ensemble.provision.client.settings import Settings, settings_from
from tests.awx.client import Object
from tests.awx.conftest import Site
from tests.integration.provision.controller import Agents
from tests.integration.provision.served import Served

pytestmark = pytest.mark.timeout(3600)

OBJECTS: tuple[tuple[str, Object], ...] = (
    ("tasks", {"Name": "hello", "Templates": [{"Name": "say", "Contents": "#!/bin/sh\ntrue\n"}]}),
    ("stages", {"Name": "greet", "Tasks": ["hello"]}),
    ("workflows", {"Name": "install", "Stages": ["greet"]}),
    ("machines", {"Name": "m1", "Address": "192.0.2.11"}),
    ("machines", {"Name": "m2", "Address": "192.0.2.12"}),
)
ANSWERS = {"provision_group": "m1", "provision_workflow": "install"}


@dataclass
class Rack:
    """The project with a server of machines beside it, and what the role makes for that."""

    site: Site
    server: Served
    settings: Settings
    variables: Object

    def machine(self, name: str) -> Object:
        found: Object = self.server("GET", f"/machines/Name:{name}")
        return found

    def launch(self, **answers: Any) -> Object:
        return self.site.awx.launch("rack machines", endpoint="workflow_job_templates", **ANSWERS | answers)

    def jobs(self, workflow: Object) -> dict[str, Object]:
        """The jobs of a workflow, by their templates."""
        nodes = self.site.awx.all(f"{workflow['url']}workflow_nodes/")
        jobs = [node["job"] for node in nodes if node["job"] and node["identifier"] != "approval"]
        return {job["name"]: job for job in (self.site.awx.ask(f"jobs/{one}/") for one in jobs)}


@pytest.fixture(scope="module")
def rack(web: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    server = Served(tmp_path_factory.mktemp("server"))
    for kind, given in OBJECTS:
        server("POST", f"/{kind}", given)
    certificate = server.data / "tls" / "server.crt"
    key = f"rocketskates:{server.password}"
    web.write(**{"rack.provision.yml": "plugin: tosca.ensemble.provision\n"})
    variables = {
        "awx_name": "rack",
        "awx_inventory": "",
        "awx_machine_credential": {"endpoint": server.base, "key": key, "ca": certificate.read_text()},
        "awx_machine_inventory": "rack.provision.yml",
        "awx_machine_workflows": ["install"],
        "awx_workflows": [],
        "awx_notification_type": "",
        "awx_check_schedule": "",
    }
    web.set_up(**variables, awx_update_secrets=True)
    settings = settings_from({}, endpoint=server.base, key=key, ca_file=str(certificate))
    yield Rack(web, server, settings, variables)
    server.stop()


def test_a_second_run_for_machines_changes_nothing(rack: Rack) -> None:
    changed, output = rack.site.set_up(**rack.variables)
    assert changed == 0, output


def test_machines_are_hosts_of_the_inventory(rack: Rack) -> None:
    awx = rack.site.awx
    source = awx.named("inventory_sources", "rack machines")
    updated = awx.ended(awx.ask(f"{source['url']}update/", {}), events=False)
    assert updated["status"] == "successful", awx.output(updated)
    hosts = {host["name"]: host for host in awx.all(f"{awx.named('inventories', 'rack inventory')['url']}hosts/")}
    assert {*hosts} == {"m1", "m2"}
    assert awx.ask(hosts["m1"]["related"]["variable_data"])["ansible_host"] == "192.0.2.11"


def test_a_workflow_that_is_denied_is_not_begun(rack: Rack) -> None:
    workflow = rack.launch()
    asked = rack.site.awx.approval(workflow)
    rack.site.awx.ask(f"{asked['url']}deny/", {})
    rack.site.awx.ended(workflow)
    assert {*rack.jobs(workflow)} == {"rack machines check"}
    assert rack.machine("m1")["Workflow"] == ""


def test_a_workflow_that_is_approved_is_begun_and_watched(rack: Rack) -> None:
    awx = rack.site.awx
    workflow = rack.launch()
    asked = awx.approval(workflow)
    [check] = rack.jobs(workflow).values()
    assert "changed: [m1]" in awx.output(check)
    assert rack.machine("m1")["Workflow"] == ""
    with Agents(rack.settings):
        awx.ask(f"{asked['url']}approve/", {})
        done = awx.ended(workflow)
    output = awx.output(rack.jobs(workflow)["rack machines run"])
    assert done["status"] == "successful", output
    assert "m1: complete" in output
    assert (rack.machine("m1")["Workflow"], rack.machine("m1")["WorkflowComplete"]) == ("install", True)
    assert rack.machine("m2")["Workflow"] == ""


def test_a_task_that_fails_is_told_and_tried_again(rack: Rack) -> None:
    with Agents(rack.settings, failing={"hello": "no disk is there"}):
        job, output = rack.site.attempt("rack machines run", **ANSWERS, provision_restart="true")
    assert job["status"] == "failed"
    assert "no disk is there" in output
    with Agents(rack.settings):
        _, output = rack.site.run("rack machines run", **ANSWERS, provision_resume="true")
    assert "m1: complete" in output


def test_the_key_of_the_server_is_in_nothing_that_awx_keeps(rack: Rack) -> None:
    rack.site.run("rack machines run", **ANSWERS)
    assert rack.site.kept(rack.server.password) == []


def test_absent_removes_what_is_for_machines(rack: Rack) -> None:
    variables = {key: value for key, value in rack.variables.items() if key != "awx_name"}
    rack.site.removes_all("rack", **variables)
