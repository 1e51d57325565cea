"""What is said twice is said alike: versions and dependencies of the package and of the collection."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import yaml

import ansible_ensemble


def test_package_and_collection_have_one_version(repository: Path) -> None:
    galaxy = yaml.safe_load((repository / "galaxy.yml").read_text())
    assert galaxy["version"] == ansible_ensemble.__version__


def test_the_collection_requires_what_the_package_does(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    lines = (repository / "requirements.txt").read_text().splitlines()
    required = [line for line in lines if line and not line.startswith("#")]
    # the controller is there already, and ansible-runner serves the command alone
    assert required == [
        line for line in project["dependencies"] if not line.startswith(("ansible-core", "ansible-runner"))
    ]


def test_the_plugins_for_machines_require_what_the_extra_does(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    lines = (repository / "requirements-provision.txt").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == project["optional-dependencies"]["provision"]


def test_both_require_the_same_ansible(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    runtime = yaml.safe_load((repository / "meta" / "runtime.yml").read_text())
    core = next(line for line in project["dependencies"] if line.startswith("ansible-core"))
    assert runtime["requires_ansible"] == core.removeprefix("ansible-core") + ".0"


def test_every_dependency_says_why(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    reasons = (repository / "docs" / "dependencies.md").read_text()
    extras = project["optional-dependencies"]
    for line in [*project["dependencies"], *extras["dev"], *extras["provision"]]:
        name = re.split(r"[<>=\[]", line, maxsplit=1)[0]
        assert f"| {name} |" in reasons, f"docs/dependencies.md does not say why {name} is needed"


def test_the_lock_has_every_dependency(repository: Path) -> None:
    """Nothing else is installed for development."""
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    wanted = {re.split(r"[<>=\[]", line, maxsplit=1)[0] for line in lines} - {project["name"]}
    locked = re.findall(r"^([\w.-]+)==", (repository / "requirements-dev.lock").read_text(), re.MULTILINE)
    assert {re.sub(r"[-_.]+", "-", name).lower() for name in wanted} - set(locked) == set(), "make lock"


def test_the_published_schema_is_the_one_in_use(repository: Path) -> None:
    published = repository / "docs" / "ensemble.schema.json"
    used = repository / "python" / "ansible_ensemble" / "documents" / "ensemble.schema.json"
    assert published.read_text() == used.read_text(), f"cp {used} {published}"
    galaxy = yaml.safe_load((repository / "galaxy.yml").read_text())
    address = galaxy["repository"].replace("github.com", "raw.githubusercontent.com")
    identity = f"{address}/main/docs/ensemble.schema.json"
    assert json.loads(used.read_text())["$id"] == identity
