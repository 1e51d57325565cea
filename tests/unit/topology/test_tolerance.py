"""What is taken although its form is off, each time with a warning that says where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.language.entities import Topology

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("tolerated.yaml")).data


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_tolerated(load: Callable[..., Topology], tmp_path: Path, case: dict[str, Any]) -> None:
    topology = load(case["template"], files=case.get("files", {}))
    assert [warning.replace(f"{tmp_path}/", "") for warning in topology.warnings] == case["warnings"]


def test_nothing_is_tolerated_in_a_library_of_types(load: Callable[..., Topology]) -> None:
    with pytest.raises(Exception, match="unknown node type 'Nothing'"):
        load("node_types: {T: {derived_from: Nothing}}")
