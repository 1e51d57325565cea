"""The files of CI servers: their steps run as such a server runs them, each in a clone of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from tests.integration.jobs.conftest import Run, environment
from tests.integration.jobs.records.repositories import git
from tests.matrix import sampled
from tests.preloaded import stand_ins

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    page: {module: ansible.builtin.copy, args: {dest: "@/page.txt", content: "hello\\n"}}
"""
#: Programs that CI servers have or fetch; what they are called with is in a file.
STAND_INS = ("pip", "gh", "python3", "ansible-galaxy")
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
[ "$1" = comment ] || [ "$2" = comment ] && cat "$5" >> "$CALLS"
exit 0
"""

#: The scripts of a job, in their order, by the names that the server's file has for jobs.
Scripts = Callable[[str], list[str]]


def of_gitlab(project: Path) -> Scripts:
    jobs: Any = read_yaml(project / ".gitlab-ci.yml").data
    return lambda name: ["\n".join([*jobs["default"]["before_script"], *jobs[name]["script"]])]


def of_github(project: Path) -> Scripts:
    jobs: Any = read_yaml(project / ".github" / "workflows" / "ensemble.yml").data["jobs"]
    return lambda name: [step["run"] for step in jobs[name]["steps"] if "run" in step]


def of_jenkins(project: Path) -> Scripts:
    text = (project / "Jenkinsfile").read_text()
    stages = dict(re.findall(r"stage\('(\w+)'\) \{.*?(?:sh '''\n(.*?)'''|input message)", text, re.DOTALL))
    return lambda name: [stages["Install"], stages[name.capitalize()]]


@pytest.fixture
def notes() -> Iterator[tuple[str, list[Any]]]:
    """The address of a server that takes comments, and what it got: path, token and text."""
    taken: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            taken.append((self.path, self.headers["PRIVATE-TOKEN"], parse_qs(body)["body"][0]))
            self.send_response(201)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", taken
        server.shutdown()


def in_bash(script: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    with stand_ins(environment) as (variables, inherited):
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=folder, env=variables, pass_fds=inherited,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("server", "scripts"), sampled([("gitlab", of_gitlab), ("github", of_github), ("jenkins", of_jenkins)], 3)
)
def test_its_steps(
    command: Callable[..., Run],
    tmp_path: Path,
    notes: tuple[str, list[Any]],
    server: str,
    scripts: Callable[[Path], Scripts],
) -> None:
    origin, work, there = tmp_path / "origin.git", tmp_path / "work", tmp_path / "there"
    there.mkdir()
    assert command("init", "project", "--ci", server).code == 0
    project = tmp_path / "project"
    git(project, "branch", "--move", "main")
    (project / "service-template.yaml").write_text(SERVICE.replace("@", str(there)))
    git(project, "commit", "--quiet", "--all", "-m", "a page")
    git(tmp_path, "clone", "--quiet", "--bare", str(project), str(origin))
    home, calls, steps = tmp_path / "home", tmp_path / "calls", scripts(project)
    stand_ins = tmp_path / "bin"
    stand_ins.mkdir()
    for name in STAND_INS:
        (stand_ins / name).write_text(STAND_IN)
        (stand_ins / name).chmod(0o755)

    def run(job: str, **variables: str) -> Run:
        """Run a job's scripts in a new clone at a commit, with the files that the job before it left."""
        kept = [(path.name, path.read_text()) for path in work.glob("local/plan.*")]
        shutil.rmtree(work, ignore_errors=True)
        git(tmp_path, "clone", "--quiet", str(origin), str(work))
        git(work, "checkout", "--quiet", "main" if server == "github" else "--detach")
        (work / "local").mkdir()
        for name, text in kept:
            (work / "local" / name).write_text(text)
        known = environment(home)
        del known["ANSIBLE_NOCOLOR"]
        surroundings = {
            **known,
            **{"PATH": f"{stand_ins}:{known['PATH']}", "CALLS": str(calls), "BRANCH_NAME": "main"},
            **{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{origin}.insteadOf"},
            "GIT_CONFIG_VALUE_0": "https://ensemble:canary@gitlab.example/group/shop.git",
            **{"CI_COMMIT_BRANCH": "main", "CI_COMMIT_SHA": git(work, "rev-parse", "HEAD"), "CI_PROJECT_ID": "7"},
            **{"CI_SERVER_HOST": "gitlab.example", "CI_PROJECT_PATH": "group/shop", "CI_API_V4_URL": notes[0]},
            **{"ENSEMBLE_TOKEN": "canary", "GITLAB_USER_NAME": "A", "GITLAB_USER_EMAIL": "a@example.com"},
            **{"GITHUB_ACTOR": "a", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")},
            **{"GITHUB_OUTPUT": str(tmp_path / "output"), "NUMBER": "5", **variables},
        }
        output = ""
        for script in steps(job):
            done = in_bash(script, work, surroundings)
            output += done.stdout + done.stderr
            if done.returncode:
                return Run(done.returncode, output, "")
        return Run(0, output, "")

    done = run("plan", CI_MERGE_REQUEST_IID="5")
    assert done.code == 0, done.output
    text = (work / "local" / "plan.md").read_text()
    assert "| + | page | will be created (new) | ansible.Resource |" in text
    if server == "gitlab":
        assert notes[1] == [("/projects/7/merge_requests/5/notes", "canary", text)]
    if server == "github":
        assert text in calls.read_text()
        assert (tmp_path / "summary").read_text() == text
        assert (tmp_path / "output").read_text() == "changes=yes\n"
    done = run("deploy")
    assert done.code == 0, done.output
    assert (there / "page.txt").read_text() == "hello\n"
    assert git(origin, "log", "-1", "--format=%s", "main") == "Deploy [skip ci]"
    assert "canary" not in git(origin, "show", "main")
    again = run("deploy")
    assert again.code == 1, "another one has been deployed since"
    assert "the plan is stale" in again.output
    assert run("check").code == 0
    (there / "page.txt").write_text("by hand\n")
    assert run("check").code == 2
    assert 'classname="page"' in (work / "local" / "junit.xml").read_text()


def test_a_project_that_is_there_gets_the_file_alone(command: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\n")
    done = command("init", "--ci", "gitlab", "--output", "json")
    assert done.code == 0, done.output
    assert json.loads(done.stdout)["files"] == [".gitlab-ci.yml", ".gitignore"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == [
        ".gitignore",
        ".gitlab-ci.yml",
        "ensemble.yaml",
    ]
    again = command("init", "--ci", "gitlab")
    assert again.code == 3
    assert "there is such a file already" in again.stderr
    git(tmp_path, "init", "--quiet")
    (tmp_path / "within").mkdir()
    within = command("init", "within", "--ci", "jenkins")
    assert within.code == 3
    assert "a CI server reads its file in the repository's folder" in within.stderr
    assert not list((tmp_path / "within").iterdir())
