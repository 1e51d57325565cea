"""Projects that Unfurl itself makes and deploys go on here. Its command is named by the variable UNFURL_COMMAND."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

UNFURL = os.environ.get("UNFURL_COMMAND", "")
pytestmark = pytest.mark.skipif(not UNFURL, reason="UNFURL_COMMAND names no command of Unfurl 1.2")

NODES = """\
      node_templates:
        app:
          type: unfurl.nodes.Generic
          properties: {word: hello}
          interfaces:
            Standard:
              configure:
                implementation: Cmd
                inputs:
                  cmd: echo {{ SELF.word }}
                  resultTemplate: {attributes: {said: "{{ stdout | trim }}"}}
              delete: echo gone
"""


Unfurl = Callable[..., str]


@pytest.fixture
def run_unfurl(tmp_path: Path) -> Unfurl:
    """Run a command of Unfurl's in a folder; what it shows."""
    who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    home = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(tmp_path), "NO_COLOR": "1", **who}
    path = f"{Path(UNFURL).parent}{os.pathsep}{os.environ['PATH']}"

    def run(*words: str, cwd: Path) -> str:
        env = {**os.environ, **home, "PATH": path}
        done = subprocess.run([UNFURL, *words], cwd=cwd, env=env, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"unfurl {words}: {done.stdout}{done.stderr}"
        return re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)

    return run


def initialised(run: Unfurl, folder: Path, *options: str) -> Path:
    """A new project with a node, which git has."""
    run("init", *options, "project", cwd=folder)
    project = folder / "project"
    template = project / "ensemble-template.yaml"
    text = template.read_text()
    assert "      node_templates: {}\n" in text
    template.write_text(text.replace("      node_templates: {}\n", NODES))
    return project


@pytest.fixture
def unfurl(tmp_path: Path, run_unfurl: Unfurl) -> Callable[..., Path]:
    """Make a project by Unfurl's `init` with these options, and have it deploy a node."""

    def make(*options: str) -> Path:
        project = initialised(run_unfurl, tmp_path, *options)
        run_unfurl("deploy", "-a", "--jobexitcode", "error", cwd=project)
        return project

    return make


@pytest.mark.parametrize("options", [(), ("--mono",), ("--submodule",), ("--use-environment", "staging")], ids=str)
def test_a_project_of_unfurl_goes_on_here(
    unfurl: Callable[..., Path], run_unfurl: Unfurl, command: Callable[..., Any], options: tuple[str, ...]
) -> None:
    project = unfurl(*options)

    def run(*words: str) -> str:
        done = command(*words, cwd=project / "ensemble")
        assert done.code == 0, done.output
        return str(done.output)

    assert "No changes" in run("plan")
    assert run("query", "::app::said").strip() == "hello"
    template = project / "ensemble-template.yaml"
    template.write_text(template.read_text().replace("word: hello", "word: bye"))
    assert "word: hello -> bye" in run("plan")
    run("deploy", "-y")
    assert run("query", "::app::said").strip() == "bye"
    assert exported(run_unfurl, project) == ("bye", "bye", 1)
    assert "No changes" in run("plan")
    run("undeploy", "-y")
    assert "absent" in run("status")


def exported(run: Unfurl, project: Path) -> tuple[str, str, int]:
    """What Unfurl's dashboard is given of `app` after a job: its property, its attribute and its status."""
    run("export", "--format", "deployment", "--file", "exported.json", cwd=project)
    app = json.loads((project / "exported.json").read_text())["Resource"]["app"]
    (word,), (said,) = app["computedProperties"], app["attributes"]
    return word["value"], said["value"], app["status"]


#: Forms of `unfurl init`; what its commits are, besides those of the ensemble's, is left to the commands' own tests.
FORMS = {
    "plain": (),
    "mono": ("--mono",),
    "submodule": ("--submodule",),
    "existing": ("--existing",),
    "environment": ("--use-environment", "staging"),
    "shared": ("--as-shared-environment",),
    "rendered": ("--render",),
    "cloud": ("--skeleton", "aws"),
    "dashboard": ("--skeleton", "dashboard"),
}


@pytest.mark.matrix
@pytest.mark.parametrize("form", FORMS)
def test_a_project_changed_in_turns_stays_right(
    run_unfurl: Unfurl, command: Callable[..., Any], tmp_path: Path, form: str
) -> None:
    if form == "existing":
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], cwd=tmp_path, check=True)
    project = initialised(run_unfurl, tmp_path, *FORMS[form])
    save(project)
    save(project / "ensemble")
    secrets = {path: path.read_text() for path in project.rglob("secrets.yaml")}

    def run(*words: str) -> str:
        done = command(*words, cwd=project / "ensemble")
        assert done.code == 0, f"{words}: {done.output}"
        assert {path: path.read_text() for path in secrets} == secrets
        return str(done.output)

    def both_say(status: str) -> None:
        assert f" {status}" in run("status")
        assert f"('app') {status}" in run_unfurl("status", cwd=project)

    assert "1 to add" in run("plan")
    run("deploy", "-y")
    both_say("ok")
    assert "nothing to do" in run("check")
    run("deploy", "-y", "--commit")
    assert "No changes" in run("plan")
    both_say("ok")
    run("undeploy", "-y", "--commit")
    both_say("absent")
    run_unfurl("deploy", "-a", "--commit", "--dirty", "ok", "--jobexitcode", "error", cwd=project)
    assert "No changes" in run("plan")
    assert run("query", "::app::said").strip() == "hello"
    both_say("ok")
    run("deploy", "-y", "--commit", "--force")
    run_unfurl("undeploy", "-a", "--commit", "--dirty", "ok", "--jobexitcode", "error", cwd=project)
    both_say("absent")
    run("deploy", "-y", "--commit")
    both_say("ok")


def save(folder: Path) -> None:
    """Have git keep what is in a folder, in the repository that holds it."""
    who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    subprocess.run(["git", *who, "add", "-A"], cwd=folder, check=False, capture_output=True)
    subprocess.run(["git", *who, "commit", "-qm", "all"], cwd=folder, check=False, capture_output=True)
