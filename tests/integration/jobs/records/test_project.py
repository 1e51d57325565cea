"""A project as `init` makes it, used in every way it is meant for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.jobs.records.repositories import git


@pytest.fixture
def project(command, tmp_path: Path) -> Path:
    done = command("init", "project")
    assert done.code == 0, done.output
    folder = tmp_path / "project"
    template = folder / "service-template.yaml"
    template.write_text(template.read_text().replace("{ eval: { abspath: local/site } }", str(tmp_path / "site")))
    git(folder, "commit", "-qam", "a folder of this test")
    return folder


def test_by_the_command(command, project, tmp_path):
    page = tmp_path / "site" / "index.html"
    assert command("deploy", "--approve", "--commit", cwd=project).code == 0
    assert page.read_text() == "It works."
    assert command("outputs", "--raw", "page", cwd=project).stdout.strip() == str(page)
    assert git(project, "status", "--porcelain") == ""
    assert command("undeploy", "--approve", cwd=project).code == 0
    assert not page.exists()


@pytest.mark.matrix
def test_by_its_playbooks_and_inventory(command, project, tmp_path):
    def play(name: str) -> None:
        done = command(f"{name}.yml", program="ansible-playbook", cwd=project)
        assert done.code == 0, done.output

    for name in ("plan", "deploy", "check"):
        play(name)
    assert (tmp_path / "site" / "index.html").read_text() == "It works."
    graph = command("--graph", program="ansible-inventory", cwd=project)
    assert "|--page" not in graph.stdout, "it is no machine"
    source = project / "inventory" / "ensemble.yml"
    source.write_text(source.read_text() + "hosts: all\n")
    graph = command("--graph", program="ansible-inventory", cwd=project)
    assert "|--page" in graph.stdout
    assert "@type_example_Page:" in graph.stdout
    for name in ("discover", "stop", "undeploy"):
        play(name)
    assert not (tmp_path / "site").exists()


def test_what_git_keeps_of_the_folders(command, project):
    assert command("deploy", "--approve", "--commit", cwd=project).code == 0
    kept = set(git(project, "ls-files").splitlines())
    assert "jobs.tsv" in kept
    assert any(name.startswith("changes/job") for name in kept)
    assert not [name for name in kept if name.startswith(("jobs/", "planned/", "active/tasks/"))]
    assert not list(project.glob("*.lock*"))


def test_a_copy_by_clone_is_deployed_as_it_is(command, project, tmp_path):
    assert command("deploy", "--approve", "--commit", cwd=project).code == 0
    done = command("clone", str(project), "copy")
    assert done.code == 0, done.output
    assert "ensemble.yaml" in done.output
    copy = tmp_path / "copy"
    assert "No changes." in command("plan", cwd=copy).output
    again = command("init", "copy")
    assert again.code == 3
    assert "there is an ensemble already" in again.stderr


@pytest.mark.matrix
def test_it_is_clean_to_ansible_lint(command, project):
    done = command("--offline", "-q", program="ansible-lint", cwd=project)
    assert done.code == 0, done.output
