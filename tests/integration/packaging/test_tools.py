"""The tools of Ansible's people take the collection as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.packaging.calls import call

PROGRAMS = Path(sys.executable).parent
COLLECTION = "ansible_collections/tosca/ensemble"

pytestmark = pytest.mark.matrix


@pytest.fixture(scope="session")
def collections(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the collection of the tarball."""
    folder = tmp_path_factory.mktemp("collections")
    with tarfile.open(tarball) as archive:
        archive.extractall(folder / COLLECTION)
    return folder


def tool(*words: str | Path, cwd: Path, collections: Path, **environment: str) -> str:
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    name, *rest = words
    given = {"HOME": str(cwd), "PATH": path, "ANSIBLE_COLLECTIONS_PATH": str(collections)}
    return call([PROGRAMS / name, *rest], cwd, **given, **environment)


def test_ansible_navigator_lists_plugins_and_roles(collections: Path, tmp_path: Path) -> None:
    log = ("--ee", "false", "--lf", tmp_path / "log", "--mode", "stdout")
    told = yaml.safe_load(tool("ansible-navigator", "collections", *log, cwd=tmp_path, collections=collections))
    (ours,) = [one for one in told["collections"] if one["path"] == str(collections / COLLECTION)]
    assert ours["known_as"] == "tosca.ensemble"
    assert {role["full_name"] for role in ours["roles"]} == {
        f"tosca.ensemble.{name.name}" for name in (collections / COLLECTION / "roles").iterdir()
    }
    assert all(role["argument_specs"] and role["readme_path"] for role in ours["roles"])
    modules = {one["full_name"]: one["short_description"] for one in ours["plugins"]["module"]}
    assert modules.keys() == {
        f"tosca.ensemble.{file.stem}" for file in (collections / COLLECTION / "plugins/modules").glob("*.py")
    }
    assert all(modules.values())


def test_ansible_builder_makes_the_context_of_an_environment(
    tarball: Path, collections: Path, tmp_path: Path, repository: Path
) -> None:
    shutil.copy(repository / "execution-environment.yml", tmp_path)
    (tmp_path / "dist").mkdir()
    shutil.copy(tarball, tmp_path / "dist")
    tool("ansible-builder", "create", "--output-filename", "Containerfile", cwd=tmp_path, collections=collections)
    context = tmp_path / "context"
    asked = yaml.safe_load((context / "_build" / "requirements.yml").read_text())["collections"]
    assert [(context / "_build" / one["name"]).read_bytes() for one in asked] == [tarball.read_bytes()]
    assert "ansible-galaxy collection install" in (context / "Containerfile").read_text()


def test_an_environment_gets_what_the_collection_needs(collections: Path, tmp_path: Path) -> None:
    told: Any = yaml.safe_load(
        tool("ansible-builder", "introspect", collections, cwd=tmp_path, collections=collections)
    )
    lines = (collections / COLLECTION / "requirements.txt").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    given = {one.partition("  #")[0].strip() for one in told["python"]}
    assert given <= set(wanted)
    assert set(wanted) - given <= {"PyYAML>=6.0"}  # which ansible-core brings
    assert {one.split()[0] for one in told["system"]} == {"git", "git-lfs"}


def test_the_scenario_of_molecule(collections: Path, tmp_path: Path) -> None:
    shutil.copytree(collections / COLLECTION / "extensions" / "molecule", tmp_path / "molecule")
    scenario = {"MOLECULE_EPHEMERAL_DIRECTORY": str(tmp_path / "ephemeral"), "NO_COLOR": "1"}
    tool("molecule", "test", cwd=tmp_path, collections=collections, **scenario)
    assert not (tmp_path / "ephemeral" / "page.html").exists()


@pytest.mark.parametrize(
    "words", [("integration",), ("units", "tests/unit/plugins/test_filters.py")], ids=lambda words: words[0]
)
def test_ansible_test(repository: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    if not (repository / ".git").exists():
        pytest.skip("ansible-test takes what git knows, and this is no checkout")
    environment = {**os.environ, "ANSIBLE_TEST_FOLDER": str(tmp_path), "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    command = [repository / "tests" / "ansible_test" / "run", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
