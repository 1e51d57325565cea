"""Connections: the relationship templates by which what runs reaches clouds and hosts, each a default for something.

A relationship template with `default_for` is one, and so is each of the environment's `connections` (Unfurl).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.language.definitions import ParameterDefinition
from ansible_ensemble.language.entities import EntityType, Relationship
from ansible_ensemble.views.entities import NodeView, ValuesView
from ansible_ensemble.views.reads import Deferred
from ansible_ensemble.views.view import View

_VARIABLE = "unfurl.datatypes.EnvVar"


class Connections(Mapping[str, View]):
    """The connections of what an expression is for, by name or by type, the nearest ones first.

    Nearest is what SELF's `operation_host` requires of it and of its hosts, then what is the default for one of these,
    then what is the default for any target, then the other ones.
    """

    def __init__(self, context: Context) -> None:
        found: dict[str, View] = {}
        for view in _nearest_first(context):
            found.setdefault(view.name, view)
        self._by_name = found

    def __getitem__(self, key: str) -> View:
        if key in self._by_name:
            return self._by_name[key]
        for view in self._by_name.values():
            kind = view.declared.type if view.declared is not None else None
            if kind is not None and (kind.name.rpartition(".")[2] == key or kind.is_a(key)):
                return view
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def by_type(self) -> dict[str, View]:
        """The nearest one of each type."""
        found: dict[str, View] = {}
        for view in self._by_name.values():
            found.setdefault(view.type_name, view)
        return found


def _nearest_first(context: Context) -> Iterator[View]:
    node, host, left = context.frame.instance, named(context, "OPERATION_HOST"), _defaults(context)
    links = host.requirements() if isinstance(host, NodeView) else []
    if not left and not links:
        return
    chain = [node, *node.hosts()] if node is not None else []
    yield from (link for target in chain for link in links if link.target == target)
    for target in chain:
        yield from (_view(one, context) for one in left if _is_for(one, target))
    yield from (_view(one, context) for one in left if one.default_for == "ANY")
    yield from (_view(one, context) for one in left)


def _defaults(context: Context) -> list[Relationship]:
    topology = context.evaluator.topology
    inner = topology.nested.get(context.frame.namespace, topology)
    found = {**topology.relationship_templates, **inner.relationship_templates}
    return [one for one in found.values() if one.default_for is not None]


def _view(template: Relationship, context: Context) -> View:
    namespace = context.frame.namespace
    inner = context.evaluator.topology.nested.get(namespace)
    is_inner = inner is not None and template.name in inner.relationship_templates
    return ValuesView(context.evaluator, template, namespace if is_inner else "")


def _is_for(template: Relationship, target: NodeView) -> bool:
    """Whether a connection is the default for this very target, or for its type or a capability of it."""
    wanted, node = template.default_for, target.template
    if wanted is None or node is None:
        return False
    offered = node.capabilities.items()
    return (
        wanted == target.template_name
        or node.type.is_a(wanted)
        or any(wanted == name or capability.type.is_a(wanted) for name, capability in offered)
    )


def exported_variables(context: Context) -> dict[str, Any]:
    """The environment variables that the connections of what an expression is for export, one connection of each type.

    They are the properties of the type `unfurl.datatypes.EnvVar`, and those whose metadata names `env_vars`. What is
    not known yet is left out, and nothing counts as read: another token makes no operation out of date.
    """
    found: dict[str, Any] = {}
    quiet = replace(context, tracker=context.evaluator.untracked())
    for view in reversed(list(Connections(context).by_type().values())):
        for name, definition in view.definitions().items():
            with suppress(Deferred):
                found |= _variables(view.property(name, quiet.tracker), definition, quiet)
    return {name: value for name, value in found.items() if value is not None}


def _variables(value: Any, definition: ParameterDefinition, context: Context) -> dict[str, Any]:
    schema, entry = definition.schema, definition.schema.entry_schema
    names = definition.metadata.get("env_vars") or ()
    found = dict.fromkeys(map(str, names if isinstance(names, list | tuple) else [names]), value)
    if _is_variable(schema.type, context):
        found[definition.name] = value
    elif schema.type == "map" and entry is not None and _is_variable(entry.type, context):
        found |= {str(name): item for name, item in (value or {}).items()}
    kind = _data_type(schema.type, context)
    for name, inner in (kind.properties if kind is not None and isinstance(value, Mapping) else {}).items():
        found |= _variables(value.get(name), inner, context)
    return found


def _data_type(name: str, context: Context) -> EntityType | None:
    return context.evaluator.topology.data_types.get(name)


def _is_variable(name: str, context: Context) -> bool:
    kind = _data_type(name, context)
    return name == _VARIABLE or (kind is not None and kind.is_a(_VARIABLE))
