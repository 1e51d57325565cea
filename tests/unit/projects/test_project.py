from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.projects.project import default_ensemble, find_project, home_project, list_ensembles, read_project

# as Unfurl 1.2 writes it
UNFURL = """\
apiVersion: unfurl/v1alpha1
kind: Project
default_environment: staging
environments:
  defaults:
  staging:
    variables: {A: b}
ensembles:
- alias: web
  file: ensembles/web/ensemble.yaml
  environment: production
  default: true
- file: elsewhere.yaml
  project: another
"""


def write(path: Path, text: str = "kind: Ensemble\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_an_unfurl_project_is_read_as_it_is(tmp_path: Path) -> None:
    project = read_project(write(tmp_path / "unfurl.yaml", UNFURL))
    assert project.root == tmp_path
    assert project.default_environment == "staging"
    assert project.environments == {"defaults": {}, "staging": {"variables": {"A": "b"}}}
    entry = project.entry(tmp_path / "ensembles/web/ensemble.yaml")
    assert entry is not None
    assert (entry.name, entry.environment, entry.default) == ("web", "production", True)
    assert len(project.ensembles) == 1


def test_the_nearest_file_makes_the_project(tmp_path: Path) -> None:
    write(tmp_path / "unfurl.yaml", "environments: {outer: {}}")
    write(tmp_path / "inner" / "ensemble-project.yaml", "environments: {inner: {}}")
    ensemble = write(tmp_path / "inner" / "a" / "b" / "ensemble.yaml")
    assert list(find_project(ensemble).environments) == ["inner"]
    assert list(find_project(tmp_path / "a.yaml").environments) == ["outer"]


def test_a_repository_is_a_project_and_ends_the_search(tmp_path: Path) -> None:
    write(tmp_path / "unfurl.yaml", "environments: {outer: {}}")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    project = find_project(write(tmp_path / "repo" / "a" / "ensemble.yaml"))
    assert (project.root, project.file) == (tmp_path / "repo", None)


def test_an_ensemble_alone_is_a_project(tmp_path: Path) -> None:
    if any((folder / ".git").exists() for folder in tmp_path.parents):
        pytest.skip("the temporary folder is in a repository")
    assert find_project(write(tmp_path / "a" / "ensemble.yaml")).root == tmp_path / "a"


@pytest.mark.parametrize(
    "text",
    ["[]", "", "environments: []", "environments: {a: 1}", "ensembles: {}", "ensembles: [1]", "ensembles: [{}]", "{"],
)
def test_wrong_files_are_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"ensemble-project\.yaml"):
        read_project(write(tmp_path / "ensemble-project.yaml", text))


def test_a_file_without_environments_is_a_project(tmp_path: Path) -> None:
    text = "kind: Project\nenvironments:\nensembles:\n"
    project = read_project(write(tmp_path / "ensemble-project.yaml", text))
    assert (project.environments, project.ensembles) == ({}, ())


def test_the_home_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSIBLE_ENSEMBLE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home_project() is None
    write(tmp_path / ".config/ansible-ensemble/ensemble-project.yaml", "environments: {at-home: {}}")
    home = home_project()
    assert home is not None
    assert list(home.environments) == ["at-home"]
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_HOME", str(tmp_path / "other"))
    assert home_project() is None


def test_ensembles_are_found(tmp_path: Path) -> None:
    write(tmp_path / "unfurl.yaml", UNFURL)
    web = write(tmp_path / "ensembles/web/ensemble.yaml")
    db = write(tmp_path / "db/ensemble.yaml")
    write(tmp_path / "db/active/ensemble.yaml")
    write(tmp_path / ".hidden/ensemble.yaml")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert list_ensembles(find_project(tmp_path)) == [web, db]


def test_the_ensemble_meant_by_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "ensemble-project.yaml", "kind: Project\n")
    with pytest.raises(InvalidInput, match="init"):
        default_ensemble(tmp_path)
    web = write(tmp_path / "web/ensemble.yaml")
    assert default_ensemble(tmp_path) == web
    write(tmp_path / "db/ensemble.yaml")
    with pytest.raises(InvalidInput, match="db, web"):
        default_ensemble(tmp_path)
    with pytest.raises(InvalidInput, match="init"):
        default_ensemble(tmp_path / "nothing")
    write(tmp_path / "ensemble-project.yaml", "ensembles: [{file: web/ensemble.yaml, default: true}]")
    assert default_ensemble(tmp_path) == web
    own = write(tmp_path / "ensemble.yaml")
    assert default_ensemble(tmp_path) == own
