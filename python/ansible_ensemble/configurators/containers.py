"""Containers of the standard's type and of Unfurl's: what they mean for the module community.docker.docker_container.

The image is an artifact of the type `tosca.artifacts.Deployment.Image.Container.Docker`, of the node, or of its
operation, whose inputs are the environment [TOSCA 1.3, 5.9.13]; or Unfurl's properties say it, in the words of Compose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.places import Map
from ansible_ensemble.language.entities import Assignment, NodeTemplate, ParameterDefinition, Schema
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.topology.operations import CONTAINERS

_MODULE = "community.docker.docker_container"
_UNFURL = "unfurl.nodes.Container.Application.Docker"
_IMAGE = "tosca.artifacts.Deployment.Image.Container.Docker"
#: Keys of Compose that have other names in the module.
_NAMES = {"pull_policy": "pull"}
#: Keys that are not handed on as they are.
_READ = ("image", "container_name", "environment")
_STANDARD = "Standard"


def is_container(node: NodeTemplate) -> bool:
    """Whether a node is one of these containers, and no operation of its own deploys it."""
    return any(map(node.type.is_a, CONTAINERS)) and (not node.deploys or _by_image(node) is not None)


def as_resource(node: NodeTemplate) -> None:
    """Give a container the properties `module` and `args` of a resource, and remove its operation that is an image."""
    args = _arguments(node)
    if (called := _by_image(node)) is not None:
        standard = node.interfaces[_STANDARD]
        rest = {name: one for name, one in standard.operations.items() if name != called}
        node.interfaces = {**node.interfaces, _STANDARD: replace(standard, operations=rest)}
    base = next((one.base for one in node.properties.values() if one.base is not None), None)
    made = {
        "module": ParameterDefinition("module", Schema("string")),
        "args": ParameterDefinition("args", Schema("map")),
    }
    node.type = replace(node.type, properties={**node.type.properties, **made})
    node.properties["module"] = Assignment(_MODULE, made["module"], node.place, base)
    node.properties["args"] = Assignment(args, made["args"], node.place, base)


def _arguments(node: NodeTemplate) -> Map:
    container = _map(node, "container", node.properties.get("container"))
    image, environment = _image(node, container), container.get("environment")
    if image is None:
        hint = f"add an artifact of the type {_IMAGE}"
        raise InvalidInput(f"nothing says which image the container '{node.name}' has", node.place, hint)
    if (called := _by_image(node)) is not None:
        inputs = node.interfaces[_STANDARD].operations[called].inputs
        environment = {name: one.value for name, one in inputs.items()}
    name = _property(node, "name") or container.get("container_name") or node.name.rpartition(":")[2]
    made = Map({"name": name, "image": image, **({"env": _texts(environment)} if environment else {})})
    for key, value in container.items():
        if key not in _READ and value is not None:
            made.adopt(_NAMES.get(key, key), value, container, key)
    configuration = _map(node, "configuration", _configuration(node))
    for key, value in configuration.items():
        made.adopt(key, value, configuration, key)
    return made


def _map(node: NodeTemplate, what: str, given: Assignment | None) -> Mapping[str, Any]:
    value = given.value if given is not None and given.value is not None else {}
    if not isinstance(value, Mapping) or is_computed(value):
        message = f"the {what} of '{node.name}' must be a map, each entry of which may be computed"
        raise InvalidInput(message, given.place if given is not None else node.place)
    return value


def _configuration(node: NodeTemplate) -> Assignment | None:
    """The input of Unfurl's type that has arguments of the module; it goes before the properties."""
    if not node.type.is_a(_UNFURL):
        return None
    standard = node.interfaces[_STANDARD]
    configure = standard.operations.get("configure")
    return (configure.inputs if configure is not None else standard.inputs).get("configuration")


def _image(node: NodeTemplate, container: Mapping[str, Any]) -> Any:
    own = [one.file for one in node.artifacts.values() if one.type == _IMAGE]
    called = _by_image(node)
    if called is not None:
        implementation = node.interfaces[_STANDARD].operations[called].implementation
        assert implementation is not None and implementation.artifact is not None
        own.insert(0, implementation.artifact.file)
    return _property(node, "container_image") or (own[0] if own else None) or container.get("image")


def _property(node: NodeTemplate, name: str) -> Any:
    return node.properties[name].value if node.type.is_a(_UNFURL) and name in node.properties else None


def _by_image(node: NodeTemplate) -> str | None:
    """The operation whose implementation is an image."""
    standard = node.interfaces.get(_STANDARD)
    for name, one in standard.operations.items() if standard is not None else ():
        artifact = one.implementation.artifact if one.implementation is not None else None
        if artifact is not None and artifact.type == _IMAGE:
            return name
    return None


def _texts(environment: Any) -> Any:
    """Variables without those that are null; numbers and truth values are texts there."""
    if not isinstance(environment, Mapping) or is_computed(environment):
        return environment
    return {name: _text(value) for name, value in environment.items() if value is not None}


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value
