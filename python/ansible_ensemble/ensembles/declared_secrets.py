"""Secrets that stand in the specification itself: they are masked whether or not a job reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.sensitive import Redactor, Sensitive, is_sensitive
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.language.entities import Assignment, NodeTemplate, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.values import has_secret
from ansible_ensemble.views.conform import mark_declared


def hide_declared(topology: Topology, redactor: Redactor) -> None:
    """Tell of each literal value of a sensitive property, or field of one, for other texts may hold it as well."""
    data_type = topology.data_types.get
    hiding: dict[int, bool] = {}  # by the definition, which the templates of a type share
    for node in topology.node_templates.values():
        for where, properties in _properties(node):
            for name, assignment in properties.items():
                definition, value = assignment.definition, assignment.value
                if id(definition) not in hiding:
                    hiding[id(definition)] = definition is not None and (
                        definition.sensitive or has_secret(definition.schema, data_type)
                    )
                if hiding[id(definition)] or is_sensitive(value):
                    for secret in _literals(mark_declared(value, definition, data_type), hidden=False):
                        redactor.add(secret, f"{where}.{name}")


def _properties(node: NodeTemplate) -> Iterator[tuple[str, Mapping[str, Assignment]]]:
    yield node.name, node.properties
    for name, capability in node.capabilities.items():
        yield f"{node.name}.{name}", capability.properties
    for relationship in node.requirements:
        yield f"{node.name}.{relationship.name}", relationship.properties


def _literals(value: Any, *, hidden: bool) -> Iterator[Any]:
    """The leaves of what is marked, without those that are computed or encrypted."""
    hidden = hidden or isinstance(value, Sensitive)
    if is_computed(value) or isinstance(value, VaultText):
        return
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _literals(item, hidden=hidden)
    elif hidden:
        yield value
