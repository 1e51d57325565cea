"""The JSON Schema (2020-12) of a service template, by which editors complete names and check values while one types.

It is made from what the language knows: the keys of each element, the types that a file sees, the functions. It allows
more than `validate`, which knows how things stand together; what it refuses, `validate` refuses too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ansible_ensemble.language.definitions import ParameterDefinition, Schema
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.entity_types import EntityType
from ansible_ensemble.language.functions import functions
from ansible_ensemble.language.keys import BESIDE_RESOURCES, KEYS, RESOURCES
from ansible_ensemble.language.normative import SECTIONS
from ansible_ensemble.language.short_form import SHORT_KEYS
from ansible_ensemble.language.types import UNFURL_VERSION, VERSIONS

Json = dict[str, Any]

#: Before the names of definitions: an ensemble's schema holds them beside its own.
_PREFIX = "tosca."
#: What sections hold by name, by element.
_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "service_template": {
        **{section: f"{kind}_type" for kind, section in SECTIONS.items() if kind != "interface"},
        "repositories": "repository",
    },
    "topology_template": {
        "inputs": "parameter_definition",
        "outputs": "parameter_definition",
        "node_templates": "node_template",
        "relationship_templates": "relationship_template",
        "groups": "group",
        "policies": "policy",
        "workflows": "workflow",
    },
    **{
        f"{kind}_type": {"properties": "parameter_definition", "attributes": "parameter_definition"}
        for kind in ("node", "relationship", "capability", "group", "data", "policy")
    },
}
#: The kind of type that an element's `type` names, or `derived_from`.
_TYPED = {"node_template": "node", "relationship_template": "relationship", "group": "group", "policy": "policy"}

_PRIMITIVE: Mapping[str, Json] = {
    "string": {"type": ["string", "number", "boolean"]},
    "integer": {"type": "integer"},
    "float": {"type": "number"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "list": {"type": "array"},
    "map": {"type": "object"},
    "range": {"type": "array", "minItems": 2, "maxItems": 2},
}
#: Constraints whose JSON Schema keyword takes the same value [TOSCA 1.3, 3.6.3].
_BOUNDS = {
    "greater_or_equal": "minimum",
    "less_or_equal": "maximum",
    "greater_than": "exclusiveMinimum",
    "less_than": "exclusiveMaximum",
}
_NUMBERS = ("integer", "float")
#: Keys that merge something into their map, and those of YAML itself.
MERGED = r"^(\+|<<$)"
#: The type of what says what runs by its properties.
_RUNS = "ansible.Root"


def service_template_schema(topology: Topology, arguments: Mapping[str, Json] = MappingProxyType({})) -> Json:
    """The schema of the service template that a topology was read from: its keys, and what its types ask for.

    Args:
        topology: whose types are known.
        arguments: schemas of the arguments of modules, by the modules' names.
    """
    seen = {kind: topology.seen_types(kind) for kind in SECTIONS}
    is_closed = topology.version != UNFURL_VERSION
    elements = {element: _element(element, seen, is_closed=is_closed) for element in KEYS}
    elements["service_template"]["properties"]["tosca_definitions_version"] = {"enum": list(VERSIONS)}
    elements["service_template"]["properties"]["topology_template"] = _reference("topology_template")
    elements["service_template"] |= _resources(elements["service_template"], elements["topology_template"])
    named = {"type": "object", "minProperties": 1, "maxProperties": 1}  # [TOSCA 1.3, 3.6.8.2.3]: of one's own name
    elements["import"] = {"anyOf": [{"type": "string"}, elements["import"], named]}
    elements["repository"] = {"anyOf": [{"type": "string"}, elements["repository"]]}
    elements["node_template"]["allOf"].append(_reference("run"))
    shared = {"computed": _computed(), "run": _run(arguments)}
    modules = {f"module.{name}": one for name, one in arguments.items()}
    data = {f"data.{name}": _data_type(one) for name, one in topology.data_types.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Service template",
        **_reference("service_template"),
        "$defs": {f"{_PREFIX}{name}": one for name, one in {**elements, **data, **modules, **shared}.items()},
    }


def _resources(file: Json, topology: Json) -> Json:
    """What a file of resources has: node templates, and what stands beside them there."""
    own = {RESOURCES: "node_templates", **{key: key for key in BESIDE_RESOURCES}}
    return {
        "properties": file["properties"] | {key: topology["properties"][meant] for key, meant in own.items()},
        "dependentRequired": {key: [RESOURCES] for key in BESIDE_RESOURCES},
        "dependentSchemas": {RESOURCES: {"not": {"required": ["topology_template"]}}},
    }


def _element(element: str, seen: Mapping[str, Mapping[str, EntityType]], *, is_closed: bool) -> Json:
    """The schema of an element: its keys, its sections, and what its type asks for."""
    closed = is_closed and element in ("node_template", "relationship_template")
    short = SHORT_KEYS if element == "node_template" else frozenset()
    properties: Json = dict.fromkeys(sorted(KEYS[element] | short), True)
    for section, inner in _SECTIONS.get(element, {}).items():
        named = {"type": "object", "additionalProperties": _reference(inner)}
        properties[section] = {"anyOf": [named, {"type": ["array", "null"], "items": named}]}  # policies are a list
    if "imports" in properties:
        properties["imports"] = {"type": ["array", "object", "null"], "items": _reference("import")}
    if "description" in properties:
        properties["description"] = {"type": ["string", "null"]}
    made: Json = {
        "type": ["object", "null"],
        "properties": properties,
        "patternProperties": {MERGED: True},
        "additionalProperties": False,
    }
    if short:  # in place of a type
        made["dependentSchemas"] = {key: {"not": {"required": ["type"]}} for key in sorted(short)}
    if element in _TYPED:
        types = seen[_TYPED[element]]
        properties["type"] = _names(types)
        made["allOf"] = [_of_type(name, one, is_open=one.is_open or not closed) for name, one in types.items()]
    elif element.endswith("_type"):
        properties["derived_from"] = _names(seen[element.removesuffix("_type")])
    elif element == "parameter_definition":
        properties["type"] = _names({**dict.fromkeys(_PRIMITIVE), **seen["data"]})
    return made


def _names(types: Iterable[str]) -> Json:
    """Names that are offered; others may be of files that are not read yet, and are not refused."""
    return {"anyOf": [{"enum": sorted(types)}, {"type": ["string", "array"]}]}


def _of_type(name: str, one: EntityType, *, is_open: bool) -> Json:
    """What holds for a template of the type."""
    parts: Json = {"properties": _values(one.properties, is_open=is_open), "attributes": _values(one.attributes)}
    if one.requirements:
        item = {"type": "object", "properties": dict.fromkeys(one.requirements, True)}
        parts["requirements"] = {"type": ["array", "object", "null"], "items": item}
    if one.is_a(_RUNS):
        parts["properties"]["allOf"] = [_reference("run")]
    for part, names in (("capabilities", one.capabilities), ("interfaces", one.interfaces)):
        if names:
            parts[part] = {"type": ["object", "null"], "properties": dict.fromkeys(names, True)}
    described = {"description": one.description} if one.description else {}
    asked = {"properties": {"type": {"const": name}}, "required": ["type"]}
    return {"if": asked, "then": {**described, "properties": parts}}


def _run(arguments: Mapping[str, Json]) -> Json:
    """A map that may name a module, whose arguments are then in it, and what takes away what the module makes."""
    known = [
        {
            "if": {"properties": {"module": {"const": name}}, "required": ["module"]},
            "then": {"properties": {"args": module_reference(name)}},
        }
        for name in arguments
    ]
    named = {"anyOf": [{"enum": sorted(arguments)}, True]} if arguments else True
    within = {"if": {"type": "object"}, "then": _reference("run")}
    return {"properties": {"module": named, "absent": within}, **({"allOf": known} if known else {})}


def _values(definitions: Mapping[str, ParameterDefinition], *, is_open: bool = True) -> Json:
    """A map of values by name; whether others may be in it is for `validate` to say if it is open."""
    told = {name: _parameter(one) for name, one in definitions.items()}
    closed: Json = {} if is_open else {"patternProperties": {MERGED: True}, "additionalProperties": False}
    return {"type": ["object", "null"], "properties": told, **closed}


def _parameter(one: ParameterDefinition) -> Json:
    """A value that is written, computed, or absent."""
    told: Json = {"description": one.description} if one.description else {}
    if one.has_default and isinstance(one.default, str | int | float | bool) and not one.is_secret:
        told["default"] = one.default
    return {**told, "anyOf": [_value(one.schema), _reference("computed"), {"type": "null"}]}


def _value(schema: Schema) -> Json:
    """A value of a type [TOSCA 1.3, 3.6.10]."""
    if schema.type.startswith("tosca.") or schema.type not in (*_PRIMITIVE, *_UNSAID):
        return _reference(f"data.{schema.type}")
    made = dict(_PRIMITIVE.get(schema.type, {}))
    if schema.entry_schema:
        entry = {"anyOf": [_value(schema.entry_schema), _reference("computed")]}
        made["items" if schema.type == "list" else "additionalProperties"] = entry
    for clause in schema.constraints:
        made |= _constraint(clause, schema.type)
    return made


#: Types whose values have more forms than a schema tells.
_UNSAID = (
    *("timestamp", "version", "any", "json", "xml", "scalar"),
    *("scalar-unit", "scalar-unit.size", "scalar-unit.time", "scalar-unit.frequency", "scalar-unit.bitrate"),
)


def _constraint(clause: Mapping[str, Any], kind: str) -> Json:
    """A constraint, if JSON Schema knows it for such a value."""
    for name, limit in clause.items():
        if name == "valid_values" and isinstance(limit, list):
            return {"enum": limit}
        if kind in _NUMBERS and name in _BOUNDS and isinstance(limit, int | float):
            return {_BOUNDS[name]: limit}
        if kind in _NUMBERS and name == "in_range" and isinstance(limit, list):
            ends = zip(("minimum", "maximum"), limit, strict=False)
            return {keyword: end for keyword, end in ends if isinstance(end, int | float)}
    return {}


def _data_type(one: EntityType) -> Json:
    """A data type: a map of its properties, or a refined primitive one."""
    if one.schema is not None:
        return _value(one.schema)
    return _values(one.properties) if one.properties else {}


def _computed() -> Json:
    """What gives a value when a job runs: a function, or a template in a text."""
    calls = {"type": "object", "minProperties": 1, "anyOf": [{"required": [name]} for name in sorted(functions())]}
    return {"anyOf": [calls, {"type": "string", "pattern": r"\{[{%]|^#jinja2:"}]}


def computed_reference() -> Json:
    """The schema of what gives a value when a job runs, for the schemas of arguments."""
    return _reference("computed")


def module_reference(name: str) -> Json:
    """The schema of the arguments of a module that has another name as well."""
    return _reference(f"module.{name}")


def _reference(name: str) -> Json:
    return {"$ref": f"#/$defs/{_PREFIX}{name}"}
