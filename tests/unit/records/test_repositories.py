from __future__ import annotations

import subprocess
from pathlib import Path

from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.records.repositories import repositories_of
from tests.unit.conftest import SERVICE


def repository(folder: Path, ignored: str = "") -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / ".gitignore").write_text(ignored)
    return folder


def repositories_at(folder: Path, service: str = SERVICE) -> dict[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "service.yaml").write_text(service)
    (folder / "configure.sh").write_text("")
    return repositories_of(read_ensemble(locate(folder / "service.yaml"), JobOptions()))


def test_the_repository_around_an_ensemble_is_its_own(tmp_path: Path) -> None:
    root = repository(tmp_path / "root")
    assert repositories_at(root / "deep" / "one") == {"self": root}


def test_an_ensemble_that_git_ignores_is_in_no_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", ignored="built/\n")
    assert repositories_at(root / "built" / "one") == {}


def test_a_repository_that_is_imported_from_counts_by_its_name(tmp_path: Path) -> None:
    root = repository(tmp_path / "root", ignored="built/\nmore/\n")
    other = repository(root / "more")
    (other / "more.yaml").write_text("tosca_definitions_version: tosca_simple_yaml_1_3\n")
    importing = SERVICE.replace("node_types:", "imports: [../more/more.yaml]\nnode_types:", 1)
    assert repositories_at(root / "one", importing) == {"self": root, "more": other}
    assert repositories_at(root / "built", importing) == {"more": other}
