"""Projects as Unfurl makes them: an ensemble in a repository of its own, or in that of its specification."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.projects.vault import Vault

PROJECT = "apiVersion: unfurl/v1alpha1\nkind: Project\n+?include-local: local/unfurl.yaml\n"
TEMPLATE = """\
apiVersion: unfurl/v1alpha1
spec:
  service_template:
    +?include: service_template.py
    imports:
    - {file: types.yaml, repository: spec}
    topology_template:
      node_templates:
        app: {type: App}
"""
ENSEMBLE = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
+include: {file: ensemble-template.yaml, repository: spec}
spec:
  service_template:
    repositories:
      spec: {url: "git-local://COMMIT:/."}
"""
TYPES = "tosca_definitions_version: tosca_simple_unfurl_1_0_0\nnode_types: {App: {derived_from: tosca.nodes.Root}}\n"


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(folder: Path) -> str:
    """Make a folder a repository with all that is in it, and return its first commit."""
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", f"of {folder.name}", "--allow-empty")
    return git(folder, "rev-parse", "HEAD")


def write(folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def one_repository(root: Path) -> str:
    write(root, unfurl__yaml=PROJECT, types__yaml=TYPES, service_template__py="# nothing yet\n'''a text'''\n")
    write(root, **{"ensemble-template__yaml": TEMPLATE})
    commit = repository(root)
    write(root / "ensemble", ensemble__yaml=ENSEMBLE.replace("COMMIT", commit))
    return commit


def two_repositories(root: Path) -> str:
    commit = one_repository(root)
    write(root / "ensemble", unfurl__yaml=PROJECT)
    repository(root / "ensemble")
    return commit


def read(folder: Path) -> Ensemble:
    return read_ensemble(locate(folder), JobOptions())


@pytest.mark.parametrize("layout", [one_repository, two_repositories])
def test_the_specification_may_lie_around_the_ensemble(tmp_path: Path, layout: Callable[[Path], str]) -> None:
    layout(tmp_path)
    assert [*read(tmp_path / "ensemble").topology.node_templates] == ["app"]


def test_the_repository_is_known_by_its_first_commit(tmp_path: Path) -> None:
    commit = two_repositories(tmp_path)
    ensemble = tmp_path / "ensemble" / "ensemble.yaml"
    ensemble.write_text(ensemble.read_text().replace(commit, "f" * 40))
    with pytest.raises(InvalidInput, match=r"there is no repository 'spec'"):
        read(tmp_path / "ensemble")


@pytest.mark.usefixtures("nothing_trusted")
def test_a_stranger_reaches_no_repository_around_it(tmp_path: Path) -> None:
    two_repositories(tmp_path)
    with pytest.raises(InvalidInput, match=r"the repository 'spec' is .* its own folders only") as told:
        read(tmp_path / "ensemble")
    assert f"`ansible-ensemble trust {tmp_path}`" in str(told.value), "the outer folder, for the ensemble is part of it"


@pytest.mark.usefixtures("nothing_trusted")
def test_a_stranger_is_not_to_be_trusted_with_more_than_its_project(tmp_path: Path) -> None:
    two_repositories(tmp_path / "its")
    ensemble = tmp_path / "its" / "ensemble"
    text = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nenvironment: {repositories: {r: {url: /}}}\n"
    (ensemble / "ensemble.yaml").write_text(text)
    with pytest.raises(InvalidInput, match="its own folders only") as told:
        read(ensemble)
    assert f"`ansible-ensemble trust {ensemble}`" in str(told.value)


def test_a_project_may_name_an_environment_that_has_nothing(tmp_path: Path) -> None:
    one_repository(tmp_path)
    (tmp_path / "unfurl.yaml").write_text(PROJECT + "default_environment: shared\n")
    assert read(tmp_path / "ensemble").environment.name == "shared"


LOCAL = """\
apiVersion: unfurl/v1alpha1
kind: Project
environments: {defaults: {secrets: {vault_secrets: {mine: kept here}}}}
"""
SECRETS = "kind: Project\nenvironments: {defaults: {secrets: {token: hunter2}}}\n"


@pytest.mark.parametrize(("variable", "password"), [("", "kept here"), ("another", "another")])
def test_secrets_of_a_clone_are_opened_by_the_project_s_own_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, password: str
) -> None:
    one_repository(tmp_path)
    write(tmp_path / "local", unfurl__yaml=LOCAL)
    vault = Vault()
    vault.take({"mine": password})
    write(tmp_path / ".secrets", secrets__yaml=str(vault.encrypt(SECRETS)))
    if variable:
        monkeypatch.setenv("UNFURL_VAULT_MINE_PASSWORD", variable)
    ensemble = read(tmp_path / "ensemble")
    assert ensemble.environment.secret("token") == "hunter2"
    assert [*ensemble.environment.secrets] == ["token"]


def test_a_vault_password_that_is_none_is_told_by_its_place(tmp_path: Path) -> None:
    one_repository(tmp_path)
    write(tmp_path / "local", unfurl__yaml=LOCAL.replace("kept here", "[1]"))
    with pytest.raises(InvalidInput, match="the vault password 'mine' is no text") as caught:
        read(tmp_path / "ensemble")
    assert caught.value.place is not None
    assert caught.value.place.file.endswith("local/unfurl.yaml")


def test_a_project_without_an_ensemble_is_no_archive(tmp_path: Path) -> None:
    write(tmp_path, **{"unfurl.yaml": PROJECT, "ensemble-template.yaml": TEMPLATE, ".unfurl-local-template.yaml": ""})
    with pytest.raises(InvalidInput, match="there is no ensemble"):
        locate(tmp_path)


def test_an_ensemble_of_types_alone_is_no_library(tmp_path: Path) -> None:
    types = "node_types: {T: {derived_from: tosca.nodes.Root, capabilities: {c: {type: Nothing}}}}"
    text = f"apiVersion: unfurl/v1alpha1\nkind: Ensemble\nspec: {{service_template: {{{types}}}}}\n"
    (tmp_path / "ensemble.yaml").write_text(text)
    read = read_ensemble(locate(tmp_path), JobOptions())
    assert ["unknown capability type 'Nothing'; nothing uses the type" in one for one in read.warnings] == [True]
