"""Workers behind real nodes: they are tried over the mesh, and missed when they are gone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.receptors import Receptors, needs_receptor, receptors

pytestmark = [
    needs_receptor,
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen"),
]


@pytest.fixture(scope="module")
def mesh() -> Iterator[Receptors]:
    """Two nodes, of which b publishes a worker."""
    with receptors() as nodes:
        for name in ("mine", "yours"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", nodes.folder / name], check=True)
        nodes.begin("a")
        nodes.begin("b", [{"unix-socket-client": {"service": "ensemble", "filename": str(nodes.worker("b"))}}])
        yield nodes


@pytest.fixture
def worker(mesh: Receptors) -> Iterator[subprocess.Popen[str]]:
    """The worker of b, which listens."""
    process = begin(mesh)
    yield process
    process.kill()
    process.wait()


def begin(mesh: Receptors) -> subprocess.Popen[str]:
    """Begin the worker of b."""
    words = ["ansible-ensemble", "mesh", "worker", str(mesh.worker("b")), "--node", "b"]
    words += ["--keys", str(mesh.folder / "mine.pub"), "--folder", str(mesh.folder / "kept")]
    process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=mesh.folder)
    assert process.stdout is not None
    assert "listens" in process.stdout.readline()
    return process


def check(socket: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and how each node did; none while the mesh does not hang together yet."""
    command = ["ansible-ensemble", "mesh", "check", *words, "--mesh", str(socket), "--output", "json"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    return done.returncode, json.loads(done.stdout).get("nodes", [])


def test_a_worker_is_tried(mesh: Receptors, worker: subprocess.Popen[str]) -> None:
    code, [tried] = wait_for(lambda: (found := check(mesh.socket("a")))[1] and found, "the worker")
    assert (code, tried["node"], tried["problem"], tried["differences"]) == (0, "b", None, [])
    assert tried["hello"]["ansible_core"]
    assert tried["seconds"] > 0


def test_a_worker_is_missed(mesh: Receptors, worker: subprocess.Popen[str]) -> None:
    wait_for(lambda: check(mesh.socket("a"))[0] == 0, "the worker")
    worker.terminate()
    assert worker.wait() == 0
    assert not mesh.worker("b").exists()
    code, tried = check(mesh.socket("a"), "a", "b")
    assert code == 1
    assert "service unknown" in tried[0]["problem"]
    assert "no worker has answered" in tried[1]["problem"]


def test_a_worker_that_was_killed_is_begun_again(mesh: Receptors, worker: subprocess.Popen[str]) -> None:
    worker.kill()
    worker.wait()
    again = begin(mesh)
    try:
        wait_for(lambda: check(mesh.socket("a"))[0] == 0, "the worker")
    finally:
        again.kill()
        again.wait()


def test_a_worker_executes_what_a_key_signed_that_it_knows(mesh: Receptors, worker: subprocess.Popen[str]) -> None:
    wait_for(lambda: check(mesh.socket("a"))[0] == 0, "the worker")
    tried = {name: check(mesh.socket("a"), "--key", str(mesh.folder / name)) for name in ("mine", "yours")}
    assert [code for code, _ in tried.values()] == [0, 1]
    assert [nodes[0]["executes"] for _, nodes in tried.values()] == [True, False]
    assert "not signed by a key that is known" in tried["yours"][1][0]["problem"]
    wait_for(lambda: not [*(mesh.folder / "kept").glob("orders/*/*")], "the order to be forgotten")
