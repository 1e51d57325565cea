"""The type supervisor.Program, with supervisord itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..conftest import PROGRAMS, Run
from .conftest import PYTHON_TOOLS, example

Command = Callable[..., Run]

CONFIGURATION = """\
[supervisord]
pidfile=%(here)s/supervisord.pid
logfile=%(here)s/supervisord.log
[unix_http_server]
file=%(here)s/sock
[supervisorctl]
serverurl=unix://%(here)s/sock
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[include]
files = programs/*.conf
"""
PATH = f"{PYTHON_TOOLS / 'bin'}:{PROGRAMS}:{os.environ['PATH']}"
SETTINGS = {"PYTHONPATH": str(PYTHON_TOOLS), "PATH": PATH}


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Runs supervisord; calls supervisorctl."""
    if not PYTHON_TOOLS.is_dir():
        pytest.skip("make python-tools installs supervisor")
    (tmp_path / "programs").mkdir()
    file = tmp_path / "supervisord.conf"
    file.write_text(CONFIGURATION)
    settings = {**os.environ, **SETTINGS}

    def call(*words: str) -> str:
        program = [sys.executable, PYTHON_TOOLS / "bin/supervisorctl", "-c", file, *words]
        return subprocess.run(program, env=settings, capture_output=True, text=True, check=False).stdout

    with (tmp_path / "log").open("w") as log:
        program = [sys.executable, PYTHON_TOOLS / "bin/supervisord", "--nodaemon", "-c", file]
        daemon = subprocess.Popen(program, env=settings, stdout=log, stderr=log)
    try:
        while not call("pid").strip().isdigit():
            assert daemon.poll() is None, (tmp_path / "log").read_text()
        yield call
    finally:
        daemon.terminate()
        daemon.wait()


def test_life(command: Command, supervisor: Callable[..., str], tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, "--input", f"folder={tmp_path}", extra=SETTINGS)
        assert done.code == 0, done.output
        return done

    (tmp_path / "service.yaml").write_text(example("supervisor.Program"))
    run("deploy", "service.yaml", "--approve", "--check")
    assert "sleeper" not in supervisor("status")
    run("deploy", "service.yaml", "--approve")
    first = supervisor("pid", "sleeper")
    assert "RUNNING" in supervisor("status", "sleeper")

    run("deploy", "--approve", "--input", "word=two")
    assert supervisor("pid", "sleeper") != first, "it is restarted with its new section"

    supervisor("stop", "sleeper")
    statuses = json.loads(run("check", "--output", "json", "--input", "word=two").stdout)
    assert [one["instance"] for one in statuses["drift"]] == ["sleeper"]
    run("deploy", "--approve", "--input", "word=two")
    assert "RUNNING" in supervisor("status", "sleeper")

    run("undeploy", "--approve", "--input", "word=two")
    assert supervisor("status").strip() == ""
    assert list((tmp_path / "programs").iterdir()) == []
