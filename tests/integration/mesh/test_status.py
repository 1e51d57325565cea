"""What the command shows of real nodes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.receptors import needs_receptor, receptors

pytestmark = needs_receptor


def status_of(socket: Path, *options: str) -> str:
    words = ["ansible-ensemble", "mesh", "status", "--mesh", str(socket), *options]
    return subprocess.run(words, text=True, capture_output=True, check=False).stdout


def nodes_of(socket: Path) -> dict[str, dict[str, Any]]:
    """Nodes by name; none while the first one has not begun."""
    told = json.loads(status_of(socket, "--output", "json"))
    return {node["name"]: node for node in told.get("nodes", ())}


def test_nodes_tell_what_they_have_and_are_missed_when_they_are_gone() -> None:
    with receptors() as mesh:
        service = {"unix-socket-client": {"service": "ensemble", "filename": str(mesh.worker("c"))}}
        mesh.begin("a")
        mesh.begin("b", [{"work-command": {"worktype": "cat", "command": "cat"}}])
        mesh.begin("c", [service])
        nodes = wait_for(lambda: (found := nodes_of(mesh.socket("a"))).get("c", {}).get("cpus") and found, "the nodes")
        assert [(name, node["is_here"], node["via"]) for name, node in nodes.items()] == [
            ("a", True, None),
            ("b", False, "b"),
            ("c", False, "b"),
        ]
        assert [node["has_worker"] for node in nodes.values()] == [False, False, True]
        assert nodes["b"]["work_types"] == ["cat"]
        lines = status_of(mesh.socket("a")).splitlines()
        assert [line.split()[:2] for line in lines[1:]] == [["a", "here"], ["b", "reachable"], ["c", "reachable"]]
        mesh.kill("c")
        wait_for(lambda: not nodes_of(mesh.socket("a"))["c"]["is_reachable"], "c to be missed")
        assert nodes_of(mesh.socket("a"))["b"]["is_reachable"]
