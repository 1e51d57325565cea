"""What jobs do in git, and what git may do to jobs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.integration.jobs.records.repositories import ENSEMBLE, clone, git, is_sound, make_project

DEPLOY = ("deploy", "--approve")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def test_a_job_commits_what_it_wrote_and_nothing_else(command, project):
    (project / "mine.md").write_text("a new file of somebody")
    start = git(project, "rev-parse", "HEAD")
    done = command(*DEPLOY, "--commit", "--dirty", "ok", "-m", "Put it up", cwd=project)
    assert done.code == 0, done.output
    assert git(project, "log", "--format=%s") == "Put it up\nstart"
    changed = git(project, "show", "--name-only", "--format=", "HEAD").splitlines()
    assert {"ensemble.yaml", "jobs.tsv"} < set(changed)
    assert all(name in ("ensemble.yaml", "jobs.tsv") or name.startswith(("changes/", "active/")) for name in changed)
    assert git(project, "status", "--porcelain") == "?? mine.md"
    [job] = json.loads(command("history", "--output", "json", cwd=project).stdout)["jobs"]
    assert job["start_commit"] == start
    lock = yaml.safe_load((project / "ensemble.yaml").read_text())["lock"]
    assert [repository["commit"] for repository in lock["repositories"]] == [start]
    assert "# a comment that stays" in (project / "ensemble.yaml").read_text()


def test_without_commit_git_is_left_alone(command, project):
    assert command(*DEPLOY, cwd=project).code == 0
    assert git(project, "log", "--format=%s") == "start"


def test_the_message_names_the_job(command, project):
    assert command(*DEPLOY, "--commit", cwd=project).code == 0
    job = (project / "jobs.tsv").read_text().partition("\t")[0]
    assert git(project, "log", "-1", "--format=%s").startswith(f"Deploy {job}: 2 tasks")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--commit"], 1),
        (["--dirty", "abort"], 1),
        (["--commit", "--dirty", "ok"], 0),
        ([], 0),
        (["--commit", "--check"], 0),
    ],
)
def test_a_dirty_working_tree(command, project, options, code):
    with (project / "service.yaml").open("a") as file:
        file.write("# changed\n")
    done = command(*DEPLOY, *options, cwd=project)
    assert done.code == code, done.output
    if code:
        assert "service.yaml" in done.stderr
        assert not (project / "jobs.tsv").exists()
        assert not (project / "ensemble.yaml.lock").exists()


def test_the_records_of_earlier_jobs_do_not_make_it_dirty(command, project):
    assert command(*DEPLOY, cwd=project).code == 0
    assert command(*DEPLOY, "--commit", "--input", "text=two", cwd=project).code == 0
    assert git(project, "status", "--porcelain") == ""


def test_a_commit_that_fails_never_loses_the_record(command, project):
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    done = command(*DEPLOY, "--commit", cwd=project)
    assert done.code == 1
    assert "not today" in done.stderr + done.stdout
    assert (project / "first.txt").read_text() == "one\n"
    assert "No changes." in command("plan", cwd=project).output
    hook.unlink()
    assert command(*DEPLOY, "--commit", cwd=project).code == 0
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "ls-files", "changes").count("changes/") == 2


def test_a_commit_of_somebody_else_meanwhile_is_not_overwritten(command, tmp_path):
    theirs = "sed -i s/comment/remark/ ensemble.yaml; git -c user.name=T -c user.email=t@example.com commit -qam theirs"
    service = (tmp_path / "service").with_suffix(".yaml")
    project = make_project(tmp_path / "project")
    text = (project / "service.yaml").read_text().replace("rm -f $name.txt", theirs)
    service.write_text(text)
    (project / "service.yaml").write_text(text)
    git(project, "commit", "-qam", "delete commits")
    assert command(*DEPLOY, "--commit", cwd=project).code == 0
    done = command("undeploy", "--approve", "--commit", "--instance", "first", cwd=project)
    assert done.code == 1, done.output
    assert "somebody else committed" in done.output
    assert git(project, "log", "-1", "--format=%s") == "theirs"
    assert is_sound(project)


def test_records_of_another_ensemble_are_left_to_its_own_jobs(command, project):
    other = project / "other"
    other.mkdir()
    for name in ("service.yaml", "ensemble.yaml"):
        (other / name).write_text((project / name).read_text())
    git(project, "add", "other")
    git(project, "commit", "-qm", "another ensemble")
    assert command(*DEPLOY, cwd=other).code == 0
    done = command(*DEPLOY, "--commit", cwd=project)
    assert done.code == 0, done.output
    assert "other/" not in done.output
    assert "other/" not in git(project, "show", "--format=", "--name-only")
    assert command(*DEPLOY, "--commit", "--force", cwd=other).code == 0
    assert git(project, "status", "--porcelain", "--", "other/ensemble.yaml", "other/changes") == ""


def test_push(command, project, tmp_path):
    upstream = tmp_path / "upstream.git"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(upstream))
    git(project, "remote", "add", "origin", str(upstream))
    done = command(*DEPLOY, "--push", cwd=project)
    assert done.code == 0, done.output
    assert git(upstream, "rev-parse", "main") == git(project, "rev-parse", "HEAD")
    other = clone(upstream, tmp_path / "other")
    assert "No changes." in command("plan", cwd=other).output


def test_a_copy_that_others_have_gone_on_from_is_refused(command, project, tmp_path):
    other = clone(project, tmp_path / "other")
    (project / "service.yaml").write_text((project / "service.yaml").read_text() + "# more\n")
    git(project, "commit", "-qam", "more")
    refused = command(*DEPLOY, cwd=other)
    assert refused.code == 1
    assert "is behind origin/main" in refused.stderr
    assert not (other / "jobs.tsv").exists()
    assert "A job would be refused" in command("plan", cwd=other).output
    assert "is behind origin/main" in command("deploy.yml", program="ansible-playbook", cwd=_playbook(other)).output
    assert command(*DEPLOY, "--skip-upstream-check", cwd=other).code == 0
    again = command("undeploy", "--approve", cwd=other, extra={"UNFURL_SKIP_UPSTREAM_CHECK": "1"})
    assert again.code == 0, again.output


def _playbook(folder: Path) -> Path:
    (folder / "deploy.yml").write_text(
        "- hosts: localhost\n  gather_facts: false\n  vars: {ensemble: ensemble.yaml}\n  roles: [tosca.ensemble.job]\n"
    )
    return folder


def test_a_playbook_commits_too(command, project):
    _playbook(project)
    git(project, "add", ".")
    git(project, "commit", "-qm", "a playbook")
    done = command("deploy.yml", "-e", "ensemble_commit=true", program="ansible-playbook", cwd=project)
    assert done.code == 0, done.output
    assert git(project, "log", "-1", "--format=%s").startswith("Deploy A")
    (project / "deploy.yml").write_text((project / "deploy.yml").read_text() + "# changed\n")
    done = command("deploy.yml", "-e", "ensemble_commit=true", program="ansible-playbook", cwd=project)
    assert done.code != 0
    assert "deploy.yml" in done.output
    assert not (project / "ensemble.yaml.lock").exists()


def test_other_repositories_that_a_job_changed_are_committed(command, tmp_path):
    project = make_project(tmp_path / "project")
    text = (project / "service.yaml").read_text().replace("rm -f $name.txt", 'echo "# gone" >> types.yaml')
    types, _, rest = text.partition("topology_template:")
    shared = project / "types"
    shared.mkdir()
    (shared / ".gitignore").write_text("*.txt\n")
    (shared / "types.yaml").write_text(types)
    git(shared, "init", "--quiet", "--initial-branch=main")
    git(shared, "add", ".")
    git(shared, "commit", "-qm", "types")
    head = "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [types/types.yaml]\n"
    (project / "service.yaml").write_text(f"{head}topology_template:{rest}")
    with (project / ".gitignore").open("a") as file:
        file.write("types/\n")
    git(project, "commit", "-qam", "import")
    assert command(*DEPLOY, "--commit", cwd=project).code == 0
    assert git(shared, "log", "--format=%s") == "types"
    (shared / "new").write_text("left to people")
    done = command("undeploy", "--approve", "--commit", "--dirty", "ok", "--instance", "first", cwd=project)
    assert done.code == 0, done.output
    assert git(shared, "log", "-1", "--format=%s").startswith("Undeploy")
    assert git(shared, "status", "--porcelain") == "?? new"
    assert "name: types" in (project / "ensemble.yaml").read_text()


def test_locked(command, project):
    assert "nothing is locked yet" in command(*DEPLOY, "--locked", cwd=project).stderr
    assert command(*DEPLOY, cwd=project).code == 0
    assert command(*DEPLOY, "--locked", cwd=project).code == 0
    (project / "service.yaml").write_text((project / "service.yaml").read_text() + "# other\n")
    refused = command(*DEPLOY, "--locked", cwd=project)
    assert refused.code == 3
    assert "service.yaml differs" in refused.stderr
    git(project, "checkout", "service.yaml")
    ensemble = project / "ensemble.yaml"
    ensemble.write_text(
        ensemble.read_text().replace("ansible-core:\n      version: ", "ansible-core:\n      version: 9")
    )
    refused = command(*DEPLOY, "--locked", cwd=project)
    assert "ansible-core is" in refused.stderr


def test_an_ensemble_without_git_needs_none(command, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "service.yaml").write_text(make_project(tmp_path / "project").joinpath("service.yaml").read_text())
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    assert command(*DEPLOY, cwd=folder, extra={"GIT_PYTHON_GIT_EXECUTABLE": "/nowhere"}).code == 0
    assert "lock:" not in (folder / "ensemble.yaml").read_text()
