"""What of a folder is worth reading by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.ensembles.entries import find_entries

TEMPLATE = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
ENSEMBLE = "apiVersion: unfurl/v1alpha1\nkind: Ensemble\n"
PROJECT = "apiVersion: unfurl/v1alpha1\nkind: Project\n"

#: Files, and the entries that are found, in order.
CASES: list[tuple[dict[str, str], list[str]]] = [
    (
        {"types.yaml": TEMPLATE, "b/s.yml": TEMPLATE + "topology_template: {node_templates: {}}"},
        ["b/s.yml", "types.yaml"],
    ),
    ({"a.json": '{"tosca_definitions_version": "x"}', "vars.yml": "a: 1", "notes.txt": TEMPLATE}, ["a.json"]),
    ({"a.tosca": TEMPLATE, "notes.txt": TEMPLATE}, ["a.tosca"]),
    (
        {"unfurl.yaml": PROJECT, "local/unfurl.yaml": PROJECT, "e/ensemble.yaml": "{}"},
        ["e/ensemble.yaml", "unfurl.yaml"],
    ),
    ({"mine.yaml": ENSEMBLE, "part.yaml": "apiVersion: unfurl/v1alpha1\nspec: {}"}, ["mine.yaml"]),
    (
        {"a.yaml": "# a\nresources:\n  a: {module: b}\n", "b.json": '{"resources": {"a": {"role": "b"}}}'},
        ["a.yaml", "b.json"],
    ),
    (
        {"vars.yml": "resources: {limits: {cpu: 1}}", "pod.yml": "a:\n  resources: {module: x}", "x.csar": ""},
        ["x.csar"],
    ),
    ({"pod.yaml": "apiVersion: v1\nkind: Pod", "x.csar": "zip"}, ["x.csar"]),
    ({"a/TOSCA-Metadata/TOSCA.meta": "", "a/s.yaml": TEMPLATE}, ["a", "a/s.yaml"]),
    ({".hidden/s.yaml": TEMPLATE, "node_modules/s.yaml": TEMPLATE, "s.yaml": TEMPLATE}, ["s.yaml"]),
    ({".git/HEAD": "", "lib/.git/HEAD": "", "lib/s.yaml": TEMPLATE, "s.yaml": TEMPLATE}, ["s.yaml"]),
    ({".git/HEAD": "", "e/.git/HEAD": "", "e/ensemble.yaml": ENSEMBLE}, ["e/ensemble.yaml"]),
    ({"one/.git/HEAD": "", "one/s.yaml": TEMPLATE, "two/s.yaml": TEMPLATE}, ["one/s.yaml", "two/s.yaml"]),
]


@pytest.mark.parametrize(("files", "entries"), CASES)
def test_entries(tmp_path: Path, files: dict[str, str], entries: list[str]) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert [entry.relative_to(tmp_path).as_posix() for entry in find_entries(tmp_path)] == entries
