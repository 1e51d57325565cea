"""Workers behind real nodes: they are tried over the mesh, and missed when they are gone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.receptors import Receptors, needs_receptor, receptors

pytestmark = needs_receptor


@pytest.fixture(scope="module")
def mesh() -> Iterator[Receptors]:
    """Two nodes, of which b publishes a worker."""
    with receptors() as nodes:
        nodes.begin("a")
        nodes.begin("b", [{"unix-socket-client": {"service": "ensemble", "filename": str(nodes.worker("b"))}}])
        yield nodes


@pytest.fixture
def worker(mesh: Receptors) -> Iterator[subprocess.Popen[str]]:
    """The worker of b, which listens."""
    words = ["ansible-ensemble", "mesh", "worker", str(mesh.worker("b")), "--node", "b"]
    process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=mesh.folder)
    assert process.stdout is not None
    assert "listens" in process.stdout.readline()
    yield process
    process.kill()
    process.wait()


def check(socket: Path, *nodes: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and how each node did; none while the mesh does not hang together yet."""
    words = ["ansible-ensemble", "mesh", "check", *nodes, "--mesh", str(socket), "--output", "json"]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
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
    words = ["ansible-ensemble", "mesh", "worker", str(mesh.worker("b")), "--node", "b"]
    again = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=mesh.folder)
    try:
        assert again.stdout is not None
        assert "listens" in again.stdout.readline()
        wait_for(lambda: check(mesh.socket("a"))[0] == 0, "the worker")
    finally:
        again.kill()
        again.wait()
