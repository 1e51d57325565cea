from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.projects.mesh_settings import MeshSettings, Rule, mesh_settings

HERE = Path("/project")
GIVEN = {"socket": "/run/control.sock", "key": "keys/mesh"}


def test_no_section_is_no_mesh() -> None:
    assert mesh_settings(None, HERE) is None


def test_paths_start_in_the_folder_of_the_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    found = mesh_settings({**GIVEN, "place": [{"match": {"type": "Web*"}, "node": "dc2-*"}, {"node": "local"}]}, HERE)
    rules = (Rule({"type": ("Web*",)}, "dc2-*"), Rule({}, "local"))
    assert found == MeshSettings(Path("/run/control.sock"), Path("/project/keys/mesh"), rules)
    found = mesh_settings({**GIVEN, "key": "~/mesh", "place": None, "per_node": 3, "known_nodes": "nodes"}, HERE)
    assert found == MeshSettings(
        Path("/run/control.sock"), Path("/home/me/mesh"), per_node=3, known_nodes=Path("/project/nodes")
    )


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ([], "mesh must be a map"),
        ({"socket": "s"}, "mesh lacks key"),
        ({**GIVEN, "nodes": []}, "mesh has no key 'nodes' .*socket, key, known_nodes, place, per_node"),
        ({**GIVEN, "socket": 1}, "socket of mesh must be a text"),
        ({**GIVEN, "key": ""}, "key of mesh must be a text"),
        ({**GIVEN, "known_nodes": None}, "known_nodes of mesh must be a text"),
        ({**GIVEN, "per_node": 0}, "per_node of mesh must be a number, 1 or more"),
        ({**GIVEN, "per_node": True}, "per_node of mesh must be a number, 1 or more"),
        ({**GIVEN, "place": {"node": "b"}}, "place of mesh must be a list"),
        ({**GIVEN, "place": ["b"]}, "a rule of mesh must be a map"),
        ({**GIVEN, "place": [{"match": {}}]}, "a rule of mesh lacks node"),
        ({**GIVEN, "place": [{"node": ["b"]}]}, "node of a rule of mesh must be a text"),
        ({**GIVEN, "place": [{"match": {"region": "x"}, "node": "b"}]}, "match of mesh has no key 'region'"),
        ({**GIVEN, "place": [{"match": {"type": 1}, "node": "b"}]}, "type of match must be a pattern, or a list"),
        ({**GIVEN, "place": [{"match": {"host": []}, "node": "b"}]}, "host of match must be a pattern, or a list"),
        ({**GIVEN, "place": [{"match": {"metadata": "x"}, "node": "b"}]}, "metadata of match must be a map"),
        ({**GIVEN, "place": [{"match": {"metadata": {"a": [1]}}, "node": "b"}]}, "a of metadata of match must be a"),
        ({**GIVEN, "place": [{"node": "b"}, {"node": "c"}]}, "the one before it matches everything"),
    ],
)
def test_what_is_wrong_is_said(section: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        mesh_settings(section, HERE)
