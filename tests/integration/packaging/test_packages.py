"""The wheel and the collection's tarball: what they hold, and that each works in an empty environment."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.integration.docs.test_provision import COMMAND, lived
from tests.integration.packaging.calls import call

COLLECTION = "ansible_collections/tosca/ensemble"
TINY = Path(__file__).parent / "tiny"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """The programs of an empty virtual environment."""
    call([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], tmp_path)
    return tmp_path / "venv" / "bin"


def install(programs: Path, folder: Path, *what: str | Path) -> None:
    """Install with what is needed for it; Python compiles what it imports, which is a part of what there is."""
    options = ("--python", programs / "python", "install", "--quiet", "--no-compile", "--disable-pip-version-check")
    call([sys.executable, "-m", "pip", *options, *what], folder)


def names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_carries_the_package_and_the_collection_once(wheel: Path) -> None:
    names = names_in_wheel(wheel)
    assert {"ansible_ensemble/__init__.py", "ansible_ensemble/py.typed"} <= names
    assert {f"{COLLECTION}/{name}" for name in ("galaxy.yml", "meta/runtime.yml", "playbooks/deploy.yml")} <= names
    assert f"{COLLECTION}/extensions/eda/plugins/event_source/ensemble.py" in names
    assert {f"{COLLECTION}/plugins/action/{name}.py" for name in ("lock", "plan", "execute", "record")} <= names
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"ansible_ensemble", "ansible_collections"}
    assert not [name for name in names if "__pycache__" in name or name.startswith(f"{COLLECTION}/python")]


def test_the_tarball_carries_what_a_user_needs_and_no_more(tarball: Path) -> None:
    with tarfile.open(tarball) as archive:
        tops = {name.split("/")[0] for name in archive.getnames()}
        names = set(archive.getnames())
    assert tops >= {
        "extensions",
        "plugins",
        "playbooks",
        "roles",
        "meta",
        "docs",
        "python",
        "LICENSE",
        "README.md",
        "requirements.txt",
        "requirements-provision.txt",
    }
    assert not tops & {"tests", ".venv", ".build", "dist", "Makefile", "pyproject.toml", ".git", "examples", ".ci"}
    assert "python/ansible_ensemble/__init__.py" in names
    assert not [name for name in names if name.endswith(".pyc")]


@pytest.mark.matrix
def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path, repository: Path) -> None:
    call([sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, repository], tmp_path)
    source = next(tmp_path.glob("*.tar.gz"))
    call(["tar", "-xzf", source], tmp_path)
    call(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            tmp_path,
            source.name[: -len(".tar.gz")],
        ],
        tmp_path,
    )
    assert names_in_wheel(next(tmp_path.glob("*.whl"))) == names_in_wheel(wheel)


@pytest.mark.matrix
def test_an_installed_wheel_deploys_and_takes_a_machine_through_a_workflow_that_reboots_it(
    wheel: Path, empty: Path, tmp_path: Path
) -> None:
    install(empty, tmp_path, wheel)
    assert "tosca.ensemble" in call([empty / "ansible-galaxy", "collection", "list"], tmp_path)
    path = f"{empty}:{os.environ['PATH']}"

    tiny = Path(shutil.copytree(TINY, tmp_path / "by-command"))
    call([empty / "ansible-ensemble", "deploy", "--approve", "ensemble.yaml"], tiny, PATH=path)
    assert (tiny / "note.txt").read_text() == "hello"
    call([empty / "ansible-ensemble", "undeploy", "--approve", "ensemble.yaml"], tiny, PATH=path)
    assert not (tiny / "note.txt").exists()

    deploy_by_playbook(empty, Path(shutil.copytree(TINY, tmp_path / "by-playbook")))

    install(empty, tmp_path, f"{wheel}[provision]")
    home = tmp_path / "home"
    home.mkdir()
    lived(home, [COMMAND], empty)


@pytest.mark.matrix
def test_an_installed_tarball_deploys_with_its_requirements_alone(
    tarball: Path, empty: Path, tmp_path: Path, repository: Path
) -> None:
    install(empty, tmp_path, "ansible-core", "-r", repository / "requirements.txt")
    where = tmp_path / "collections"
    call([empty / "ansible-galaxy", "collection", "install", "--offline", "-p", where, tarball], tmp_path)
    tiny = Path(shutil.copytree(TINY, tmp_path / "tiny"))
    deploy_by_playbook(empty, tiny, ANSIBLE_COLLECTIONS_PATH=str(where))


def deploy_by_playbook(programs: Path, tiny: Path, **environment: str) -> None:
    """Deploy and undeploy the tiny ensemble by the collection's playbooks."""
    environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    call([programs / "ansible-playbook", "tosca.ensemble.deploy", "-e", "ensemble=ensemble.yaml"], tiny, **environment)
    assert (tiny / "note.txt").read_text() == "hello"
    assert "said: hello" in (tiny / "ensemble.yaml").read_text()
    call(
        [programs / "ansible-playbook", "tosca.ensemble.undeploy", "-e", "ensemble=ensemble.yaml"], tiny, **environment
    )
    assert not (tiny / "note.txt").exists()
