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
from ..unfurl.samples import write_sample
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
#: Runs one of the programs, whose first line may name a Python that is gone.
PROGRAM = """\
#!/bin/sh
exec {} {} "$@"
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with supervisord and supervisorctl."""
    if not PYTHON_TOOLS.is_dir():
        pytest.skip("make python-tools installs supervisor")
    programs = tmp_path_factory.mktemp("programs")
    for name in ("supervisord", "supervisorctl"):
        (programs / name).write_text(PROGRAM.format(sys.executable, PYTHON_TOOLS / "bin" / name))
        (programs / name).chmod(0o755)
    return {"PYTHONPATH": str(PYTHON_TOOLS), "PATH": f"{programs}:{PROGRAMS}:{os.environ['PATH']}"}


@pytest.fixture
def supervisor(settings: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Runs supervisord; calls supervisorctl."""
    (tmp_path / "programs").mkdir()
    file = tmp_path / "supervisord.conf"
    file.write_text(CONFIGURATION)
    whole, call = {**os.environ, **settings}, caller(settings, file)
    with (tmp_path / "log").open("w") as log:
        program = [sys.executable, PYTHON_TOOLS / "bin/supervisord", "--nodaemon", "-c", file]
        daemon = subprocess.Popen(program, env=whole, stdout=log, stderr=log)
    try:
        while not call("pid").strip().isdigit():
            assert daemon.poll() is None, (tmp_path / "log").read_text()
        yield call
    finally:
        daemon.terminate()
        daemon.wait()


def caller(settings: dict[str, str], file: Path) -> Callable[..., str]:
    """Calls supervisorctl with a configuration."""

    def call(*words: str) -> str:
        program = [sys.executable, PYTHON_TOOLS / "bin/supervisorctl", "-c", file, *words]
        whole = {**os.environ, **settings}
        return subprocess.run(program, env=whole, capture_output=True, text=True, check=False).stdout

    return call


def test_life(command: Command, supervisor: Callable[..., str], settings: dict[str, str], tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, "--input", f"folder={tmp_path}", extra=settings)
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


def test_a_sample_of_unfurl(command: Command, settings: dict[str, str], tmp_path: Path) -> None:
    call = caller(settings, tmp_path / "supervisord.conf")
    write_sample("supervisor", tmp_path)
    try:
        done = command("deploy", "--approve", extra=settings)
        assert done.code == 0, done.output
        assert "RUNNING" in call("status", "asleep")
        assert command("check", "--detailed-exitcode", extra=settings).code == 0
        call("shutdown")
        while call("pid").strip().isdigit():
            pass
        assert command("check", "--detailed-exitcode", extra=settings).code == 2
        assert command("deploy", "--approve", extra=settings).code == 0
        assert "RUNNING" in call("status", "asleep")
        done = command("undeploy", "--approve", extra=settings)
        assert done.code == 0, done.output
        assert not (tmp_path / "supervisord.conf").exists() and not (tmp_path / "supervisord.pid").exists()
    finally:
        if (tmp_path / "supervisord.conf").exists():
            call("shutdown")
