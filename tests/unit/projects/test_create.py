from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.projects import git
from ansible_ensemble.projects.create import clone_project, init_project
from ansible_ensemble.projects.gitfiles import IGNORED, ensure_lines
from ansible_ensemble.projects.project import find_project
from ansible_ensemble.topology.service_template import load_topology

TEMPLATE = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return init_project(tmp_path / "shop").folder


def test_a_new_project_is_complete_and_committed(tmp_path: Path) -> None:
    made = init_project(tmp_path / "shop")
    assert made.folder == tmp_path / "shop"
    assert {
        ".gitattributes",
        ".gitignore",
        "ansible.cfg",
        "collections/requirements.yml",
        "deploy.yml",
        "undeploy.yml",
        "ensemble-project.yaml",
        "ensemble.yaml",
        "execution-environment.yml",
        "inventory/ensemble.yml",
        "service-template.yaml",
    } <= set(made.files)
    assert all((made.folder / file).is_file() for file in made.files)
    assert made.notices == []
    assert git.dirty_files(made.folder) == []
    assert git.head(made.folder)
    assert "jobs.tsv merge=union" in (made.folder / ".gitattributes").read_text()


def test_its_sample_is_a_valid_topology(project: Path) -> None:
    topology = load_topology(project / "service-template.yaml")
    assert list(topology.node_templates) == ["site", "page"]
    assert topology.warnings == []
    assert find_project(project / "ensemble.yaml").root == project


def test_every_yaml_file_of_it_is_valid(project: Path) -> None:
    for file in [*project.rglob("*.yml"), *project.rglob("*.yaml")]:
        assert read_yaml(file).data


@pytest.mark.parametrize(
    "path",
    ["jobs/job.log", "planned/tasks/x", "failed.A6BKKsK50001/tasks/x", "active/tasks/x/y", "ensemble.yaml.lock",
     "secrets/digest.key", "web/jobs/x", "ensemble.yaml.lock.lfs"],
)  # fmt: skip
def test_what_git_ignores(project: Path, path: str) -> None:
    assert subprocess.run(["git", "check-ignore", "-q", path], cwd=project, check=False).returncode == 0


@pytest.mark.parametrize(
    "path",
    ["ensemble.yaml", "jobs.tsv", "changes/job.yaml", "active/artifacts/x", "active/secrets/x/y",
     "secrets/secrets.yaml", "web/jobs.tsv"],
)  # fmt: skip
def test_what_git_keeps(project: Path, path: str) -> None:
    assert subprocess.run(["git", "check-ignore", "-q", path], cwd=project, check=False).returncode == 1


def test_records_of_two_clones_merge(project: Path, tmp_path: Path) -> None:
    other = clone_project(str(project), tmp_path / "other").folder
    for folder, line in ((project, "A6BKKsK50000\tstatus=ok\n"), (other, "A6BKKsK60000\tstatus=ok\n")):
        (folder / "jobs.tsv").write_text(line)
        git.commit(folder, [folder / "jobs.tsv"], "a job")
    merge = ["git", "-c", "user.name=x", "-c", "user.email=x", "pull", "-q", "--no-rebase", "--no-edit"]
    subprocess.run(merge, cwd=other, check=True, capture_output=True)
    assert sorted((other / "jobs.tsv").read_text().splitlines()) == [
        "A6BKKsK50000\tstatus=ok",
        "A6BKKsK60000\tstatus=ok",
    ]


def test_what_is_there_stays(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "ansible.cfg").write_text("mine")
    (folder / ".gitignore").write_text("mine")
    (folder / "unfurl.yaml").write_text("kind: Project")
    made = init_project(folder)
    assert (folder / "ansible.cfg").read_text() == "mine"
    assert (folder / ".gitignore").read_text().startswith("mine\n")
    assert not {"ansible.cfg", "ensemble-project.yaml"} & set(made.files)
    assert made.notices == ["ansible.cfg exists and is left unchanged"]


def test_a_second_time_is_refused(project: Path) -> None:
    with pytest.raises(InvalidInput, match="already"):
        init_project(project)


def test_one_more_ensemble_of_a_project(project: Path) -> None:
    made = init_project(project / "db")
    assert made.files == ["ensemble.yaml", "service-template.yaml"]
    assert git.repository_of(made.folder) == project
    assert made.within == project


def test_an_ensemble_of_a_given_template(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "mine: it.yaml").write_text(TEMPLATE)
    made = init_project(tmp_path / "shop", template="mine: it.yaml")
    assert read_yaml(made.folder / "ensemble.yaml").data["spec"]["service_template"] == "mine: it.yaml"
    assert not (made.folder / "service-template.yaml").exists()
    with pytest.raises(InvalidInput, match=r"missing\.yaml"):
        init_project(tmp_path / "other", template="missing.yaml")


def test_where_it_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnsembleError, match="cannot be made"):
        init_project(tmp_path / "file" / "shop")


def test_its_folder_has_the_name_that_it_has_without_detours(tmp_path: Path) -> None:
    assert init_project(tmp_path / "here" / ".." / "shop").folder == tmp_path / "shop"


def test_a_clone_by_path_and_by_url(project: Path, tmp_path: Path) -> None:
    sources = (str(project), str(project / "ensemble.yaml"), f"file://{project}")
    for number, source in enumerate(sources):
        made = clone_project(source, tmp_path / f"clone{number}")
        assert made.ensembles == [tmp_path / f"clone{number}" / "ensemble.yaml"]
        assert git.head(made.folder) == git.head(project)


def test_its_folder_is_named_as_the_source(project: Path) -> None:
    assert clone_project(f"file://{project}").folder == Path.cwd() / "shop"


def test_a_folder_that_is_in_no_repository_is_copied(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for path in (
        "web/ensemble.yaml",
        "web/planned/x",
        "web/jobs/x",
        "web/active/artifacts/x",
        "web/ensemble.yaml.lock",
    ):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text("x")
    made = clone_project(str(source), tmp_path / "copy")
    assert made.ensembles == [tmp_path / "copy/web/ensemble.yaml"]
    copied = sorted(str(path.relative_to(made.folder)) for path in made.folder.rglob("*") if path.is_file())
    assert copied == ["web/active/artifacts/x", "web/ensemble.yaml"]
    with pytest.raises(InvalidInput, match="into itself"):
        clone_project(str(source), source / "copy")


def test_an_archive_becomes_a_project(tmp_path: Path) -> None:
    archive = tmp_path / "app.csar"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("TOSCA-Metadata/TOSCA.meta", "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: x\n"
                      "Entry-Definitions: definitions/main.yaml\n")  # fmt: skip
        file.writestr("definitions/main.yaml", TEMPLATE)
    made = clone_project(str(archive))
    assert made.folder == Path.cwd() / "app"
    assert read_yaml(made.folder / "ensemble.yaml").data["spec"]["service_template"] == "definitions/main.yaml"


def test_what_cannot_be_cloned(project: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no"):
        clone_project(str(tmp_path / "missing"))
    with pytest.raises(InvalidInput, match="not empty"):
        clone_project(str(project), project)
    with pytest.raises(EnsembleError, match="git failed"):
        clone_project(f"file://{tmp_path}/missing", tmp_path / "clone")
    with pytest.raises(InvalidInput, match="there is no ~nobody-of-this-name"):
        clone_project("~nobody-of-this-name")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(EnsembleError, match="loop': File exists"):
        clone_project(str(project), tmp_path / "loop")


def test_lines_are_added_once(tmp_path: Path) -> None:
    file = tmp_path / ".gitignore"
    file.write_text("mine\njobs/")
    assert ensure_lines(file, IGNORED)
    text = file.read_text()
    assert text.startswith("mine\njobs/\n")
    assert text.count("jobs/\n") == 1
    assert not ensure_lines(file, IGNORED)
    assert file.read_text() == text


def test_a_clone_is_named_by_a_plain_path(project: Path) -> None:
    assert clone_project(str(project), Path("made/../copy")).folder == Path.cwd() / "copy"
