"""Machines as nodes of a topology: deployed, checked, changed, undeployed by jobs, with the field's agent on them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.provision.processjobs import Agent
from tests.integration.provision.served import COMMAND, PATIENCE, Served
from tests.integration.provision.wire import Wire

SECRET = "hunter2-is-secret"
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    greeting: {type: string, default: hello}
    password: {type: string, default: SECRET, metadata: {sensitive: true}}
  node_templates:
    web:
      type: tosca.ensemble.Machine
      properties:
        workflow: WORKFLOW
        params: {greeting: {get_input: greeting}, password: {get_input: password}}
        MORE
      capabilities: {endpoint: {properties: {connection: local}}}
    app:
      type: tosca.nodes.SoftwareComponent
      requirements: [{host: web}]
      interfaces:
        Standard:
          operations:
            configure:
              implementation: echo "$machine $stage" > app.txt
              inputs: {machine: {get_attribute: [HOST, uuid]}, stage: {get_attribute: [HOST, stage]}}
"""
TASKS = {
    "inventory": "echo inventory",
    "greet": 'echo {{.Param "greeting"}} {{.Param "password"}}; until [ -s {{.Param "code"}} ]; do sleep 0.1; done; '
    'exit $(cat {{.Param "code"}})',
    "boot": "echo up",
    "clean": "echo gone",
}
STAGES = {
    "discover": {"Tasks": ["inventory"]},
    "setup": {"Tasks": ["greet"]},
    "second": {"Tasks": ["boot"], "BootEnv": "other"},
    "cleanup": {"Tasks": ["clean"]},
}
WORKFLOWS = {
    "install": ["discover", "setup"],
    "reboot": ["discover", "second"],
    "quick": ["discover"],
    "remove": ["cleanup"],
}


class Estate:
    """A server with content, a project, and an agent that boots again whenever it ends.

    Attributes:
        code: the exit code that the task greet ends with.
    """

    def __init__(self, server: Served, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.code = folder / "code"
        self.code.write_text("0")
        server("POST", "/params", {"Name": "password", "Secure": True})
        server("PATCH", "/profiles/global", [{"op": "add", "path": "/Params/code", "value": str(self.code)}])
        server("POST", "/bootenvs", {"Name": "other"})
        for name, script in TASKS.items():
            templates = [{"Name": "script", "Contents": f"#!/bin/sh\n{script}\n"}]
            server("POST", "/tasks", {"Name": name, "Templates": templates})
        for name, fields in STAGES.items():
            server("POST", "/stages", {"Name": name, **fields})
        for name, stages in WORKFLOWS.items():
            server("POST", "/workflows", {"Name": name, "Stages": stages})
        self.write()

    def write(self, more: str = "", workflow: str = "install") -> None:
        """The topology, with more properties of the machine."""
        (self.folder / "service.yaml").write_text(
            SERVICE.replace("SECRET", SECRET).replace("MORE", more).replace("WORKFLOW", workflow)
        )
        ensemble = {"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": {"service_template": "service.yaml"}}
        if not (self.folder / "ensemble.yaml").exists():
            (self.folder / "ensemble.yaml").write_text(json.dumps(ensemble))

    @property
    def environment(self) -> dict[str, str]:
        """How the command finds the server."""
        return {
            **os.environ,
            "RS_ENDPOINT": self.server.base,
            "RS_KEY": f"rocketskates:{self.server.password}",
            "SSL_CERT_FILE": str(self.server.data / "tls" / "server.crt"),
            "ANSIBLE_NOCOLOR": "1",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *words],
            cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    async def run(self, *words: str, code: int = 0) -> str:
        """What a command prints."""
        process = self.start(*words)
        printed, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE * 5)
        assert process.returncode == code, printed
        assert SECRET not in printed
        return printed

    async def deploy(self, *words: str, code: int = 0) -> str:
        return await self.run("deploy", "--approve", *words, "ensemble.yaml", code=code)

    def machine(self) -> Any:
        return self.server("GET", "/machines/Name:web")

    async def boots(self) -> None:
        """Be the machine: an agent that begins anew whenever it ends, after what booting does."""
        async with Wire(self.server.base, key=f"rocketskates:{self.server.password}") as wire:
            while not await wire.call("GET", "machines?Name=web"):
                await asyncio.sleep(0.05)
            for number in range(99):
                state = self.folder / f"state{number}"
                state.mkdir()
                await wire.call("PATCH", "machines/Name:web", [{"op": "replace", "path": "/Runnable", "value": True}])
                await Agent(wire, "Name:web", state, oneshot=False, pause=0.2).run()


@pytest.fixture
def estate(serve: Callable[..., Served], tmp_path: Path) -> Estate:
    folder = tmp_path / "project"
    folder.mkdir()
    return Estate(serve(), folder)


@pytest.fixture
def living(estate: Estate) -> Iterator[Callable[[Callable[[], Awaitable[None]]], None]]:
    """Run steps while the machine lives."""

    def lived(steps: Callable[[], Awaitable[None]]) -> None:
        async def whole() -> None:
            life = asyncio.create_task(estate.boots())
            try:
                await steps()
            finally:
                life.cancel()
                await asyncio.gather(life, return_exceptions=True)

        asyncio.run(whole())

    yield lived
    for file in estate.folder.rglob("*"):  # nothing that a job leaves holds the secret
        if file.is_file() and file.name != "service.yaml":
            assert SECRET.encode() not in file.read_bytes(), file


@pytest.mark.matrix
def test_a_machine_is_deployed_checked_repaired_changed_and_undeployed(estate: Estate, living: Any) -> None:
    estate.write("undeploy_workflow: remove", workflow="reboot")

    async def steps() -> None:
        said = await estate.deploy()
        assert "web: create: created machine web" in said
        for line in ("inventory (1 of 2)", "reboots into other", "boot (2 of 2)"):
            assert f"web: configure: {line}" in said
        machine = estate.machine()
        assert (machine["Workflow"], machine["WorkflowComplete"], machine["BootEnv"]) == ("reboot", True, "other")
        assert (estate.folder / "app.txt").read_text() == f"{machine['Uuid']} second\n"
        jobs = estate.server("GET", "/jobs")
        assert "nothing to do" in await estate.deploy()
        assert estate.server("GET", "/jobs") == jobs

        changed = {"greeting": "bye", "password": "another"}
        operations = [{"op": "replace", "path": f"/Params/{name}", "value": value} for name, value in changed.items()]
        estate.server("PATCH", "/machines/Name:web", operations)
        said = await estate.run("check", "ensemble.yaml")
        assert "check: params.greeting is bye, not hello" in said
        assert "check: params.password is another one" in said
        assert "current_params: {greeting: hello} -> {greeting: bye}" in said
        assert "params.greeting: bye -> hello" in await estate.deploy("--repair", "degraded", "--check")
        assert estate.machine()["Params"]["greeting"] == "bye", "a dry run changes nothing"

        await estate.deploy("--repair", "degraded", "--input", "greeting=hi")
        assert estate.machine()["Params"]["greeting"] == "hi"
        history = [job["Task"] for job in estate.server("GET", "/jobs?sort=StartTime")]
        assert history.count("inventory") == 1, "what ran in another bootenv is not run again"
        assert history.count("boot") == 2
        assert "undeploy" in await estate.run("undeploy", "--approve", "ensemble.yaml")
        assert estate.server("GET", "/machines") == []
        assert estate.server("GET", "/jobs?Task=clean")[0]["State"] == "finished"

    living(steps)


@pytest.mark.matrix
def test_a_failure_is_told_stopping_pauses_the_machine_and_deploy_goes_on(estate: Estate, living: Any) -> None:
    async def steps() -> None:
        estate.code.write_text("9")
        said = await estate.deploy(code=1)
        assert "the machine is failed after greet, task 2 of 2 (job failed, exit state failed)" in said
        assert "  hello <<REDACTED>>" in said

        estate.code.write_text("")  # the task waits until somebody writes a code
        process = estate.start("deploy", "--approve", "--grace", "0", "ensemble.yaml")
        assert process.stdout
        while "greet (2 of 2)" not in await asyncio.to_thread(process.stdout.readline):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = await asyncio.to_thread(process.stdout.read)
        assert process.wait() != 0
        assert "the machine is paused; deploy again to go on" in said
        assert not estate.machine()["Runnable"]
        estate.code.write_text("0")
        await estate.deploy()
        assert estate.machine()["WorkflowComplete"]

    living(steps)


@pytest.mark.matrix
def test_an_existing_machine_is_adopted_and_released(estate: Estate, living: Any) -> None:
    estate.write("existing: require", workflow="quick")

    async def steps() -> None:
        assert "there is no machine web" in await estate.deploy(code=1)
        estate.server("POST", "/machines", {"Name": "web", "Address": "10.1.2.3", "Params": {"own": 1}})
        await estate.deploy()
        machine = estate.machine()
        assert (machine["Params"]["own"], machine["WorkflowComplete"]) == (1, True)
        await estate.run("undeploy", "--approve", "ensemble.yaml")
        assert (estate.machine()["Uuid"], estate.machine()["Workflow"]) == (machine["Uuid"], "")
        await estate.run("discover", "ensemble.yaml")
        assert '"private_address": "10.1.2.3"' in (estate.folder / "ensemble.yaml").read_text()

    living(steps)


def test_a_secure_param_that_is_not_marked_is_refused_before_anything_is_done(estate: Estate) -> None:
    (estate.folder / "service.yaml").write_text(
        SERVICE.replace("MORE", "").replace("WORKFLOW", "quick").replace("{get_input: password}", '"12345678"')
    )
    said = asyncio.run(estate.deploy(code=1))
    assert "params that are secure on the server are not sensitive: password" in said
    assert estate.server("GET", "/machines") == []
