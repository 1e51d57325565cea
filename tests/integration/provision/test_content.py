"""A pack of content: loaded by the command, rendered and run by an agent, changed, exported and refused."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.provision.conftest import Walking
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.served import COMMAND, PATIENCE
from tests.integration.provision.walk import Walk

HERE = Path(__file__).parent
PACK = HERE / "pack"


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server of its own: the pack has one name."""
    server = Lasting(tmp_path_factory.mktemp("lab"), "--files", "http://files.example:8091")
    yield server
    assert server.stop() == 0
    assert server.complaints == []


class Content:
    """The command, and a server that it talks to."""

    def __init__(self, server: Lasting) -> None:
        self.server = server
        self.variables = {**os.environ, "RS_ENDPOINT": server.endpoint, "RS_KEY": "rocketskates:r0cketsk8ts"}

    def __call__(self, verb: str, *words: str, code: int = 0) -> str:
        """What a command says."""
        talks = () if verb == "bundle" else ("--insecure",)
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, "provision", "content", verb, *words, *talks],
            env=self.variables, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def document(self, verb: str, *words: str, code: int = 0) -> Any:
        return json.loads(self(verb, *words, "--output", "json", code=code))


@pytest.fixture
def content(lab: Lasting) -> Content:
    """The command for a server that tests of packs share."""
    return Content(lab)


@pytest.fixture
def walked(lab: Lasting, tmp_path: Path) -> Walking:
    """Run a walk over that server."""
    from tests.integration.provision.wire import Wire

    def run(steps: Any) -> None:
        async def whole() -> None:
            async with Wire(lab.endpoint) as wire:
                await steps(Walk(wire, tmp_path))

        asyncio.run(whole())

    return run


def load(content: Content, pack: Path = PACK) -> Any:
    """Load the pack as it is in the folder."""
    return content.document("load", str(pack))


def test_the_pack_is_of_some_size(content: Content) -> None:
    checked = content.document("check", str(PACK))
    assert (checked["valid"], checked["errors"], checked["warnings"]) == (True, [], [])
    assert sum(checked["counts"].values()) >= 40


def test_all_templates_are_rendered_and_all_scripts_run(content: Content, walked: Walking, tmp_path: Path) -> None:
    load(content)
    out = tmp_path / "out"

    async def steps(walk: Walk) -> None:
        fields = {
            "Name": "lab-1.example",
            "OS": "debian-12",
            "Address": "192.168.124.11",
            "HardwareAddrs": ["52:54:00:AB:cd:0F"],
            "Profiles": ["lab-web", "lab-mirror"],
            "Params": {"lab/out": str(out), "lab/limits": {"files": 9}, "lab/owner": "ada"},
            "Workflow": "lab-full",
        }
        machine = await walk.cli.create("machines", fields)
        for _ in range(10):
            agent = await walk.processjobs(machine)
            machine = await walk.at(machine)
            jobs = await walk.jobs(machine)
            assert "failed" not in [state for _, _, state, _ in jobs], "\n".join(agent.lines[-12:])
            if machine["WorkflowComplete"]:
                break
            machine = await walk.cli.update("machines", machine["Uuid"], {"Runnable": True})
        assert machine["WorkflowComplete"], jobs
        assert [task for task, _, _, _ in jobs if task == "lab-again"] == ["lab-again"]
        await walk.cli.destroy("machines", machine["Uuid"])
        known = {"UUID": machine["Uuid"], "API": content.server.endpoint}
        found = {file.name: file.read_text() for file in out.iterdir()}
        expected = yaml.safe_load((HERE / "pack.expected.yaml").read_text())
        assert found == {name: _filled(text, known) for name, text in expected.items()}

    walked(steps)


def _filled(text: str, known: dict[str, str]) -> str:
    for name, value in known.items():
        text = text.replace(f"<{name}>", value)
    return text
