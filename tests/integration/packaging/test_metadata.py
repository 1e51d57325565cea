"""What is said twice is said alike: versions and dependencies of the package and of the collection."""

from __future__ import annotations

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


def test_both_require_the_same_ansible(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    runtime = yaml.safe_load((repository / "meta" / "runtime.yml").read_text())
    core = next(line for line in project["dependencies"] if line.startswith("ansible-core"))
    assert runtime["requires_ansible"] == core.removeprefix("ansible-core") + ".0"


def test_every_dependency_says_why(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    reasons = (repository / "docs" / "dependencies.md").read_text()
    for line in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name = re.split(r"[<>=\[]", line, maxsplit=1)[0]
        assert f"| {name} |" in reasons, f"docs/dependencies.md does not say why {name} is needed"
