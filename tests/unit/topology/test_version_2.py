"""What is valid in files of TOSCA 2.0, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.topology.service_template import load_topology
from ansible_ensemble.views.data import plain

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("version_2.yaml")).data


def test_the_version_comes_first(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text("description: nothing\ntosca_definitions_version: tosca_2_0\n")
    with pytest.raises(InvalidInput, match="must be the first key"):
        load_topology(tmp_path / "service.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_file_is_valid_or_refused(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(emit_yaml({"tosca_definitions_version": "tosca_2_0", **plain(case["file"])}))
    for name, text in case.get("beside", {}).items():
        (tmp_path / name).write_text(text)
    try:
        load_topology(file)
    except InvalidInput as error:
        assert case.get("refused", "nothing is wrong") in str(error)
    else:
        assert "refused" not in case
