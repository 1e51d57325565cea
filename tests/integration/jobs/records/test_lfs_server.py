"""The global lock on a real LFS server: the one that Git LFS itself is tested with.

Its locks all have the same owner; the tests beside this one have a stand-in that tells owners apart.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.processes import kill_all, wait_for, working_in
from tests.integration.jobs.records.repositories import git, make_project

_BUILT = Path(__file__).parents[4] / ".build" / "lfstest-gitserver"
SERVER = os.environ.get("LFSTEST_GITSERVER") or shutil.which("lfstest-gitserver") or (_BUILT.exists() and str(_BUILT))

pytestmark = [
    pytest.mark.skipif(shutil.which("git-lfs") is None, reason="the git lfs client is not installed"),
    pytest.mark.skipif(not SERVER, reason="there is no LFS server; `make lfs-server` builds one on Debian"),
]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Where a server has the repository `project.git`."""
    home = tmp_path / "server"
    home.mkdir()
    names = ("URL", "SSL_URL", "CLIENT_CERT_URL", "CERT", "CLIENT_CERT", "CLIENT_KEY", "CLIENT_KEY_ENCRYPTED")
    told = {f"LFSTEST_{name}": str(home / name) for name in names}
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(home / "project.git"))
    git(home / "project.git", "config", "http.receivepack", "true")
    process = subprocess.Popen(
        [str(SERVER)],
        env={**os.environ, **told, "LFSTEST_DIR": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = wait_for(lambda: (home / "URL").exists() and (home / "URL").read_text(), "the server")
    yield f"{address.replace('://', '://user:pass@')}/project"
    process.terminate()
    process.wait()


@pytest.fixture
def clones(tmp_path: Path, url: str) -> tuple[Path, Path]:
    """Two clones of a project on the server that requires the lock of the server of `origin`."""
    held_up = service(2, chain=True).replace("sleep 0.0", "while [ -e ../hold ]; do sleep 0.1; done")
    one, other = make_project(tmp_path / "one", held_up), tmp_path / "other"
    (one / "ensemble-project.yaml").write_text("environments:\n  defaults:\n    lfs_lock: {lock: require, name: all}\n")
    git(one, "add", ".")
    git(one, "commit", "--quiet", "-m", "require the lock")
    git(one, "remote", "add", "origin", url)
    git(one, "push", "--quiet", "--set-upstream", "origin", "main")
    git(tmp_path, "clone", "--quiet", url, str(other))
    return one, other


def held(folder: Path) -> list[str]:
    """Names of the locks that the server holds."""
    return [lock["path"] for lock in json.loads(git(folder, "lfs", "locks", "--json"))]


def test_one_job_at_a_time_on_all_clones(command, start, clones):
    one, other = clones
    deploy = ("deploy", "--approve", "--push")
    hold = one.parent / "hold"  # as long as it is there, no operation ends
    hold.touch()
    job = start(*deploy, cwd=one)
    wait_for(lambda: noted(one, "begin"), "the first job to begin")
    assert held(other) == ["all"]
    refused = command(*deploy, cwd=other)
    assert refused.code == 4
    assert "the global lock all is held by Git LFS Tests since 20" in refused.stderr
    assert not (other / "ensemble.yaml.lock").exists()
    job.send_signal(signal.SIGTERM)
    assert any("Interrupted" in line for line in job.stdout)
    hold.unlink()
    output, _ = job.communicate()
    assert job.returncode == 143, output
    assert held(one) == []

    hold.touch()
    start(*deploy, cwd=one)
    wait_for(lambda: noted(one, "begin") == ["create n0", "create n1"], "the second job to begin")
    kill_all(one)
    wait_for(lambda: not working_in(one), "the end of all processes")
    hold.unlink()
    assert held(one) == ["all"]
    assert command(*deploy, cwd=other).code == 4
    again = command(*deploy, cwd=one)
    assert again.code == 0, again.output
    assert "reused the global lock all" in again.output
    assert held(one) == []

    git(other, "pull", "--quiet")
    done = command("undeploy", "--approve", "--push", cwd=other)
    assert done.code == 0, done.output
    assert held(other) == []
