"""The collection holds no rules: its plugins come to the package through one door."""

from __future__ import annotations

import re
from pathlib import Path

MODULE = re.compile(r"\bansible_ensemble(?:\.\w+)+")


def test_plugins_reach_the_package_through_one_door(repository: Path) -> None:
    plugins = repository / "plugins"
    found = {
        (str(file.relative_to(plugins)), name)
        for file in plugins.rglob("*.py")
        for name in MODULE.findall(file.read_text())
    }
    door = "plugin_utils/package.py"
    names = ("core.errors", "core.log", "core.output", "jobs.ansible", "jobs.upkeep", "machines.ansible")
    assert found == {(door, f"ansible_ensemble.{name}") for name in names}


def test_playbooks_and_roles_hold_no_python(repository: Path) -> None:
    files = [file for folder in ("playbooks", "roles") for file in (repository / folder).rglob("*.py")]
    assert files == []
