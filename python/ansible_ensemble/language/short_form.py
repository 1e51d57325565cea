"""The short form of node templates, which says what Ansible runs and no type: written out in plain TOSCA.

    page: {module: ansible.builtin.copy, args: {dest: /srv/page, content: hello}}

A node template without a type that says nothing of the kind gets a type of its own, made from what it has. A file that
holds them under the key `resources`, with its inputs and outputs beside it, is a service template in TOSCA 1.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.documents.places import Map, key_place_of, named_entries, place_of
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.keys import BESIDE_RESOURCES, KEYS, RESOURCES
from ansible_ensemble.language.playbook_keywords import ELSEWHERE, IN_RESOURCES, TASK, TASK_KEYS
from ansible_ensemble.language.problems import kind_of

#: What runs -> the type that runs it.
_TYPES = {
    "module": "ansible.Resource",
    "role": "ansible.Role",
    "tasks": "ansible.Tasks",
    "playbook": "ansible.Playbook",
}
#: The keys one of which makes it the form.
SHORT_KINDS = tuple(_TYPES)
#: The other keys of the form; they are properties of these types.
_PROPERTIES = {*_TYPES, "args", "vars", "tasks_from", "absent", "hosts", "run_once", "keywords"}
#: What a node template without a type has at least one of.
_PARTS = ("properties", "attributes", "requirements", "interfaces", "artifacts")
_PRIMITIVES = {bool: "boolean", int: "integer", float: "float", str: "string"}
_HOST = "host"
_EXAMPLE = "for instance `motd: {module: ansible.builtin.copy, args: {dest: /etc/motd, content: hello}}`"
#: All keys of the form.
SHORT_KEYS = _PROPERTIES | {_HOST}


def in_long_form(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file in TOSCA 1.3 with each node template in its long form, and the types that were made for them."""
    document = _with_topology(document)
    body = document.get("topology_template")
    templates = body.get("node_templates") if isinstance(body, Mapping) else None
    if not isinstance(body, Mapping) or not isinstance(templates, Mapping):
        return document
    made: dict[str, Any] = {}
    long = Map()
    for name, raw in templates.items():
        whole = template_in_long_form(raw, templates)
        if isinstance(whole, Mapping) and not {"type", "copy"} & whole.keys() and any(part in whole for part in _PARTS):
            made[f"nodes.{name}"] = _type_of(whole)
            whole = _with(whole, {"type": f"nodes.{name}"})
        long.adopt(name, whole, templates)
    if not made and all(long[name] is raw for name, raw in templates.items()):
        return document
    own = document.get("node_types")
    types = {"node_types": _with(own if isinstance(own, Mapping) else {}, made, last=True)} if made else {}
    new = _with(body, {"node_templates": _placed(long, templates)}, last=True)
    return _with(document, {**types, "topology_template": new}, last=True)


def _with_topology(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file of resources as a service template; itself where it is none."""
    if RESOURCES not in document:
        return document
    if "topology_template" in document:
        message = f"a file has {RESOURCES} or a topology_template, and this one has both"
        raise InvalidInput(message, key_place_of(document, RESOURCES), "make them entries of its node_templates")
    raise_all(_faults(document))
    topology, made = Map(), Map({"tosca_definitions_version": "tosca_simple_yaml_1_3"})
    made.adopt("topology_template", topology, document, RESOURCES)
    topology.adopt("node_templates", document[RESOURCES], document, RESOURCES)
    for key, value in document.items():
        if key != RESOURCES:
            (topology if key in BESIDE_RESOURCES else made).adopt(key, value, document)
    _placed(topology, document)
    return _placed(made, document)


def _faults(document: Mapping[str, Any]) -> Iterator[InvalidInput]:
    """What is wrong with the form of resources, of which there may be none."""
    resources = document[RESOURCES]
    if resources is None:
        return
    if not isinstance(resources, Mapping):
        message = f"{RESOURCES} must be a map of names, not {kind_of(resources)}"
        yield InvalidInput(message, place_of(document, RESOURCES), _EXAMPLE)
        return
    for name, raw in resources.items():
        if not isinstance(raw, Mapping) or not raw:
            but = "and is empty" if raw in (None, {}) else f"not {kind_of(raw)}"
            yield InvalidInput(f"the resource '{name}' must say what runs, {but}", place_of(resources, name), _EXAMPLE)


def template_in_long_form(raw: Any, names: Collection[str]) -> Any:
    """A node template in its long form; itself where it is no short one. `names` are those of node templates."""
    kinds = [kind for kind in _TYPES if isinstance(raw, Mapping) and kind in raw]
    if not isinstance(raw, Mapping) or not kinds or "type" in raw:
        return raw
    if len(kinds) > 1:
        message = f"a node template runs one thing, and this one says {' and '.join(kinds)}"
        raise InvalidInput(message, key_place_of(raw, kinds[1]), "remove one of them, or make two node templates")
    raise_all(_misplaced_keywords(raw, kinds[0]))
    given = raw.get("properties") or {}
    made, properties = Map({"type": _TYPES[kinds[0]]}), Map(given if isinstance(given, Mapping) else {})
    for key, value in raw.items():
        if key == _HOST and isinstance(value, str) and value in names:
            made["requirements"] = _with_host(raw.get("requirements"), value)
        elif key == _HOST:
            properties.adopt("inventory_host", value, raw, key)
        elif key in _PROPERTIES:
            properties.adopt(key, value, raw)
        elif key not in ("properties", *made):
            made.adopt(key, value, raw)
    made["properties"] = _placed(properties, raw) if isinstance(given, Mapping) else given  # which is refused
    return _placed(made, raw)


def _misplaced_keywords(raw: Mapping[str, Any], kind: str) -> Iterator[InvalidInput]:
    """Keywords of a task beside what runs, where a playbook has them."""
    here = SHORT_KEYS - ({"vars"} if kind == "module" else frozenset())
    for key in raw:
        keyword = "loop" if str(key).startswith("with_") else key
        if keyword in TASK and key not in here and key not in KEYS["node_template"]:
            otherwise = f"write keywords: {{{key}: ...}}"
            hint = otherwise if keyword in TASK_KEYS else IN_RESOURCES.get(keyword) or ELSEWHERE.get(keyword, otherwise)
            message = f"`{key}` is a keyword of Ansible's, which has no effect beside {kind}:"
            yield InvalidInput(message, key_place_of(raw, key), hint)


def _with_host(raw: Any, host: str) -> Any:
    """Requirements with that of a host; what is neither a list nor a map is left to be refused."""
    if raw is not None and not isinstance(raw, list | Mapping):
        return raw
    return [*named_entries(raw or []), {_HOST: host}]


def _placed(made: Map, origin: Mapping[str, Any]) -> Map:
    """A map that begins where another one does."""
    if isinstance(origin, Map):
        made.source, made.start = origin.source, origin.start
    return made


def _with(raw: Mapping[str, Any], more: Mapping[str, Any], *, last: bool = False) -> Map:
    """A map with other entries, before its own or, if `last`, behind and in place of them."""
    made = Map() if last else Map(more)
    for key, value in raw.items():
        made.adopt(key, more[key] if last and key in more else value, raw)
    if last:
        made.update({key: value for key, value in more.items() if key not in made})
    return _placed(made, raw)


def _type_of(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The type that a node template needs."""
    made: dict[str, Any] = {"derived_from": "tosca.nodes.Root"}
    for part in ("properties", "attributes"):
        values = raw.get(part)
        if isinstance(values, Mapping) and values:
            made[part] = {name: {"type": _type_name(value)} for name, value in values.items()}
    requirements = raw.get("requirements")
    entries = named_entries(requirements) if isinstance(requirements, list | Mapping) else ()
    names = [name for one in entries if isinstance(one, Mapping) for name in one]
    if wanted := [name for name in dict.fromkeys(names) if name != "dependency"]:
        made["requirements"] = [{name: _requirement(name)} for name in wanted]
    return made


def _type_name(value: Any) -> str:
    if is_computed(value) or value is None:
        return "any"
    if isinstance(value, list):
        return "list"
    return "map" if isinstance(value, Mapping) else _PRIMITIVES.get(type(value), "any")


def _requirement(name: str) -> dict[str, Any]:
    hosted = name == _HOST
    return {
        "capability": "tosca.capabilities.Container" if hosted else "tosca.capabilities.Node",
        "relationship": "tosca.relationships.HostedOn" if hosted else "tosca.relationships.DependsOn",
        "occurrences": [0, "UNBOUNDED"],
    }
