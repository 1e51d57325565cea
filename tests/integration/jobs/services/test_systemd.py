"""The type systemd.Service, with a stand-in for systemctl: no systemd runs where tests do."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conftest import PROGRAMS, Run
from .conftest import example

Command = Callable[..., Run]
STAND_IN = Path(__file__).parent / "systemctl"


@pytest.mark.slow
def test_life(command: Command, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[Run, list[str]]:
        """Run a command; returns the calls of systemctl that change something, too."""
        calls.write_text("")
        path = f"{folder}:{PROGRAMS}:{os.environ['PATH']}"
        done = command(*words, "--input", f"folder={folder}", extra={"PATH": path})
        assert done.code == 0, done.output
        return done, [one for one in calls.read_text().splitlines() if not one.startswith(("show", "is-"))]

    folder = tmp_path / "machine"
    (folder / "units").mkdir(parents=True)
    calls, unit = folder / "calls", folder / "units/web.service"
    shutil.copy(STAND_IN, folder)
    (tmp_path / "service.yaml").write_text(example("systemd.Service"))
    taken = ["daemon-reload", "enable web.service", "start web.service"]

    done, found = run("deploy", "service.yaml", "--approve", "--check")
    assert found == [] and not unit.exists()
    _, found = run("deploy", "service.yaml", "--approve")
    assert [one.replace("restart", "start") for one in found] == taken
    assert unit.read_text().startswith("[Service]\nExecStart=/usr/bin/web")

    _, found = run("deploy", "--approve", "--input", "port=81")
    assert found == ["daemon-reload", "restart web.service"], "a file that it requires changed"

    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps({**state, "active": []}))
    done, found = run("check", "--output", "json", "--input", "port=81")
    assert [one["instance"] for one in json.loads(done.stdout)["drift"]] == ["web"]
    assert found == []
    _, found = run("deploy", "--approve", "--input", "port=81")
    assert found == ["start web.service"]

    _, found = run("undeploy", "--approve", "--input", "port=81")
    assert sorted(found) == sorted(["stop web.service", "disable web.service", "daemon-reload"])
    assert not unit.exists()
    assert json.loads((folder / "state.json").read_text()) == {"known": [], "active": [], "enabled": []}
