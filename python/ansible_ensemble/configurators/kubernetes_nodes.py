"""Nodes of the types `kubernetes.*`, once they are resolved: their secrets, and where their files are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.argument_types import hide_urls, hide_whole
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.language.entities import NodeTemplate, Operation, Topology
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS

_SECRET = "Secret"
_WITH_DEFINITION = ("kubernetes.Object", "kubernetes.Manifest")
_ALL = ("kubernetes.Cluster", "kubernetes.Root")
#: Properties one of which says what a node is.
_SOURCES = {
    "kubernetes.Object": ("kind", "definition", "src"),
    "kubernetes.Manifest": ("src", "definition", "kustomize"),
}
#: Properties that name files, which start where the properties are written.
_FILES = ("src", "kustomize", "kubeconfig", "ca_cert", "client_cert", "client_key")

_URLS = ("server", "proxy")


def complete_kubernetes_nodes(topology: Topology) -> list[InvalidInput]:
    """Declare the definitions that hold a Secret as sensitive, and have operations stand where the node does.

    Returns:
        What is wrong with the nodes, as far as that is known before anything runs.
    """
    faults: list[InvalidInput] = []
    for node in topology.node_templates.values():
        if any(map(node.type.is_a, _WITH_DEFINITION)) and _is_secret(node):
            hide_whole(node, "definition")
        if any(map(node.type.is_a, _ALL)):
            _place(node)
            hide_urls(node, topology, *_URLS)
        if not STAND_FOR_OTHERS.intersection(node.directives):
            faults += _faults(node, topology)
    return faults


def _faults(node: NodeTemplate, topology: Topology) -> Iterator[InvalidInput]:
    for kind, sources in _SOURCES.items():
        if node.type.is_a(kind) and not any(_is_given(node, name) for name in sources):
            message = f"nothing says what the {kind} '{node.name}' is"
            yield InvalidInput(message, node.place, f"give it {', '.join(sources[:-1])} or {sources[-1]}")
    if node.type.is_a("kubernetes.Root") and _is_given(node, "wait"):
        from ansible_ensemble.kubernetes.conditions import as_wait  # no other node needs it

        wait = node.properties["wait"]
        value, is_known = static_value(topology, wait.value)
        try:
            as_wait(value if is_known else None)
        except EnsembleError as error:
            yield InvalidInput(f"'{node.name}': {error.message}", wait.place or node.place, error.hint)


def _is_given(node: NodeTemplate, name: str) -> bool:
    return name in node.properties and node.properties[name].value is not None


def _place(node: NodeTemplate) -> None:
    base = next((node.properties[name].base for name in _FILES if name in node.properties), None)
    node.interfaces = {
        name: replace(
            interface,
            operations={
                key: replace(one, base=base, place=node.place) if _is_shipped(one) else one
                for key, one in interface.operations.items()
            },
        )
        for name, interface in node.interfaces.items()
    }


def _is_shipped(operation: Operation) -> bool:
    return operation.implementation is not None and operation.implementation.class_name == "kubernetes"


def _is_secret(node: NodeTemplate) -> bool:
    kind = node.properties.get("kind")
    definition = node.properties.get("definition")
    if kind is not None and kind.value == _SECRET:
        return True
    return definition is not None and _holds_secret(definition.value)


def _holds_secret(written: Any) -> bool:
    if isinstance(written, str):
        return _SECRET in written
    if isinstance(written, list):
        return any(map(_holds_secret, written))
    return isinstance(written, Mapping) and (written.get("kind") == _SECRET or _holds_secret(written.get("items")))
