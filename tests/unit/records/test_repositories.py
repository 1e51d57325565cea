from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.projects.pins import pins
from ansible_ensemble.records.repositories import check_working_trees, repositories_of
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


def test_what_jobs_write_beside_an_ensemble_is_no_difference_from_what_is_locked(tmp_path: Path) -> None:
    root = repository(tmp_path / "root")
    (root / "service.yaml").write_text(SERVICE)
    (root / "configure.sh").write_text("")
    (root / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", root, "add", "."], check=True)
    subprocess.run(["git", "-C", root, *identity, "commit", "--quiet", "-m", "all"], check=True)
    with (root / "ensemble.yaml").open("a") as file:
        file.write(json.dumps({"lock": pins({"self": root}, {})})[1:-1] + "\n")
    (root / "ensemble.yaml.lock").write_text("")
    (root / "jobs").mkdir()
    (root / "jobs" / "job.yaml").write_text("")
    options = JobOptions(locked=True)
    check_working_trees(read_ensemble(locate(root / "ensemble.yaml"), options), options)
    (root / "configure.sh").write_text("touch there")
    with pytest.raises(InvalidInput, match=r"differs from the lock section: configure\.sh differs"):
        check_working_trees(read_ensemble(locate(root / "ensemble.yaml"), options), options)
