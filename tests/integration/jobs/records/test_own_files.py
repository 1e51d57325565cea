"""What a job writes itself: it never makes a repository dirty, and git keeps only the records of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.jobs.records.repositories import ENSEMBLE, git, make_project

COMMIT = ("deploy", "--approve", "--commit")
RECORDS = ("ensemble.yaml", "jobs.tsv", "changes/", "active/artifacts/")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """An ensemble in a repository that was not made by `init`: git ignores nothing there."""
    project = make_project(tmp_path / "project")
    (project / ".gitignore").write_text("*.txt\n")
    git(project, "commit", "--quiet", "--all", "-m", "plain")
    return project


def committed(project: Path) -> list[str]:
    return git(project, "show", "--name-only", "--format=", "HEAD").splitlines()


@pytest.mark.parametrize("options", [(), ("--dirty", "abort")], ids=["auto", "abort"])
def test_jobs_commit_one_after_the_other(command, plain: Path, options: tuple[str, ...]) -> None:
    for more in ((), ("--force",)):
        done = command(*COMMIT, *more, *options, cwd=plain)
        assert done.code == 0, done.output
        assert all(name.startswith(RECORDS) for name in committed(plain)), committed(plain)
    assert git(plain, "rev-list", "--count", "HEAD") == "4"
    left = {line[3:] for line in git(plain, "status", "--porcelain").splitlines()}
    assert left == {"jobs/"}
    told = " ".join(done.output.split())
    assert "Not committed: jobs, planned: they are machine-local; add them to .gitignore." in told


def test_what_a_killed_job_left_is_no_change_of_a_person(command, plain: Path) -> None:
    for name in ("failed.A6BM404X0001/tasks/x", "planned/job-plan-1.json", "active/tasks/a/b"):
        (plain / name).parent.mkdir(parents=True, exist_ok=True)
        (plain / name).write_text("{}")
    (plain / "ensemble.yaml.lock.0123456789abcdef.tmp").write_text("{}")
    done = command(*COMMIT, cwd=plain)
    assert done.code == 0, done.output
    assert all(name.startswith(RECORDS) for name in committed(plain)), committed(plain)


@pytest.mark.parametrize("name", ["jobs.md", "planned.md", "failed.md", "more/jobs/notes", "ensemble.yaml.orig"])
def test_what_a_person_wrote_counts(command, plain: Path, name: str) -> None:
    (plain / name).parent.mkdir(parents=True, exist_ok=True)
    (plain / name).write_text("mine")
    done = command(*COMMIT, cwd=plain)
    assert done.code == 1
    assert name in done.stderr


def test_a_job_with_nothing_to_do_commits_its_record(command, plain: Path) -> None:
    assert command(*COMMIT, cwd=plain).code == 0
    before = git(plain, "rev-parse", "HEAD")
    done = command(*COMMIT, cwd=plain)
    assert done.code == 0, done.output
    assert git(plain, "rev-list", "--count", f"{before}..HEAD") == "1"
    assert git(plain, "diff", "--stat") == ""
    assert all(name.startswith(RECORDS) for name in committed(plain)), committed(plain)


def test_an_instance_without_operations_is_committed_as_it_comes_and_goes(command, plain: Path) -> None:
    (plain / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "topology_template: {node_templates: {a: {type: tosca.nodes.Root}}}\n"
    )
    git(plain, "commit", "--quiet", "--all", "--message", "no operations")
    for workflow in ("deploy", "undeploy"):
        before = git(plain, "rev-parse", "HEAD")
        done = command(workflow, *COMMIT[1:], cwd=plain)
        assert done.code == 0, done.output
        assert git(plain, "rev-list", "--count", f"{before}..HEAD") == "1", done.output
        assert git(plain, "diff", "--stat") == ""


def test_a_playbook_commits_there_too(command, plain: Path) -> None:
    play = ("tosca.ensemble.deploy", "-e", "ensemble=ensemble.yaml ensemble_commit=true")
    for expected in ("3", "4"):  # the second one has nothing to do, which it records
        done = command(*play, program="ansible-playbook", cwd=plain)
        assert done.code == 0, done.output
        assert git(plain, "rev-list", "--count", "HEAD") == expected


def test_a_template_alone_is_committed_with_its_new_ensemble(command, plain: Path) -> None:
    git(plain, "rm", "--quiet", "ensemble.yaml")
    git(plain, "commit", "--quiet", "-m", "the template alone")
    done = command(*COMMIT, "service.yaml", cwd=plain)
    assert done.code == 0, done.output
    assert "ensemble.yaml" in committed(plain)


def test_an_ensemble_with_signs_in_its_name(command, plain: Path) -> None:
    (plain / "a[b]*.yaml").write_text(ENSEMBLE)
    git(plain, "rm", "--quiet", "ensemble.yaml")
    git(plain, "add", "--all")
    git(plain, "commit", "--quiet", "-m", "renamed")
    done = command(*COMMIT, "a[b]*.yaml", cwd=plain)
    assert done.code == 0, done.output
    assert "a[b]*.yaml" in committed(plain)
