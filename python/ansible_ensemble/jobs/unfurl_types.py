"""Types in the JSON of `unfurl export`, with a JSON Schema of what users give and of what is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.jobs.exported_values import hidden
from ansible_ensemble.language.entities import EntityType, ParameterDefinition, RequirementDefinition, Schema, Topology

#: What stands for UNBOUNDED.
_UNBOUNDED = 0xFFFFFFFF
#: The type that all nodes have: what they inherit of it is not shown.
ROOT = "tosca.nodes.Root"
_JSON_TYPES = {
    **{"string": "string", "boolean": "boolean", "integer": "number", "float": "number", "list": "array"},
    **{"map": "object", "json": "object", "range": "array"},
}
#: The types whose JSON has the same name, or says enough.
_PLAIN = ("string", "boolean", "list", "map")
_BOUNDS = {
    "greater_or_equal": "minimum",
    "greater_than": "exclusiveMinimum",
    "less_or_equal": "maximum",
    "less_than": "exclusiveMaximum",
    "valid_values": "enum",
    "pattern": "pattern",
    "equal": "const",
}
#: The types of values that are environment variables.
_OF_VARIABLES = ("any", "boolean", "float", "integer", "string", "timestamp", "version")
#: What lengths count, by the JSON type.
_COUNTED = {"array": "Items", "object": "Properties"}


class Types:
    """The types of an exported document by name; one of the project has its first commit in its name."""

    def __init__(self, topology: Topology, commit: str) -> None:
        self._topology = topology
        self._commit = commit
        self.documents: dict[str, dict[str, Any]] = {}

    def name(self, kind: EntityType | str) -> str:
        """The name of a type, which is unique among projects."""
        entity = self._topology.seen_types("node").get(kind) if isinstance(kind, str) else kind
        if entity is None or entity.place is None:
            return kind if isinstance(kind, str) else kind.name
        return self.own(entity.name)

    def own(self, name: str) -> str:
        """The name of a type of this project."""
        return f"{name}@{self._commit}" if self._commit else name

    def add(self, kind: EntityType, *, root: bool = False) -> str:
        """Have a type and those that it derives from in the document; the type of all nodes only with `root`."""
        for one in kind.lineage():
            name = self.name(one)
            if name not in self.documents and (root or one.name != ROOT):
                self.documents[name] = self._document(one)
        return self.name(kind)

    def add_made(self, name: str, base: EntityType | None, inputs: Mapping[str, Any], extra: list[Any]) -> str:
        """Have a type that stands for the whole topology, with its inputs and with requirements."""
        kind = EntityType("node", name)
        kind.parent = base
        kind.properties = {**inputs, **(base.properties if base is not None else {})}
        for part in ("capabilities", "requirements", "interfaces", "attributes"):
            setattr(kind, part, getattr(base, part) if base is not None else {})
        made = self._document(kind)
        called = made["name"] = made["extends"][0] = self.own(name)
        made["requirements"] = [*extra, *made["requirements"]]
        self.documents[called] = made
        return called

    def constraints(self, kind: EntityType) -> list[dict[str, Any]]:
        """What a type requires, but for what all nodes can depend on."""
        return [self.constraint(one) for one in kind.requirements.values() if one.name != "dependency"]

    def constraint(self, one: RequirementDefinition) -> dict[str, Any]:
        """A requirement of a type."""
        least, most = one.occurrences
        return required(
            one.name,
            self.name(one.node or one.capability or ROOT),
            one.description,
            least,
            _UNBOUNDED if most is None else most,
        )

    def _document(self, kind: EntityType) -> dict[str, Any]:
        operations = {
            operation.name
            for interface in kind.interfaces.values()
            for operation in interface.operations.values()
            if operation.implementation is not None
        }
        given, computed = _split(kind.properties.values())
        schemas = {one.name: self._property(one) for one in given}
        schemas |= self._capabilities(kind)
        document: dict[str, Any] = {
            "name": self.name(kind),
            "title": kind.metadata.get("title") or kind.name.rpartition(".")[2],
            "description": str(kind.metadata.get("description") or ""),
            "__typename": "ResourceType",
            "extends": self._extends(kind),
            "requirements": self.constraints(kind),
            "inputsSchema": _object(schemas),
            "implementations": sorted(operations),
            "implementation_requirements": self._connections(kind),
            "visibility": kind.metadata.get("visibility") or "inherit",
            "computedPropertiesSchema": _object({one.name: self._property(one) for one in computed}),
        }
        if kind.metadata:
            document |= {"metadata": kind.metadata}
            document |= {"icon": kind.metadata["icon"]} if "icon" in kind.metadata else {}
        if kind.kind == "node":
            shown = {one.name: self._property(one) for one in attributes_of(kind) if not one.has_default}
            document["outputsSchema"] = _object(shown)
        return document

    def _connections(self, kind: EntityType) -> list[str]:
        """Names of the types of connections that its operations need."""
        known = self._topology.seen_types("relationship")
        needed = dict.fromkeys(name for interface in kind.interfaces.values() for name in interface.connections)
        return [self.name(known[name]) if name in known else name for name in needed]

    def _extends(self, kind: EntityType) -> list[str]:
        names = [self.name(one) for one in kind.lineage()]
        if kind.kind != "node":
            return names
        if ROOT not in names:
            names.append(ROOT)
        known = self._topology.seen_types("capability")
        offered = [*(one.type for one in kind.capabilities.values()), "tosca.capabilities.Node"]
        names += [one.name for name in offered if name in known for one in known[name].lineage()]
        return list(dict.fromkeys(names))

    def _capabilities(self, kind: EntityType) -> dict[str, Any]:
        """Properties of capabilities for which nothing stands yet."""
        known, found = self._topology.seen_types("capability"), {}
        for capability in kind.capabilities.values():
            entity = known.get(capability.type)
            declared = {**(entity.properties if entity is not None else {}), **capability.properties}
            made = self._fields(declared.values())
            if made:
                found[capability.name] = {
                    "type": "object",
                    "properties": {**made, "$toscatype": {"const": capability.type}},
                }
        return found

    def _fields(self, definitions: Iterable[ParameterDefinition]) -> dict[str, Any]:
        return {one.name: self._property(one) for one in _split(definitions)[0]}

    def _property(self, one: ParameterDefinition) -> dict[str, Any]:
        made: dict[str, Any] = {"title": one.name}
        if one.has_default and not (isinstance(one.default, Mapping) and "eval" in one.default):
            made["default"] = hidden(one.default, one.name, secret=one.is_secret)
        if one.required:
            made["required"] = True
        if one.description:
            made["description"] = one.description
        made |= one.metadata
        made |= self._schema(one.schema)
        if one.metadata.get("default_unit"):
            made["type"] = "number"
        return made

    def _schema(self, schema: Schema) -> dict[str, Any]:
        made: dict[str, Any] = {} if schema.type in _PLAIN else {"$toscatype": schema.type}
        data = self._topology.data_types.get(schema.type)
        clauses = list(schema.constraints)
        if data is not None and data.schema is not None:
            made["type"] = _JSON_TYPES.get(data.schema.type, "string")
            clauses = [*data.schema.constraints, *clauses]
        elif data is not None and schema.type not in _JSON_TYPES and data.is_a("tosca.datatypes.Root"):
            made["type"] = "object"
        else:
            made["type"] = _JSON_TYPES.get(schema.type, "string")
        entry = {"required": True, **self._schema(schema.entry_schema)} if schema.entry_schema is not None else None
        if schema.type == "range":
            made["items"] = {"type": "integer", "maxItems": 2}
        elif made["type"] == "array" and entry is not None:
            made["items"] = entry
        elif schema.type == "map":
            made |= {"additionalProperties": entry} if entry is not None else {}
        elif made["type"] == "object":
            made["properties"] = {
                **self._fields(data.properties.values() if data else ()),
                "$toscatype": {"const": schema.type},
            }
        bounds = [found for clause in clauses for found in _bounds(clause, made["type"])]
        return made | (bounds[0] if len(bounds) == 1 else {"allOf": bounds} if bounds else {})


def required(name: str, kind: str, description: str = "", least: int = 1, most: int = 1) -> dict[str, Any]:
    """A requirement as a constraint."""
    return {
        "name": name,
        "description": description,
        "__typename": "RequirementConstraint",
        "min": least,
        "max": most,
        "match": None,
        "resourceType": kind,
    }


def attributes_of(kind: EntityType) -> list[ParameterDefinition]:
    """The attributes of a node type, but for those of all nodes."""
    inherited = next((one.attributes for one in kind.lineage() if one.name == ROOT), {})
    return [one for name, one in kind.attributes.items() if name not in inherited and name not in kind.properties]


def variables(prefix: str, definitions: Iterable[ParameterDefinition]) -> list[str]:
    """Names of environment variables for values that fit into one."""
    return [f"{prefix}_{one.name}".upper().replace("-", "_") for one in definitions if one.schema.type in _OF_VARIABLES]


def _split(definitions: Iterable[ParameterDefinition]) -> tuple[list[ParameterDefinition], list[ParameterDefinition]]:
    """What users give, and what has a value without them."""
    given: list[ParameterDefinition] = []
    computed: list[ParameterDefinition] = []
    for one in definitions:
        settable = one.metadata.get("user_settable", not one.has_default and not one.has_value)
        (given if settable else computed).append(one)
    return given, computed


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties)}


def _bounds(clause: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """A constraint clause in words of JSON Schema; none for one that has no such words."""
    ((name, value),) = clause.items()
    if name in _BOUNDS:
        return [{_BOUNDS[name]: _number(value) if name in _SIZES else value}]
    if name == "in_range" and isinstance(value, list):
        pairs = zip(("minimum", "maximum"), value, strict=False)
        return [{key: _number(one) for key, one in pairs if one != "UNBOUNDED"}]
    counted = _COUNTED.get(kind, "Length")
    lengths = {"min_length": ["min"], "max_length": ["max"], "length": ["min", "max"]}.get(name, [])
    return [{f"{one}{counted}": value for one in lengths}] if lengths else []


_SIZES = ("greater_or_equal", "greater_than", "less_or_equal", "less_than")


def _number(value: Any) -> Any:
    """The number of a value with a unit."""
    if not isinstance(value, str):
        return value
    number = value.split()[0]
    return float(number) if "." in number else int(number) if number.lstrip("-").isdigit() else value
