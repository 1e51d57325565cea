from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ansible_ensemble.configurators.registry import GROUP, configurator_for
from ansible_ensemble.core.errors import InvalidInput

from .conftest import operation


@pytest.mark.parametrize(
    "written,name",
    [
        ("echo me", "command"),
        ("ansible.builtin.ping", "module"),
        ({"class_name": "Template"}, "template"),
        ({"class_name": "Delegate"}, "delegate"),
        ({"class_name": "role", "primary": "web"}, "role"),
        ({"class_name": "tasks", "primary": "t.yml"}, "tasks"),
        ({"class_name": "Ansible"}, "playbook"),
        ({"class_name": "script", "primary": "x.sh"}, "script"),
    ],
)
def test_own(tmp_path: Path, written: object, name: str) -> None:
    (tmp_path / "roles/web/tasks").mkdir(parents=True)
    (tmp_path / "roles/web/tasks/main.yml").write_text("- ping:\n")
    for file in ("t.yml", "x.sh"):
        (tmp_path / file).write_text("- ping:\n")
    assert configurator_for(operation(written, base=tmp_path), tmp_path).name == name


def test_unknown(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r'service.yaml:7:3: there is no configurator "Comand" \(there are command, '
    ):
        configurator_for(operation({"class_name": "Comand"}, base=tmp_path), tmp_path)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that registers configurators."""
    (tmp_path / "theirs_of_a_test.py").write_text("def make(target):\n    return ('made', target)\n")
    information = tmp_path / "theirs_of_a_test-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs-of-a-test\nVersion: 1\n")
    points = "cache = theirs_of_a_test:make\nbroken = theirs_of_a_test:gone\nlost = theirs_that_is_not_there:make\n"
    (information / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("theirs_of_a_test", None)


def test_of_another_package(package: Path) -> None:
    made = configurator_for(operation({"class_name": "cache", "primary": "what"}, base=package), package)
    assert made == ("made", "what")


@pytest.mark.parametrize("name", ["broken", "lost"])
def test_of_another_package_that_does_not_load(package: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=f'the configurator "{name}" .* cannot be loaded'):
        configurator_for(operation({"class_name": name}, base=package), package)
