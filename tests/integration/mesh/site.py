"""A project that is deployed over real nodes."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.receptors import Receptors, needs_receptor, receptors

needs_mesh = [
    needs_receptor,
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen"),
]


class Site:
    """A mesh of a and nodes with workers, and a project with a service that deploys over it."""

    def __init__(self, mesh: Receptors, service: str, names: Sequence[str] = ("b1", "b2")) -> None:
        self.mesh = mesh
        self.folder = mesh.folder
        self.workers: dict[str, subprocess.Popen[str]] = {}
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "key"], check=True)
        mesh.begin("a")
        for name in names:
            worker = {"service": "ensemble", "filename": str(mesh.worker(name))}
            mesh.begin(name, [{"unix-socket-client": worker}])
            self.begin_worker(name)
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "service.yaml").write_text(service.replace("FOLDER", str(self.folder)))
        settings = {"socket": str(mesh.socket("a")), "key": "../key", "place": [{"node": "b*"}]}
        (self.project / "ensemble-project.yaml").write_text(
            json.dumps({"environments": {"defaults": {"mesh": settings}}})
        )
        words = ["ansible-ensemble", "mesh", "check", *names, "--mesh", str(mesh.socket("a"))]
        wait_for(lambda: subprocess.run(words, capture_output=True, check=False).returncode == 0, "the workers")

    def begin_worker(self, name: str) -> None:
        words = ["ansible-ensemble", "mesh", "worker", str(self.mesh.worker(name)), "--node", name]
        words += ["--keys", str(self.folder / "key.pub"), "--folder", str(self.folder / f"{name}.kept")]
        process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=self.folder)
        assert process.stdout is not None
        assert "listens" in process.stdout.readline()
        self.workers[name] = process

    def kill_worker(self, name: str) -> None:
        self.workers[name].kill()
        self.workers.pop(name).wait()

    def command(self, name: str, *words: str) -> subprocess.Popen[str]:
        """Begin a command for the service."""
        command = ["ansible-ensemble", name, "service.yaml", *words]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.project)

    def deploy(self, *words: str) -> subprocess.Popen[str]:
        return self.command("deploy", "--approve", "--jobs", "6", "--output", "json", *words)

    def deployed(self, *words: str) -> dict[str, Any]:
        """The report of a deploy."""
        return report_of(self.deploy(*words))

    def has_rest(self) -> bool:
        """Whether no command runs on a node."""
        return not [*self.folder.glob("*.kept/work/*")]

    def shown(self) -> dict[str, Any]:
        """Attributes of the instances, as they are recorded."""
        words = ["ansible-ensemble", "status", "--output", "json"]
        out = subprocess.run(words, cwd=self.project, check=True, stdout=subprocess.PIPE).stdout
        return {one["name"]: one["attributes"] for one in json.loads(out)["instances"]}

    def names(self, what: str) -> list[str]:
        file = self.folder / what
        return file.read_text().split() if file.exists() else []

    def end(self) -> None:
        for name in list(self.workers):
            self.kill_worker(name)


def report_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    report: dict[str, Any] = json.loads(out)
    assert "tasks" in report, err
    return report


@contextmanager
def site_of(service: str, names: Sequence[str] = ("b1", "b2")) -> Iterator[Site]:
    """A site whose parts end."""
    with receptors() as mesh:
        made = Site(mesh, service, names)
        try:
            yield made
        finally:
            made.end()
