from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.ensembles.implementation import own_digests
from ansible_ensemble.language.entities import Assignment, Implementation, Operation


def operation(root: Path, primary: str, inputs: dict[str, Any] | None = None) -> Operation:
    written = {name: Assignment(value) for name, value in (inputs or {}).items()}
    return Operation("Standard", "create", Implementation(primary=primary), written, base=root)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "create.sh").write_text("echo one\n")
    return tmp_path / "create.sh"


def test_the_same_is_the_same(tmp_path: Path, script: Path) -> None:
    one, two = (own_digests(operation(tmp_path, "create.sh", {"a": 1, "b": 2}), tmp_path) for _ in range(2))
    assert one == two
    assert set(one) == {".implementation", ".inputs", ".keywords"}


def test_the_order_of_inputs_does_not_matter(tmp_path: Path, script: Path) -> None:
    there = own_digests(operation(tmp_path, "create.sh", {"a": 1, "b": 2}), tmp_path)
    assert own_digests(operation(tmp_path, "create.sh", {"b": 2, "a": 1}), tmp_path) == there


def test_another_text_of_the_script_is_another_implementation(tmp_path: Path, script: Path) -> None:
    before = own_digests(operation(tmp_path, "create.sh"), tmp_path)
    script.write_text("echo two\n")
    after = own_digests(operation(tmp_path, "create.sh"), tmp_path)
    assert after[".implementation"] != before[".implementation"]
    assert after[".inputs"] == before[".inputs"]


def test_another_command_is_another_implementation(tmp_path: Path) -> None:
    one, two = (own_digests(operation(tmp_path, text), tmp_path) for text in ("echo one", "echo two"))
    assert one[".implementation"] != two[".implementation"]


def test_another_input_is_told_from_another_implementation(tmp_path: Path, script: Path) -> None:
    one, two = (own_digests(operation(tmp_path, "create.sh", {"a": value}), tmp_path) for value in (1, 2))
    assert one[".inputs"] != two[".inputs"]
    assert one[".implementation"] == two[".implementation"]


def test_no_digest_is_made_of_a_secret(tmp_path: Path, script: Path) -> None:
    one, two = (
        own_digests(operation(tmp_path, "create.sh", {"a": mark_sensitive(value)}), tmp_path) for value in ("x", "y")
    )
    assert one == two
