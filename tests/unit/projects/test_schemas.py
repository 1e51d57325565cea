"""Schemas for editors in a project: they fit its files, and are written when they change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.projects.create import init_project
from ansible_ensemble.projects.module_schemas import module_schemas
from ansible_ensemble.projects.schemas import KINDS, schema_of, write_schemas
from ansible_ensemble.topology.service_template import load_topology


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return init_project(tmp_path / "shop").folder


def _referred(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_referred, value.values()))
    return set().union(*map(_referred, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_printed_schema_is_whole(kind: str) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    assert {one.removeprefix("#/$defs/") for one in _referred(schema)} <= set(schema["$defs"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ensemble.yaml", "ensemble"),
        ("service-template.yaml", "service-template"),
        ("ensemble-project.yaml", "project"),
    ],
)
def test_files_of_a_new_project_name_their_schemas_and_fit_them(project: Path, name: str, kind: str) -> None:
    text = (project / name).read_text()
    _, _, path = text.splitlines()[0].partition("$schema=")
    assert path == f".schemas/{kind}.json"
    beside = json.loads((project / ".schemas" / "service-template.json").read_text())
    registry: Any = Registry().with_resource("service-template.json", Resource.from_contents(beside))
    schema = json.loads((project / path).read_text())
    assert list(Draft202012Validator(schema, registry=registry).iter_errors(yaml.safe_load(text))) == []


def test_a_service_template_within_an_ensemble_is_checked(project: Path) -> None:
    told = Draft202012Validator(schema_of("ensemble"))
    inner = {"topology_template": {"node_templates": {"one": {"type": "tosca.nodes.Root"}}}}
    data = {"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": {"service_template": inner}}
    assert told.is_valid(data)
    inner["topology_template"]["node_templates"]["one"] = {"typ": "tosca.nodes.Root"}
    assert not told.is_valid(data)


def test_they_are_written_when_types_change(project: Path) -> None:
    template = project / "service-template.yaml"
    assert write_schemas(project, load_topology(template)) == [".schemas/service-template.json"]
    assert write_schemas(project, load_topology(template)) == []
    (project / ".schemas" / "project.json").write_bytes(b"\xff")
    assert write_schemas(project, load_topology(template)) == [".schemas/project.json"]
    assert "example.Folder" in (project / ".schemas" / "service-template.json").read_text()


@pytest.mark.parametrize("link", [".schemas", ".schemas/project.json"])
def test_a_link_does_not_lead_them_out_of_the_project(project: Path, tmp_path: Path, link: str) -> None:
    shutil.rmtree(project / ".schemas")
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="leads out of the project"):
        write_schemas(project)
    assert not (tmp_path / "elsewhere").exists()


def test_an_ensemble_within_a_project_names_those_of_the_project(project: Path) -> None:
    init_project(project / "apps" / "web")
    first = (project / "apps" / "web" / "ensemble.yaml").read_text().splitlines()[0]
    assert first.endswith("$schema=../../.schemas/ensemble.json")
    assert not (project / "apps" / "web" / ".schemas").exists()


MODULE = '''
DOCUMENTATION = """
short_description: Greets
options:
  name: {description: [Whom to greet], required: true}
  loud: {description: How., type: bool}
"""
'''


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Draft202012Validator:
    """The schema of a project that has a module of its own and one in a collection."""
    root = tmp_path_factory.mktemp("used")
    for file in ("library/greet.py", "collections/ansible_collections/our/own/plugins/modules/greet_all.py"):
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(MODULE)
    (root / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\n"
        "topology_template: {node_templates: {one: {module: greet, args: {name: Ann}}}}\n"
    )
    topology = load_topology(root / "service.yaml", check_files=False, complete=False)
    schema = schema_of("service-template", topology, module_schemas(topology, root, ["our.own"]))
    assert {one.removeprefix("#/$defs/") for one in _referred(schema)} <= set(schema["$defs"])
    return Draft202012Validator(json.loads(json.dumps(schema, default=str)))


@pytest.mark.parametrize("form", ["short", "long", "absent"])
@pytest.mark.parametrize(
    ("module", "args", "fits"),
    [
        ("greet", {"name": "Ann", "loud": "yes"}, True),
        ("greet", {"name": {"get_input": "name"}, "loud": "{{ loud }}"}, True),
        ("greet", {"nam": "Ann"}, False),
        ("greet", {"name": "Ann", "loud": "very"}, False),
        ("our.own.greet_all", {"name": "Ann"}, True),
        ("our.own.greet_all", {"loud": True}, False),
        ("copy", {"dest": "/a", "content": "x"}, True),
        ("ansible.builtin.copy", {"dest": "/a", "contnt": "x"}, False),
        ("copy", {"dest": "/a", "contnt": "x"}, False),
        ("their.own.module", {"any": 1}, True),
    ],
)
def test_arguments_of_modules_are_checked(
    used: Draft202012Validator, form: str, module: str, args: dict[str, Any], fits: bool
) -> None:
    run: dict[str, Any] = {"module": module, "args": args}
    template = {
        "short": run,
        "long": {"type": "ansible.Resource", "properties": run},
        "absent": {"module": "command", "args": {"cmd": "true"}, "absent": run},
    }[form]
    data = {
        "tosca_definitions_version": "tosca_simple_yaml_1_3",
        "topology_template": {"node_templates": {"one": template}},
    }
    assert used.is_valid(data) == fits


def test_modules_and_their_arguments_are_offered(used: Draft202012Validator) -> None:
    offered = used.schema["$defs"]["tosca.run"]["properties"]["module"]["anyOf"][0]["enum"]
    assert {"greet", "our.own.greet_all", "copy", "ansible.builtin.copy"} <= set(offered)
    assert used.schema["$defs"]["tosca.module.greet"]["properties"]["name"]["description"] == "Whom to greet"


@pytest.mark.parametrize("name", ["no.such", "none", "a.b.c", ""])
def test_a_collection_that_is_not_installed(name: str, project: Path) -> None:
    with pytest.raises(InvalidInput, match=f"the collection {name} is not installed"):
        module_schemas(load_topology(project / "service-template.yaml"), project, [name])
