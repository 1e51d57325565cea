"""Projects that Unfurl itself makes and deploys go on here. Its command is named by the variable UNFURL_COMMAND."""

from __future__ import annotations

import os
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


@pytest.fixture
def unfurl(tmp_path: Path) -> Callable[..., Path]:
    """Make a project by Unfurl's `init` with these options, and have it deploy a node."""
    who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    home = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(tmp_path), **who}
    path = f"{Path(UNFURL).parent}{os.pathsep}{os.environ['PATH']}"

    def run(*words: str, cwd: Path) -> None:
        env = {**os.environ, **home, "PATH": path}
        subprocess.run([UNFURL, *words], cwd=cwd, env=env, check=True, capture_output=True)

    def make(*options: str) -> Path:
        run("init", *options, "project", cwd=tmp_path)
        project = tmp_path / "project"
        template = project / "ensemble-template.yaml"
        text = template.read_text()
        assert "      node_templates: {}\n" in text
        template.write_text(text.replace("      node_templates: {}\n", NODES))
        run("deploy", "-a", "--jobexitcode", "error", cwd=project)
        return project

    return make


@pytest.mark.parametrize("options", [(), ("--mono",), ("--submodule",), ("--use-environment", "staging")], ids=str)
def test_a_project_of_unfurl_goes_on_here(
    unfurl: Callable[..., Path], command: Callable[..., Any], options: tuple[str, ...]
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
    assert "No changes" in run("plan")
    run("undeploy", "-y")
    assert "absent" in run("status")
