"""The secrets among the arguments of a module or role, marked in the declared type of the property that has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.module_spec import Option
from ansible_ensemble.core.sensitive import holds_credentials, is_secret_name
from ansible_ensemble.core.texts import named_texts
from ansible_ensemble.language.entities import EntityType, NodeTemplate, ParameterDefinition, Schema, Topology
from ansible_ensemble.topology.building import static_value

_OPEN = {"additionalProperties": True}


def hide_secrets(node: NodeTemplate, topology: Topology, path: tuple[str, ...], options: Mapping[str, Option]) -> None:
    """Declare the arguments at a path of a node's properties, so that those which are secrets are sensitive.

    The node gets a type of its own; what the arguments are otherwise is not declared.
    """
    name = path[0]
    if name not in node.properties or not _has_secret(options):
        return
    definition = node.type.properties[name]
    schema = _schema(f"{node.name}.{'.'.join(path)}", options, topology)
    if len(path) > 1:
        whole = topology.data_types[definition.schema.type]
        fields = {**whole.properties, path[1]: replace(whole.properties[path[1]], schema=schema)}
        made = replace(whole, name=f"{node.name}.{name}", properties=fields)
        topology.data_types[made.name] = made
        schema = Schema(made.name)
    hidden = replace(definition, schema=schema)
    node.type = replace(node.type, properties={**node.type.properties, name: hidden})
    node.properties[name] = replace(node.properties[name], definition=hidden)


def hide_whole(node: NodeTemplate, *names: str) -> None:
    """Declare whole properties of a node as sensitive; the node gets a type of its own."""
    known = {name: _declared(node, name) for name in names if name in node.properties}
    hidden = {name: replace(one, metadata={**one.metadata, "sensitive": True}) for name, one in known.items()}
    node.type = replace(node.type, properties={**node.type.properties, **hidden})
    for name, definition in hidden.items():
        node.properties[name] = replace(node.properties[name], definition=definition)


def hide_urls(node: NodeTemplate, topology: Topology, *names: str) -> None:
    """Declare properties of a node as sensitive that are URLs with a password or a token."""
    for name in names:
        if name in node.properties and with_credentials({name: node.properties[name].value}, topology):
            hide_whole(node, name)


def with_credentials(given: Mapping[str, Any], topology: Topology) -> dict[str, Option]:
    """Those of some arguments with URLs that hold passwords or tokens, as secrets."""
    known = {name: static_value(topology, value) for name, value in given.items()}
    return {
        name: Option(secret=True)
        for name, (value, is_known) in known.items()
        if is_known and any(map(holds_credentials, (text for _name, text in named_texts(value))))
    }


def hide_keywords(node: NodeTemplate, topology: Topology, name: str) -> None:
    """Declare the variables of a task and of its environment as sensitive that have names of secrets."""
    written = node.properties[name].value if name in node.properties else None
    given = written if isinstance(written, Mapping) else {}
    options = {}
    for keyword in ("environment", "vars"):
        value = given.get(keyword)
        maps = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)]
        secrets = {str(key): Option(secret=True) for one in maps for key in one if is_secret_name(str(key))}
        options[keyword] = Option(type="list" if isinstance(value, list) else "dict", options=secrets)
    hide_secrets(node, topology, (name,), options)


def hide_own(node: NodeTemplate, topology: Topology, options: Mapping[str, Option]) -> None:
    """Declare properties of a node that are arguments, so that those which are secrets are sensitive."""
    for name, option in options.items():
        if option.secret or _has_secret(option.options):
            known = _declared(node, name)
            made = _argument(f"{node.name}.{name}", option, topology)
            hidden = replace(known, schema=made.schema, metadata={**known.metadata, **made.metadata})
            node.type = replace(node.type, properties={**node.type.properties, name: hidden})
            node.properties[name] = replace(node.properties[name], definition=hidden)


def _declared(node: NodeTemplate, name: str) -> ParameterDefinition:
    """What the type of a node declares of a property, or what may be declared of any."""
    return node.type.properties.get(name) or ParameterDefinition(name, Schema("any"), required=False)


def _has_secret(options: Mapping[str, Option]) -> bool:
    return any(option.secret or _has_secret(option.options) for option in options.values())


def _schema(name: str, options: Mapping[str, Option], topology: Topology) -> Schema:
    """The schema of a map with arguments, whose data type is added to those of the topology."""
    made = EntityType("data", name, metadata=dict(_OPEN))
    for key, option in options.items():
        argument = _argument(f"{name}.{key}", option, topology)
        for known in (key, *option.aliases):
            made.properties[known] = replace(argument, name=known)
    topology.data_types[name] = made
    return Schema(name)


def _argument(name: str, option: Option, topology: Topology) -> ParameterDefinition:
    """What is declared of an argument, whose data types have names that begin with this one."""
    inner = Schema("any")
    if _has_secret(option.options) and not option.secret:
        inner = _schema(name, option.options, topology)
        inner = Schema("list", entry_schema=inner) if option.type == "list" else inner
    return ParameterDefinition(name, inner, required=False, metadata={"sensitive": True} if option.secret else {})
