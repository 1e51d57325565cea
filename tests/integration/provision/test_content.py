"""A pack of content: loaded by the command, rendered and run by an agent, changed, exported and refused."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.main import execute
from ansible_ensemble.cli.session import Session
from tests.integration.provision.conftest import Walking
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.served import COMMAND, PATIENCE
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Wire
from tests.unit.provision.content.variants import VARIANTS, made

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
        self.variables = {"RS_ENDPOINT": server.endpoint, "RS_KEY": "rocketskates:r0cketsk8ts"}

    def __call__(self, verb: str, *words: str, code: int = 0) -> str:
        """What a command says."""
        talks = () if verb == "bundle" else ("--insecure",)
        console = Console(io.StringIO(), io.StringIO(), io.StringIO(), self.variables)
        done = execute(["provision", "content", verb, *words, *talks], Session(console))
        said, complained = console.stdout.getvalue(), console.stderr.getvalue()
        assert done == code, said + complained
        return said

    def document(self, verb: str, *words: str, code: int = 0) -> Any:
        return json.loads(self(verb, *words, "--output", "json", code=code))


@pytest.fixture
def content(lab: Lasting) -> Content:
    """The command for a server that tests of packs share."""
    return Content(lab)


@pytest.fixture
def walked(lab: Lasting, tmp_path: Path) -> Walking:
    """Run a walk over that server."""

    def run(steps: Any) -> None:
        async def whole() -> None:
            async with Wire(lab.endpoint) as wire:
                await steps(Walk(wire, tmp_path))

        asyncio.run(whole())

    return run


def load(content: Content, pack: Path = PACK) -> Any:
    """Load the pack as it is in the folder."""
    return content.document("load", str(pack))


def test_the_pack_is_of_some_size() -> None:
    words = [sys.executable, "-c", COMMAND, "provision", "content", "check", str(PACK), "--output", "json"]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE, check=True, env=dict(os.environ))
    checked = json.loads(done.stdout)
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


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(PACK, folder / "pack", symlinks=True))


def test_a_load_says_what_it_changes_and_so_does_its_check(content: Content, tmp_path: Path) -> None:
    load(content)
    again = load(content)
    assert (again["changed"], again["sections"]["tasks"]["unchanged"] != []) == (False, True)
    pack = copied(tmp_path)
    (pack / "workflows" / "lab-quick.yml").unlink()
    (pack / "tasks" / "lab-new.yaml").write_text("Name: lab-new\n")
    (pack / "meta.yaml").write_text((pack / "meta.yaml").read_text().replace("v1.2.0", "v1.3.0"))
    words = ("load", str(pack), "--diff", "--detailed-exitcode")
    foretold = content.document(*words, "--check", code=2)
    assert content.document("diff", str(pack), "--detailed-exitcode", code=2) == foretold
    assert load(content)["changed"] is False
    done = content.document(*words, code=2)
    assert done == foretold
    sections = done["sections"]
    assert (sections["workflows"]["removed"], sections["tasks"]["added"], sections["meta"]["changed"]) == (
        ["lab-quick"],
        ["lab-new"],
        ["lab"],
    )
    assert "+Version: v1.3.0\n" in done["diff"]["meta/lab"]
    assert content("diff", str(pack), "--detailed-exitcode").endswith("0 added, 0 changed, 0 removed, 48 unchanged\n")
    shown = content("load", str(PACK), "--check", "--diff")
    assert "  + workflows/lab-quick\n" in shown
    assert "  - tasks/lab-new\n      --- before/tasks/lab-new\n" in shown
    assert "1 added, 1 changed, 1 removed, 46 unchanged\n" in shown


def test_secrets_are_in_no_output(content: Content, tmp_path: Path) -> None:
    load(content)
    pack = copied(tmp_path)
    profile = pack / "profiles" / "lab-web.yaml"
    profile.write_text(profile.read_text().replace("correct horse", "battery staple"))
    shown = content("load", str(pack), "--diff")
    assert "~ profiles/lab-web" in shown
    assert "lab/password: (sealed anew)" in shown
    assert "battery" not in shown
    assert "horse" not in shown
    assert load(content, pack)["changed"] is False


@pytest.mark.parametrize("variant", VARIANTS[::9], ids=lambda variant: variant["says"][:40])
def test_what_the_check_refuses_is_not_loaded(content: Content, tmp_path: Path, variant: dict[str, Any]) -> None:
    load(content)
    before = asyncio.run(_shown(content))
    refused = content.document("load", str(made(variant, tmp_path)), code=3)
    assert not refused["valid"]
    assert len(refused["errors"]) == 1
    assert "changed" not in refused
    assert asyncio.run(_shown(content)) == before


async def _shown(content: Content) -> Any:
    async with Wire(content.server.endpoint) as wire:
        return await wire.call("GET", "contents/lab")


def test_what_is_in_use_stays(content: Content, walked: Walking, tmp_path: Path) -> None:
    load(content)
    pack = copied(tmp_path)
    (pack / "workflows" / "lab-quick.yml").unlink()

    async def steps(walk: Walk) -> None:
        machine = await walk.cli.create("machines", {"Name": "lab-2", "Workflow": "lab-quick"})
        for words in (["load"], ["load", "--check"], ["check", "--against"], ["diff"]):
            told = await asyncio.to_thread(content, words[0], str(pack), *words[1:], code=3)
            assert "lab-quick is in use by machines lab-2" in told
        await walk.cli.destroy("machines", machine["Uuid"])

    walked(steps)
    assert content("check", str(pack), "--against").startswith("lab: valid")


def test_what_is_exported_is_the_same_pack(content: Content, walked: Walking, tmp_path: Path) -> None:
    pack = copied(tmp_path)
    profile = pack / "profiles" / "lab-web.yaml"
    profile.write_text(profile.read_text().replace("  lab/password: correct horse\n", ""))
    load(content, pack)
    folder, file, again = tmp_path / "folder", tmp_path / "lab.json", tmp_path / "again.yaml"
    assert content.document("export", "lab", "--out", str(folder))["objects"] == 47
    content("bundle", str(folder), "--out", str(file))
    content("bundle", str(pack), "--out", str(again))
    for one in (folder, file, again):
        assert content.document("load", str(one), "--check")["changed"] is False
    unbundled = tmp_path / "unbundled"
    content("export", "--bundle", str(file), "--out", str(unbundled))
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert files == {path.relative_to(unbundled): path.read_bytes() for path in unbundled.rglob("*") if path.is_file()}
    assert (folder / "templates" / "lab-lists.tmpl").read_bytes() == (PACK / "templates/lab-lists.tmpl").read_bytes()
    content("export", "lab", "--out", str(folder), code=3)
    load(content)
    content("export", "lab", "--out", str(tmp_path / "sealed"), code=3)
    assert not (tmp_path / "sealed").exists()


def test_writable_objects_become_a_pack(content: Content, walked: Walking, tmp_path: Path) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("mine", "echo {{.Machine.Name}}")
        await walk.stage("own", ["mine"])
        await asyncio.to_thread(content, "export", "mine", "--writable", "--out", str(tmp_path / "mine"))
        names = sorted(path.name for path in (tmp_path / "mine").rglob("*.yaml"))
        assert names == sorted(["meta.yaml", f"{walk.name('mine')}.yaml", f"{walk.name('own')}.yaml"])
        for prefix, name in (("stages", "own"), ("tasks", "mine")):
            await walk.cli.destroy(prefix, walk.name(name))
        loaded = await asyncio.to_thread(content.document, "load", str(tmp_path / "mine"))
        assert loaded["sections"]["tasks"]["added"] == [walk.name("mine")]
        await walk.cli.wire.call("DELETE", "contents/mine")

    walked(steps)


def test_wrong_calls(content: Content, tmp_path: Path) -> None:
    content("check", str(tmp_path / "none"), code=3)
    content("bundle", str(PACK), "--out", str(tmp_path / "folder"), code=2)
    content("export", code=2)
    content("export", "absent", "--out", str(tmp_path / "absent"), code=5)
    assert [*tmp_path.iterdir()] == []
