"""What editors are told of a service template: what its types ask for is completed and checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from ansible_ensemble.documents.yaml import parse_yaml, read_yaml
from ansible_ensemble.language.editor_schema import service_template_schema
from ansible_ensemble.topology.service_template import load_topology

TEMPLATE = """
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Limits: {properties: {soft: {type: integer}, hard: {type: integer, required: false}}}
node_types:
  Service:
    derived_from: tosca.nodes.Root
    description: Runs something.
    properties:
      port: {type: integer, default: 80, constraints: [in_range: [1, 65535]], description: Where it listens.}
      mode: {type: string, required: false, constraints: [valid_values: [fast, safe]]}
      names: {type: list, required: false, entry_schema: {type: string, constraints: [valid_values: [a, b]]}}
      limits: {type: Limits, required: false}
      on: {type: boolean, required: false}
    requirements: [{host: {capability: tosca.capabilities.Node, occurrences: [0, 1]}}]
"""


def _validator(text: str = TEMPLATE) -> Draft202012Validator:
    schema = service_template_schema(load_topology(parse_yaml(text, "service.yaml")))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(json.loads(json.dumps(schema)))


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return _validator()


def _written(template: dict[str, Any]) -> dict[str, Any]:
    return {**yaml.safe_load(TEMPLATE), "topology_template": {"node_templates": {"web": template}}}


def test_a_scalar_type_of_version_2_has_values() -> None:
    types = "data_types: {Length: {derived_from: scalar, units: {m: 1}}}\n"
    nodes = "node_types: {Rope: {properties: {length: {type: Length}}}}\n"
    validator = _validator(f"tosca_definitions_version: tosca_2_0\n{types}{nodes}")
    template = {"type": "Rope", "properties": {"length": "5 m"}}
    written = {"tosca_definitions_version": "tosca_2_0", "topology_template": {"node_templates": {"rope": template}}}
    assert validator.is_valid(written)


@pytest.mark.parametrize(
    "values",
    [
        {}, {"port": 80}, {"port": {"get_input": "port"}}, {"port": "{{ 80 + 1 }}"}, {"mode": "fast"},
        {"names": ["a", {"get_input": "b"}]}, {"limits": {"soft": 1}}, {"limits": {"eval": "::x"}}, {"on": True},
        {"+&": "anchor", "port": 1},
    ],
)  # fmt: skip
def test_values_that_fit(validator: Draft202012Validator, values: dict[str, Any]) -> None:
    assert validator.is_valid(_written({"type": "Service", "properties": values}))


@pytest.mark.parametrize(
    "values",
    [
        {"port": "http"}, {"port": 0}, {"port": 70000}, {"mode": "slow"}, {"names": ["c"]}, {"names": "a"},
        {"limits": {"soft": "much"}}, {"on": "perhaps"}, {"prot": 80},
    ],
)  # fmt: skip
def test_values_that_do_not(validator: Draft202012Validator, values: dict[str, Any]) -> None:
    assert not validator.is_valid(_written({"type": "Service", "properties": values}))


def test_the_short_form_fits(validator: Draft202012Validator) -> None:
    assert validator.is_valid(_written({"module": "copy", "args": {"dest": "/a"}, "host": "web", "absent": {}}))


@pytest.mark.parametrize("template", [{"type": "Service", "propertys": {}}, {"type": "Service", "module": []}, ["web"]])
def test_what_is_no_node_template(validator: Draft202012Validator, template: Any) -> None:
    assert not validator.is_valid(_written(template))


def test_types_are_offered_and_described(validator: Draft202012Validator) -> None:
    template = validator.schema["$defs"]["tosca.node_template"]
    offered = template["properties"]["type"]["anyOf"][0]["enum"]
    assert {"Service", "tosca.nodes.Compute", "Compute"} & set(offered) >= {"Service", "tosca.nodes.Compute"}
    told = next(one["then"] for one in template["allOf"] if one["if"]["properties"]["type"]["const"] == "Service")
    assert told["description"] == "Runs something."
    assert told["properties"]["properties"]["properties"]["port"]["description"] == "Where it listens."
    assert told["properties"]["properties"]["properties"]["port"]["default"] == 80
    assert "host" in told["properties"]["requirements"]["items"]["properties"]


def test_a_secret_default_is_not_told() -> None:
    hidden = TEMPLATE.replace("default: 80", "default: 8125, metadata: {sensitive: true}")
    assert "8125" not in json.dumps(_validator(hidden).schema)


def test_templates_of_ours_fit(repository: Path) -> None:
    files = [*repository.glob("examples/*/service*.yaml"), repository / "python/ansible_ensemble/projects/skeleton"
             / "service-template.yaml"]  # fmt: skip
    assert len(files) > 2
    for file in files:
        schema = service_template_schema(load_topology(file, check_files=False, complete=False))
        data = json.loads(json.dumps(read_yaml(file).data, default=str))
        assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == [], file
