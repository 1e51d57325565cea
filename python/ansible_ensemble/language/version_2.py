"""The common subset of TOSCA 2.0, in the words of 1.3: what a file of that version is read as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.places import Map, changed, key_place_of, place_of
from ansible_ensemble.language.conditions import is_call
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.version_2_calls import (
    Calls,
    OwnFunction,
    Signature,
    read_filter,
    read_precondition,
    read_step_filter,
    read_validation,
)

_SECTION = "functions"


def read_functions(
    document: Mapping[str, Any], problems: Problems, outer: Mapping[str, OwnFunction] = MappingProxyType({})
) -> dict[str, OwnFunction]:
    """The functions that a section defines, or that it refines the outer ones by, an implementation for instance."""
    if _SECTION not in document:
        return {}
    place = place_of(document, _SECTION)
    if not document[_SECTION]:
        problems.add(f"the section {_SECTION} is empty", place)
    section = problems.mapping(document[_SECTION], f"the section {_SECTION}", place)
    found: dict[str, OwnFunction] = {}
    for name, raw in section.items():
        what, where = f"the function '{name}'", place_of(section, name)
        if not name:
            problems.add("a function has no name", where)
        body = problems.mapping(raw, what, where)
        problems.check_keys(body, "function", where)
        if not body.get("signatures") and name not in outer:
            problems.add(f"{what} has no signatures", where, "signatures: [{arguments: [integer], result: float}]")
        signatures = problems.sequence(body.get("signatures"), f"the signatures of {what}", where)
        files = [*_files(signatures, what, problems)]
        run = next((f"{file}#{name}" for file in files if file.endswith(".py")), None)
        known = outer.get(name, OwnFunction(None))
        taken = [_taken(one) for one in signatures if isinstance(one, Mapping)]
        found[name] = OwnFunction(run or known.run, [*known.signatures, *taken[len(known.signatures) :]])
    return found


def _files(signatures: Any, what: str, problems: Problems) -> Iterator[str]:
    """The files that implement a function."""
    for number, raw in enumerate(signatures):
        place = place_of(signatures, number)
        signature = problems.mapping(raw, f"a signature of {what}", place)
        problems.check_keys(signature, "signature", place)
        problems.sequence(signature.get("arguments"), f"the arguments of {what}", place_of(signature, "arguments"))
        problems.sequence(
            signature.get("optional_arguments"), f"the arguments of {what}", place_of(signature, "optional_arguments")
        )
        file = signature.get("implementation")
        for key in ("primary", "file"):
            file = file.get(key) if isinstance(file, Mapping) else file
        if isinstance(file, str):
            yield file


def _taken(signature: Mapping[str, Any]) -> Signature:
    arguments, optional = (
        [str(_type_of(one)) for one in signature.get(key) or ()] for key in ("arguments", "optional_arguments")
    )
    result = _type_of(signature.get("result"))
    is_variadic = signature.get("variadic") is True
    return Signature(arguments, optional, is_variadic, None if result is None else str(result))


def _type_of(schema: Any) -> Any:
    """The name of a type, which stands alone or with what else a schema says."""
    return schema.get("type") if isinstance(schema, Mapping) else schema


VERSION_2 = "tosca_2_0"

#: What the parts of each element are: by key, the element that its value is, or after `*` the entries of its value.
_DEFINITIONS = {"properties": "*parameter", "attributes": "*parameter"}
_SCHEMA = {"entry_schema": "schema", "key_schema": "schema", "validation": "validation"}
_TYPE = {**_DEFINITIONS, "interfaces": "*interface", "artifacts": "*artifact"}
_PARTS: dict[str, dict[str, str]] = {
    "service_template": {
        "imports": "*import",
        "data_types": "*data_type",
        "node_types": "*node_type",
        "relationship_types": "*relationship_type",
        "capability_types": "*capability_type",
        "interface_types": "*interface",
        "artifact_types": "*type",
        "group_types": "*type",
        "policy_types": "*type",
        "service_template": "topology",
    },
    "topology": {
        "inputs": "*parameter",
        "outputs": "*parameter",
        "node_templates": "*node_template",
        "substitution_mappings": "substitution",
        "policies": "policies",
        "workflows": "*workflow",
    },
    "type": _TYPE,
    "node_type": {**_TYPE, "capabilities": "*capability", "requirements": "*requirement_definition"},
    "relationship_type": _TYPE,
    "capability_type": _TYPE,
    "data_type": {"properties": "*parameter", **_SCHEMA},
    "capability": _DEFINITIONS,
    "parameter": _SCHEMA,
    "schema": _SCHEMA,
    "interface": {"inputs": "*input", "operations": "*operation", "notifications": "*operation"},
    "operation": {"inputs": "*input"},
    "input": _SCHEMA,
    "node_template": {"requirements": "*requirement", "node_filter": "filter", "artifacts": "*artifact"},
    "requirement_definition": {"node_filter": "filter"},
    "requirement": {"node_filter": "filter"},
    "substitution": {"substitution_filter": "filter"},
    "workflow": {"inputs": "*parameter", "precondition": "precondition", "steps": "*step"},
    "step": {"filter": "step_filter"},
}

#: Keys of 1.3 that 2.0 has nothing for, or another way.
_GONE: dict[str, dict[str, str]] = {
    "capability": {"occurrences": "a capability serves any number of relationships: allocate from its properties"},
    "node_template": {"occurrences": "write `count`"},
    "requirement": {"occurrences": "write `count`"},
    "workflow": {"preconditions": "write `precondition` and one condition"},
    "service_template": {
        "namespace": "write `profile`",
        "tosca_default_namespace": "write `profile`",
        **dict.fromkeys(("template_name", "template_author", "template_version"), "write it below `metadata`"),
    },
}
#: Keys that an element must have; a copy has them from its origin.
_NEEDED: dict[str, tuple[str, ...]] = {"node_template": ("type",), "artifact": ("type", "file")}

_SCHEMAS = frozenset({"parameter", "input", "schema", "data_type"})

#: Keys that 1.3 has another word for.
_RENAMED: dict[str, dict[str, str]] = {
    "service_template": {"service_template": "topology_template"},
    "import": {"namespace": "namespace_prefix", "url": "file"},
    "relationship_type": {
        "valid_source_node_types": "valid_source_types",
        "valid_capability_types": "valid_target_types",
    },
    "capability_type": {"valid_source_node_types": "valid_source_types"},
    **{element: {"validation": "constraints"} for element in _SCHEMAS},
    "capability": {"valid_source_node_types": "valid_source_types"},
    "requirement_definition": {"count_range": "occurrences"},
    "workflow": {"precondition": "preconditions"},
}

_CONDITIONS = {
    "filter": read_filter,
    "validation": read_validation,
    "precondition": read_precondition,
    "step_filter": read_step_filter,
}
_TYPE_NAMES = {"nil": "null", "bytes": "string"}
#: What the text of bytes is written with [TOSCA 2.0, 9.1.1.5].
_BASE64 = r"[A-Za-z0-9+/\s]*={0,2}\s*"
#: The count_range of a requirement that states none, unless it refines one that does [TOSCA 2.0, 8.4].
UNSTATED_COUNT: list[Any] = [0, "UNBOUNDED"]
_VERSION_KEY = "tosca_definitions_version"


def in_words_of_1_3(
    document: Mapping[str, Any], problems: Problems, imported: Mapping[str, OwnFunction] = MappingProxyType({})
) -> Mapping[str, Any]:
    """A file of version 2.0 as one of 1.3 that means the same; what has no counterpart is an error.

    Sections and keys that have other names get those of 1.3, `{$f: x}` becomes `{f: x}` or an expression, validation
    clauses become constraints, conditions of filters become node filters. `imported` are functions of other files, by
    the names that this one knows them under.
    """
    if _VERSION_KEY in document and next(iter(document)) != _VERSION_KEY:
        problems.add(f"{_VERSION_KEY} must be the first key of a file", key_place_of(document, _VERSION_KEY))
    own = {**imported, **read_functions(document, problems)}
    inner = document.get("service_template")
    if isinstance(inner, Mapping):
        own |= read_functions(inner, problems, own)
    made: Mapping[str, Any] = _Reader(Calls(own, problems)).element(document, "service_template")
    return made


class _Reader:
    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.problems = calls.problems

    def part(self, raw: Any, name: str, place: Place | None) -> Any:
        if name.startswith("*requirement") and isinstance(raw, Mapping):
            hint = "write one entry for each requirement: [{host: ...}, {db: ...}]"
            self.problems.add("requirements must be a list, not a map", place, hint)
        if name == "policies" and isinstance(raw, Mapping):
            self.problems.add("policies must be a list, not a map", place, "write one entry for each: [{p: ...}]")
        if name == "artifact" and not isinstance(raw, Mapping):
            self.problems.add("an artifact must be a map", place, "{type: ..., file: ...}")
        if name == "requirement_definition" and isinstance(raw, Mapping) and isinstance(raw.get("count_range"), int):
            message = "a count_range must be a list of two numbers"
            self.problems.add(message, place_of(raw, "count_range"), "for instance [1, UNBOUNDED]")
        if name == "substitution" and raw is None:
            self.problems.add("substitution_mappings is empty", place, "leave it out")
        if name.startswith("*"):
            return self.entries(raw, name[1:], place)
        if name in _CONDITIONS:
            return _CONDITIONS[name](raw, place, self.calls)
        return self.element(raw, name) if name not in ("value", "policies") else self.value(raw)

    def entries(self, raw: Any, element: str, place: Place | None) -> Any:
        if isinstance(raw, list) and element.startswith("requirement"):
            return changed(raw, lambda entry: self.entries(entry, element, place))
        if isinstance(raw, dict | list):
            return changed(raw, lambda entry: self.part(entry, element, place))
        return raw

    def element(self, raw: Any, element: str) -> Any:
        if not isinstance(raw, Mapping) or is_call(raw) or (element == "input" and not _is_definition(raw)):
            return self.short(raw, element)
        made = Map()
        if isinstance(raw, Map):
            made.source, made.start = raw.source, raw.start
        renamed, parts = _RENAMED.get(element, {}), _PARTS.get(element, {})
        for key, value in raw.items():
            if element in ("service_template", "topology") and key == _SECTION:
                continue
            if (element, key, value) == ("requirement", "directives", ["internal"]):
                continue  # whatever is required is in the topology
            newer = next((new for new, old in renamed.items() if old == key), None)
            if newer is not None:
                self.problems.add(f"`{key}` is a key of TOSCA 1.3", key_place_of(raw, key), f"write `{newer}`")
                continue
            remedy = _GONE.get(element, {}).get(key)
            if remedy is not None:
                self.problems.add(f"`{key}` is a key of TOSCA 1.3", key_place_of(raw, key), remedy)
                continue
            name = renamed.get(key, key)
            if name in made:
                self.problems.add(f"`{key}` beside others of its kind is not supported", key_place_of(raw, key))
                continue
            if key == "derived_from" and value is None:
                self.problems.add("derived_from names no type", key_place_of(raw, key), "leave it out")
            part = parts.get(key, "operation" if element == "interface" and _is_operation(key, value) else "value")
            made.adopt(name, self.part(value, part, place_of(raw, key)), raw, key)
        for key in _NEEDED.get(element, ()) if "copy" not in raw else ():
            if raw.get(key) is None:
                self.problems.add(f"{_article(element)} needs a {key}", place_of(raw), f"add {key}:")
        return _finished(made, element)

    def short(self, raw: Any, element: str) -> Any:
        """What is not written as a map: the name of a capability type, of an implementing file, a value."""
        if element == "requirement_definition" and isinstance(raw, str):
            return {"capability": raw, "occurrences": [0, "UNBOUNDED"]}
        if element == "schema" and raw == "bytes":
            return _finished(Map(type=raw), element)
        return _TYPE_NAMES.get(raw, raw) if element == "schema" and isinstance(raw, str) else self.value(raw)

    def value(self, raw: Any) -> Any:
        if isinstance(raw, str) and raw.startswith("$$"):
            return raw[1:]
        if isinstance(raw, str) or (isinstance(raw, Mapping) and (is_call(raw) or self.calls.is_like_call(raw))):
            return self.calls.value(raw)
        if not isinstance(raw, dict | list):
            return raw
        made = changed(raw, self.value)
        return _unescaped(made) if isinstance(made, dict) and any(_is_escaped(key) for key in made) else made


def _article(element: str) -> str:
    return f"{'an' if element[0] in 'aeiou' else 'a'} {element.replace('_', ' ')}"


def _is_escaped(key: object) -> bool:
    return isinstance(key, str) and key.startswith("$$")


def _unescaped(raw: Mapping[Any, Any]) -> Map:
    made = Map()
    for key, value in raw.items():
        made.adopt(key[1:] if _is_escaped(key) else key, value, raw, key)
    return made


def _finished(made: Map, element: str) -> Map:
    if element in _SCHEMAS:
        if isinstance(made.get("status"), str):
            made["status"] = made["status"].lower()
        for key in ("type", "derived_from"):
            if made.get(key) == "bytes":
                made["constraints"] = [{"pattern": _BASE64}, *made.get("constraints", [])]
            if isinstance(made.get(key), str):
                made[key] = _TYPE_NAMES.get(made[key], made[key])
    if element == "requirement_definition":
        made.setdefault("occurrences", UNSTATED_COUNT)
    if element == "service_template":
        made[_VERSION_KEY] = VERSION_2
    return made


def _is_definition(raw: Mapping[Any, Any]) -> bool:
    return isinstance(raw.get("type"), str) or "validation" in raw


def _is_operation(key: Any, value: Any) -> bool:
    """Whether an entry of an interface is an operation that stands beside `operations`, as in 1.0."""
    return isinstance(value, Mapping) and ("implementation" in value or "inputs" in value) and key != "operations"
