"""Each fault of a mesh ends in one clear message, and once it is mended the same job goes on: nothing is lost."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh.hello import own_hello
from tests.integration.mesh.site import Site, needs_mesh, site_of

pytestmark = [pytest.mark.slow, *needs_mesh]
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    line:
      type: tosca.nodes.Root
      interfaces: {Standard: {operations: {create: "echo line >> FOLDER/ran"}}}
    copy:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations: {create: {implementation: ansible.builtin.copy, inputs: {src: motd, dest: FOLDER/copied}}}
"""
Mend = Callable[[], object]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        (made.project / "files").mkdir()
        (made.project / "files" / "motd").write_text("welcome\n")
        yield made


def placed(site: Site, node: str) -> None:
    """Have operations run on nodes of a pattern."""
    settings = {"socket": str(site.mesh.socket("a")), "key": "../key", "place": [{"node": node}]}
    file = site.project / "ensemble-project.yaml"
    file.write_text(json.dumps({"environments": {"defaults": {"mesh": settings}}}))


def unknown(site: Site) -> Mend:
    placed(site, "nosuch-*")
    return lambda: placed(site, "b*")


def without_worker(site: Site) -> Mend:
    placed(site, "a")
    return lambda: placed(site, "b*")


def too_large(site: Site) -> Mend:
    large = site.project / "files" / "large"
    large.touch()
    os.truncate(large, 5_000_001)
    return large.unlink


def full(site: Site) -> Mend:
    """Have a worker whose folder is on a disk without room."""
    placed(site, "b1")
    site.kill_worker("b1")
    folder = site.folder / "b1.kept"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "none", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        site.begin_worker("b1")
        placed(site, "b*")
        pytest.skip("no file system may be mounted here")
    site.begin_worker("b1")
    room = os.statvfs(folder)
    (folder / "filling").write_bytes(bytes(room.f_bavail * room.f_frsize))

    def mend() -> None:
        site.kill_worker("b1")
        # What the worker had started ends a moment after it, and holds files there till then.
        subprocess.run(["umount", "--lazy", folder], check=True)
        site.begin_worker("b1")
        placed(site, "b*")

    return mend


@pytest.mark.parametrize(
    ("fault", "lost", "message"),
    [
        (unknown, {"line", "copy"}, "no node nosuch-* can take it: there is none of this name"),
        (without_worker, {"line", "copy"}, "no node a can take it: a has no worker"),
        (too_large, {"copy"}, "large has too many bytes for the mesh"),
        (full, {"copy"}, "No space left on device"),
    ],
    ids=["unknown", "without worker", "too large", "full"],
)
def test_a_job_says_what_is_wrong_and_goes_on_once_it_is_mended(
    site: Site, fault: Callable[[Site], Mend], lost: set[str], message: str
) -> None:
    mend = fault(site)
    try:
        report = site.deployed()
    finally:
        mend()
    failed = {task["instance"]: task for task in report["tasks"] if task["status"] != "ok"}
    assert lost <= failed.keys(), report
    for name in lost:
        assert message in failed[name]["error"]
        assert "Traceback" not in failed[name]["error"]
    assert site.names("ran") == ["line"] * (0 if "line" in failed else 1)
    assert site.deployed()["job"]["success"]
    assert site.names("ran") == ["line"]
    assert (site.folder / "copied").read_text() == "welcome\n"
    assert site.deployed()["tasks"] == []
    done = subprocess.run(["ansible-ensemble", "undeploy", "service.yaml", "--approve"], cwd=site.project, check=False)
    assert done.returncode == 0
    (site.folder / "ran").unlink()
    (site.folder / "copied").unlink()


def test_a_socket_that_is_not_there_is_said_before_anything_runs(site: Site) -> None:
    job = site.deploy("--mesh", str(site.folder / "nosuch"))
    out, err = job.communicate()
    assert job.returncode
    assert f"there is no socket {site.folder / 'nosuch'}" in out + err
    assert "Traceback" not in out + err
    assert site.names("ran") == []


def says(content: bytes) -> Callable[[socket.socket], None]:
    def talk(connection: socket.socket) -> None:
        connection.sendall(content)
        connection.recv(1)

    return talk


def hello(**different: Any) -> bytes:
    return frames.encode({"hello": to_builtins(replace(own_hello("c"), **different))})


@contextmanager
def served(path: Path, talk: Callable[[socket.socket], None]) -> Iterator[None]:
    """Somebody behind the service of a node, who talks with who comes."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def answer() -> None:
            while True:
                try:
                    connection, _address = listening.accept()
                except OSError:
                    return
                with connection, suppress(OSError):
                    talk(connection)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture(scope="module")
def strange(site: Site) -> Path:
    """The socket that the node c publishes as a worker's."""
    path = site.mesh.worker("c")
    site.mesh.begin("c", [{"unix-socket-client": {"service": "ensemble", "filename": str(path)}}])
    return path


@pytest.mark.parametrize(
    ("talk", "message"),
    [
        (says(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "is too long"),
        (says(b"\xff\xff\xff\xff"), "is too long"),
        (says(b"\x00\x00\x00\x01{"), "a message is no JSON"),
        (says(frames.encode({"hello": {}})), "does not speak as a worker does"),
        (says(hello(protocol=1)), "the worker of c speaks protocol 1"),
        (says(hello(node="b1")), "the worker of c says that it is that of .?b1"),
    ],
    ids=["another protocol", "endless", "no JSON", "no hello", "another version", "another node"],
)
def test_who_is_no_worker_is_told(
    site: Site, strange: Path, talk: Callable[[socket.socket], None], message: str
) -> None:
    words = ["ansible-ensemble", "mesh", "check", "b1", "c", "--mesh", str(site.mesh.socket("a")), "--output", "json"]
    with served(strange, talk):
        for _attempt in range(50):  # until the mesh knows the node, a way to it, and its service
            done = subprocess.run(words, text=True, capture_output=True, check=False)
            problems = {node["node"]: node["problem"] for node in json.loads(done.stdout).get("nodes", ())}
            if problems and re.search(message, problems["c"]):
                break
    assert done.returncode == 1
    assert re.search(message, problems["c"])
    assert problems["b1"] is None
    assert "Traceback" not in done.stderr
