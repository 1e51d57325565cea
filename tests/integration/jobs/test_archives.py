"""Archives whose service template lies in a folder: one ensemble, by whichever of its names it is given."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "TOSCA-Metadata/TOSCA.meta": (
        "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: defs/main.yaml\n"
    ),
    "defs/main.yaml": (
        "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [/defs/types.yaml]\n"
        "topology_template: {node_templates: {t: {type: T}}}\n"
    ),
    "defs/types.yaml": (
        "tosca_definitions_version: tosca_simple_yaml_1_3\nnode_types:\n"
        "  T: {derived_from: tosca.nodes.Root, interfaces: {Standard: {operations: {create: ../scripts/c.sh}}}}\n"
    ),
    "scripts/c.sh": "echo made\n",
}


@pytest.mark.parametrize("given", ["a.csar", "a", "a/defs/main.yaml"])
def test_it_is_deployed_into_one_ensemble(command: Any, tmp_path: Path, given: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.csar", "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    if given != "a.csar":
        with zipfile.ZipFile(tmp_path / "a.csar") as archive:
            archive.extractall(tmp_path / "a")
    done = command("deploy", "--approve", "--output", "json", given)
    assert done.code == 0, done.output
    assert len(json.loads(done.stdout)["tasks"]) == 1
    assert (tmp_path / "a" / "ensemble.yaml").is_file()
    for again in ("a", "a/defs/main.yaml"):
        done = command("deploy", "--approve", "--output", "json", again)
        assert (done.code, json.loads(done.stdout)["tasks"]) == (0, [])
