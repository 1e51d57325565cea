"""The life of the example of machines, by the command."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.preloaded import PROGRAMS, run

pytest.importorskip("aiohttp", reason="the libraries of the extra provision are not installed")


class Machines:
    """A copy of the example, on free ports.

    Attributes:
        ports: of the server, and of the sites.
    """

    def __init__(self, example: Path, folder: Path, collections: Path) -> None:
        ignored = shutil.ignore_patterns("site", "jobs*", "changes", "active", "planned", "secrets")
        self.folder = Path(shutil.copytree(example, folder, ignore=ignored))
        self.ensemble = self.folder / "ensemble.yaml"
        self.collections = collections
        self.ports = _free_ports(4)
        server, *sites = self.ports
        self.edit("  inputs:\n", f"  inputs:\n    port: {server}\n    site_ports: {sites}\n")

    def edit(self, old: str, new: str) -> None:
        text = self.ensemble.read_text()
        assert old in text
        self.ensemble.write_text(text.replace(old, new))

    def run(self, *words: str) -> str:
        """What a command prints."""
        done = run(
            [PROGRAMS / "ansible-ensemble", *words, self.ensemble],
            env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(self.collections), "ANSIBLE_NOCOLOR": "1"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def pages(self) -> list[str]:
        """What the sites say."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        pages = []
        for port in self.ports[1:]:
            with direct.open(f"http://127.0.0.1:{port}/", timeout=60) as page:
                pages.append(page.read().decode())
        return pages

    def kill(self) -> None:
        """End what a failed test has left running."""
        for file in self.folder.glob("site/**/pid"):
            with suppress(ProcessLookupError):
                os.killpg(int(file.read_text().split()[0]), signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@pytest.fixture
def machines(repository: Path, tmp_path: Path, collections: Path) -> Iterator[Machines]:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed: scripts of machines set params by it")
    machines = Machines(repository / "examples" / "machines", tmp_path / "machines", collections)
    yield machines
    machines.kill()


@pytest.mark.slow
def test_machines_are_installed_serve_their_sites_and_are_taken_down(machines: Machines) -> None:
    said = machines.run("deploy", "--approve")
    for name in ("alpha", "beta", "gamma"):
        told = [line.partition(f"{name}: configure: ")[2] for line in said.splitlines()]
        assert [line for line in told if line] == [
            "workflow install",
            "poweron",
            "inventory (1 of 3)",
            "reboots into installed",
            "system (2 of 3)",
            "software (3 of 3)",
        ]
        boots = (machines.folder / "site" / "machines" / name / "boots").read_text()
        assert boots == "boot 1 from disk: discovery\nboot 2 from network: installed\n"
    for name, page in zip(("alpha", "beta", "gamma"), machines.pages(), strict=True):
        assert page.startswith(f"Hello from {name}, a machine with ")

    machines.edit("greeting: Hello", "greeting: Welcome")
    said = machines.run("deploy", "--approve")
    assert "alpha: configure" not in said, "the machines are left alone"
    assert all(page.startswith("Welcome from ") for page in machines.pages())

    machines.run("undeploy", "--approve")
    assert not (machines.folder / "site").exists()
