"""Projects laid out as `unfurl init` of Unfurl 1.2 lays them out: no job makes one unreadable, whatever it commits."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.matrix import sampled

PROJECT = """\
apiVersion: unfurl/v1alpha1
kind: Project
+?include-secrets: secrets/secrets.yaml
+?include-local: local/unfurl.yaml
"""
OUTER = "apiVersion: unfurl/v1alpha1\nkind: Project\n+?include-local: local/unfurl.yaml\n"
BLANK = PROJECT + "environments: {defaults: {secrets: {vault_secrets: {default: }}}}\n"
LOCAL = "kind: Project\nenvironments: {defaults: {secrets: {vault_secrets: {+%: merge, mine: kept-here-only}}}}\n"
SECRETS = "kind: Project\nenvironments: {defaults: {secrets: {token: abc12345}}}\n"
IGNORED = "**/local\n**/secrets\n*.lock\n**/jobs\n**/planned\n"
TEMPLATE = """\
apiVersion: unfurl/v1alpha1
spec:
  service_template:
    tosca_definitions_version: tosca_simple_unfurl_1_0_0
    topology_template:
      node_templates:
        app:
          type: unfurl.nodes.Generic
          interfaces: {Standard: {configure: "echo {{ {'get_env': 'HOME'} | eval }}", delete: echo gone}}
"""
ENSEMBLE = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
+include: {file: ensemble-template.yaml, repository: spec}
spec: {service_template: {repositories: {spec: {url: "git-local://COMMIT:/."}}}}
"""


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def committed(folder: Path) -> str:
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", f"of {folder.name}")
    return git(folder, "rev-list", "--max-parents=0", "HEAD")


def mono(root: Path, project: str = PROJECT) -> Path:
    """The ensemble in its project's repository."""
    write(root, {".gitignore": IGNORED, "unfurl.yaml": project, "ensemble-template.yaml": TEMPLATE})
    write(root, {"local/unfurl.yaml": LOCAL, "secrets/secrets.yaml": SECRETS})
    commit = committed(root)
    write(root, {"ensemble/ensemble.yaml": ENSEMBLE.replace("COMMIT", commit)})
    committed(root)
    return root


def blank(root: Path) -> Path:
    """A vault password that is to come from a variable, which is not set."""
    return mono(root, BLANK)


def separate(root: Path, ignored: str = "ensemble\n") -> Path:
    """The ensemble in a repository of its own, which is a project, too."""
    write(root, {".gitignore": IGNORED + ignored, "unfurl.yaml": OUTER, "ensemble-template.yaml": TEMPLATE})
    commit = committed(root)
    ensemble = {".gitignore": IGNORED, "unfurl.yaml": PROJECT, "ensemble.yaml": ENSEMBLE.replace("COMMIT", commit)}
    write(root / "ensemble", {**ensemble, "local/unfurl.yaml": LOCAL, "secrets/secrets.yaml": SECRETS})
    committed(root / "ensemble")
    return root / "ensemble"


def submodule(root: Path) -> Path:
    """The same, as a submodule."""
    project = separate(root, ignored="")
    git(root, "submodule", "add", "-q", "./ensemble", "ensemble")
    committed(root)
    return project


def unignored(root: Path) -> Path:
    """Secrets that git does not ignore, though another file includes them."""
    project = mono(root)
    write(root, {".gitignore": "local\njobs\n*.lock\nplanned\n"})
    git(root, "add", ".gitignore")
    git(root, "commit", "-qm", "less is ignored")
    return project


LAYOUTS = [mono, blank, separate, submodule]
COMMANDS = ["plan", "deploy -y", "check", "deploy -y --commit", "plan", "undeploy -y --commit", "deploy -y", "status"]


@pytest.mark.parametrize("layout", sampled(LAYOUTS, 4), ids=lambda layout: layout.__name__)
def test_a_project_stays_readable(command: Callable[..., Any], tmp_path: Path, layout: Callable[[Path], Path]) -> None:
    project = layout(tmp_path / "project")
    before = {path: path.read_text() for path in project.rglob("secrets.yaml")}
    assert before
    for words in COMMANDS:
        done = command(*words.split(), cwd=tmp_path / "project" / "ensemble")
        assert done.code == 0, done.output
    assert {path: path.read_text() for path in project.rglob("secrets.yaml")} == before
    assert "abc12345" not in git(project, "log", "-p")


def test_the_commit_of_a_submodule_is_kept_by_what_is_around_it(command: Callable[..., Any], tmp_path: Path) -> None:
    ensemble = submodule(tmp_path / "project")
    for words in ("deploy -y", "deploy -y --commit", "undeploy -y --commit"):
        done = command(*words.split(), cwd=ensemble)
        assert done.code == 0, done.output
    assert git(tmp_path / "project", "status", "--porcelain") == ""
    assert git(ensemble, "rev-parse", "HEAD") in git(tmp_path / "project", "submodule", "status")


def test_secrets_that_another_file_includes_are_neither_encrypted_nor_committed(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    project = unignored(tmp_path / "project")
    done = command("deploy", "-y", "--commit", "--dirty", "ok", cwd=project / "ensemble")
    assert done.code == 0, done.output
    assert "secrets.yaml: another file includes them" in done.output
    assert (project / "secrets/secrets.yaml").read_text() == SECRETS
    assert "abc12345" not in git(project, "log", "-p")


def test_secrets_that_were_encrypted_where_they_are_included_are_read(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    project = mono(tmp_path / "project")
    (tmp_path / "password").write_text("kept-here-only")
    secrets = project / "secrets" / "secrets.yaml"
    done = command("encrypt", "--vault-id", f"mine@{tmp_path / 'password'}", str(secrets), program="ansible-vault")
    assert done.code == 0, done.output
    template = project / "ensemble-template.yaml"
    template.write_text(TEMPLATE.replace("'get_env': 'HOME'", "'eval': {'secret': 'token'}"))
    for words in ("plan", "deploy -y", "status"):
        done = command(*words.split(), cwd=project / "ensemble")
        assert done.code == 0, done.output
    assert secrets.read_text().startswith("$ANSIBLE_VAULT")
