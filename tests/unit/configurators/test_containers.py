"""Containers of the standard's type and of Unfurl's mean a call of docker_container."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.resources import add_operations
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {{word: {{type: string, default: x}}}}
  node_templates:
    machine: {{type: tosca.nodes.Compute}}
    engine: {{type: tosca.nodes.Container.Runtime.Docker, requirements: [{{host: machine}}]}}
    one: {{type: {}}}
"""
NORMATIVE = "tosca.nodes.Container.Application.Docker, requirements: [{host: engine}]"
UNFURL = "unfurl.nodes.Container.Application.Docker"
IMAGE = "artifacts: {image: {type: tosca.artifacts.Deployment.Image.Container.Docker, file: nginx}}"
BY_OPERATION = (
    "interfaces: {Standard: {operations: {create: "
    "{implementation: image, inputs: {PORT: 80, WORD: {get_input: word}}}}}}"
)


def made(folder: Path, template: str) -> tuple[NodeTemplate, list[str]]:
    topology = load_topology(parse_yaml(SERVICE.format(template), folder / "service.yaml"))
    faults = add_operations(topology, folder)
    return topology.node_templates["one"], [fault.message for fault in faults]


CONTAINERS: list[tuple[str, dict[str, Any]]] = [
    (f"{NORMATIVE}, {IMAGE}", {"name": "one", "image": "nginx"}),
    (
        f"{NORMATIVE}, {IMAGE}, {BY_OPERATION}",
        {"name": "one", "image": "nginx", "env": {"PORT": "80", "WORD": {"get_input": "word"}}},
    ),
    (
        f"{UNFURL}, properties: {{name: web, container: {{image: nginx, container_name: c, ports: ['80:80']}}}}",
        {"name": "web", "image": "nginx", "ports": ["80:80"]},
    ),
    (
        f"{UNFURL}, properties: {{container: {{image: nginx, container_name: c, pull_policy: always, "
        "environment: {A: 1, B: true, C: null, D: d}}}",
        {"name": "c", "image": "nginx", "pull": "always", "env": {"A": "1", "B": "true", "D": "d"}},
    ),
    (
        f"{UNFURL}, properties: {{container_image: 'nginx:2', container: {{image: nginx}}}}",
        {"name": "one", "image": "nginx:2"},
    ),
    (f"unfurl.nodes.ContainerService, {IMAGE}", {"name": "one", "image": "nginx"}),
    (
        f"{UNFURL}, {IMAGE}, properties: {{container: {{hostname: a, user: b}}}}, "
        "interfaces: {Standard: {inputs: {configuration: {hostname: c, detach: false}}}}",
        {"name": "one", "image": "nginx", "hostname": "c", "user": "b", "detach": False},
    ),
    (
        f"{UNFURL}, {IMAGE}, interfaces: "
        "{Standard: {operations: {configure: {inputs: {configuration: {tty: true}}}}}}",
        {"name": "one", "image": "nginx", "tty": True},
    ),
]


@pytest.mark.parametrize(("template", "args"), CONTAINERS)
def test_arguments(tmp_path: Path, template: str, args: dict[str, Any]) -> None:
    node, faults = made(tmp_path, template)
    assert faults == []
    assert node.properties["args"].value == args
    for interface, name in (("Standard", "configure"), ("Install", "check")):
        operation = node.operation(interface, name)
        assert operation is not None and operation.implementation is not None
        assert operation.implementation.primary == "community.docker.docker_container"
        assert set(operation.inputs) >= set(args)
    assert node.operation("Standard", "create") is None


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (NORMATIVE, "nothing says which image the container 'one' has"),
        (UNFURL, "nothing says which image the container 'one' has"),
        (
            f"{UNFURL}, properties: {{container: {{get_input: word}}}}",
            "the container of 'one' must be a map, each entry of which may be computed",
        ),
        (
            f"{UNFURL}, {IMAGE}, interfaces: {{Standard: {{inputs: {{configuration: {{get_input: word}}}}}}}}",
            "the configuration of 'one' must be a map, each entry of which may be computed",
        ),
    ],
)
def test_refused(tmp_path: Path, template: str, fault: str) -> None:
    assert made(tmp_path, template)[1] == [fault]


def test_operations_of_its_own_stay(tmp_path: Path) -> None:
    node, faults = made(tmp_path, f"{UNFURL}, interfaces: {{Standard: {{operations: {{create: echo}}}}}}")
    assert faults == []
    assert "args" not in node.properties
