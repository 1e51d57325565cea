"""Every key of an ensemble and of a project acts, is for people alone, or is a warning: none is dropped in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import ansible_ensemble
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.csar import META_KEYS, find_entry
from ansible_ensemble.documents.ensemble_schema import ensemble_schema, project_schema
from ansible_ensemble.documents.schema import unheeded
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml

TABLE = read_yaml(Path(__file__).with_name("ensemble_keys.yaml")).data
HOME = Path(ansible_ensemble.__file__).parent


def maps(name: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each map of a schema that names keys, with them."""
    if "properties" in rule:
        yield name, rule["properties"]
    for key, inner in rule.get("properties", {}).items():
        yield from maps(f"{name}.{key}", inner)
    if "items" in rule:
        yield from maps(name, rule["items"])


SCHEMA = ensemble_schema()
MAPS = dict(maps("ensemble", SCHEMA)) | dict(found for one in SCHEMA["$defs"].items() for found in maps(*one))


@pytest.mark.parametrize("construct", MAPS)
def test_each_key_acts(construct: str) -> None:
    rows = TABLE[construct]
    assert set(rows) == set(MAPS[construct])
    for key, acts in rows.items():
        assert (acts == "warning") == bool(MAPS[construct][key].get("x-unheeded")), key
        if acts == "documents/ensemble_schema.py":  # whatever else it says is refused
            assert {"enum", "const"} & set(MAPS[construct][key])
        elif acts not in ("warning", "description"):
            assert f'"{key}"' in (HOME / acts).read_text(), f"{acts} does not mention {key}"


def test_the_table_has_no_other_constructs() -> None:
    assert set(TABLE) == set(MAPS)


ENSEMBLE = """\
apiVersion: unfurl/v1.0.0
kind: Ensemble
imports: {shared: {manifest: {file: ../shared, revision: main}, instance: db}}
environment: {variables: {A: b}, instances: {a: {}}, imports: {x: {}}, variable: {B: c}}
spec: {installers: {i: {}}, deployment_blueprint: null}
status:
  properties: {}
  instances:
    a: {capabilities: [{endpoint: {attributes: {port: 1}}}]}
    b: {capabilities: [{endpoint: {attributes: {port: 2}}}], computedProperties: {x: 1}}
"""


def test_what_nothing_acts_on_in_an_ensemble_is_told_once() -> None:
    document = parse_yaml(ENSEMBLE, Path("ensemble.yaml"))
    assert list(map(str, unheeded(document.data, ensemble_schema()))) == [
        "ensemble.yaml:3:48: `imports.shared.manifest.revision` is ignored",
        "ensemble.yaml:4:34: `environment.instances` is ignored",
        "ensemble.yaml:4:54: `environment.imports` is ignored",
        "ensemble.yaml:4:72: `environment.variable` is ignored",
        "ensemble.yaml:5:8: `spec.installers` is ignored",
        "ensemble.yaml:9:9: `status.instances.a.capabilities` is ignored",
        "ensemble.yaml:10:62: `status.instances.b.computedProperties` is ignored",
    ]


PROJECT = """\
apiVersion: unfurl/v1alpha1
kind: Project
x-notes: mine
default_environment: prod
environmets: {a: b}
environments: {prod: {deployers: {a: b}, repositories: {r: {url: u, credential: {token: t}}}, cloud: aws}}
ensembles: [{file: a.yaml, managedBy: b, project: p}]
"""


def test_what_nothing_acts_on_in_a_project_is_told() -> None:
    document = parse_yaml(PROJECT, Path("unfurl.yaml"))
    assert [notice.message for notice in unheeded(document.data, project_schema())] == [
        "`environmets` is ignored",
        "`environments.prod.deployers` is ignored",
        "`environments.prod.repositories.r.credential` is ignored",
        "`environments.prod.cloud` is ignored",
        "`ensembles[0].managedBy` is ignored",
        "`ensembles[0].project` is ignored",
    ]


@pytest.mark.parametrize("key", META_KEYS)
def test_a_slip_of_a_name_in_an_archive_is_refused(tmp_path: Path, key: str) -> None:
    lines = dict.fromkeys(META_KEYS[:3], "1.1") | {"Entry-Definitions": "a.yaml", "CSAR-name": "of another tool"}
    lines[f"{key}s"] = lines.pop(key, "a.yaml")
    (tmp_path / "a.yaml").write_text("tosca_definitions_version: tosca_simple_yaml_1_3\n")
    (tmp_path / "TOSCA-Metadata").mkdir()
    (tmp_path / "TOSCA-Metadata/TOSCA.meta").write_text("".join(f"{name}: {text}\n" for name, text in lines.items()))
    with pytest.raises(InvalidInput, match=f"TOSCA.meta has no name {key}s") as caught:
        find_entry(tmp_path)
    assert caught.value.hint == f"did you mean {key}?"
