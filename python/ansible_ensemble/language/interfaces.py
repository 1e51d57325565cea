"""Interfaces, operations and their implementations [TOSCA 1.3, 3.6.16 to 3.6.20]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest, slip_hint, slip_of
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.artifacts import read_artifact
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    EntityType,
    Implementation,
    Interface,
    Operation,
    ParameterDefinition,
)
from ansible_ensemble.language.keys import IMPLEMENTATION_KEYS, IMPLEMENTATION_SETTINGS, KEYS
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.scalars import seconds
from ansible_ensemble.language.schema import read_boolean, read_definition
from ansible_ensemble.language.types import Scope

#: Keys of an interface that are not the name of an operation.
_INTERFACE_KEYS = frozenset(
    {"type", "description", "inputs", "operations", "notifications", "defaults", "metadata", "requirements"}
    | {"derived_from", "version", "title", "implementation", "outputs"}
)
#: In Unfurl's dialect, that an operation does nothing, whatever an inherited one does.
_NOT_IMPLEMENTED = "not_implemented"
#: In Unfurl's dialect, what every operation has that the interfaces beside it list.
_DEFAULTS = "defaults"
#: In Unfurl's dialect, what the connections are called that the operations of an interface need.
_CONNECTIONS = "requirements"
#: Interface types whose operations the job itself calls; it calls no others.
_CLOSED = ("tosca.interfaces.node.lifecycle.Standard", "tosca.interfaces.relationship.Configure")
#: What an interface is of that gives no type.
_ROOT = "tosca.interfaces.Root"
#: Settings of an implementation that are booleans.
_SWITCHES = frozenset({"become", "check_mode", "fast"})
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_DEFINITION_KEYS = KEYS["parameter_definition"]


def build_interface_type(entity: EntityType, raw: Mapping[str, Any], scope: Scope) -> None:
    """Read an interface type [TOSCA 1.3, 3.7.5]; its operations are those of the one interface it holds."""
    inherited = entity.interfaces.get("")
    base = Interface("", entity.name) if inherited is None else replace(inherited, type=entity.name)
    base.is_open = base.is_open or entity.metadata.get("additionalOperations") is True
    made = _read_interface("", raw, base, scope, declares=True)
    for name, value in made.inputs.items() if scope.types.is_strict else ():
        if name not in made.input_definitions:
            message = f"the input '{name}' of the interface type '{entity.name}' has no definition"
            scope.problems.add(message, value.place, "write a map with its type")
    entity.interfaces = {"": made}


def read_interfaces(
    raw: Any,
    what: str,
    place: Place | None,
    scope: Scope,
    inherited: Mapping[str, Interface],
    *,
    declares: bool,
) -> dict[str, Interface]:
    """The interfaces of a type, template or relationship over the inherited ones.

    A type `declares`: it may add operations that its interface type does not have, and interfaces without a type.
    """
    problems = scope.problems
    merged = dict(inherited)
    section = problems.mapping(raw, f"the interfaces of {what}", place)
    shared = scope.is_unfurl and _DEFAULTS in section and _DEFAULTS not in inherited
    defaults = problems.mapping(section[_DEFAULTS], f"the defaults of {what}", place) if shared else {}
    for key, entry in section.items():
        if key == _DEFAULTS and shared:
            continue
        where = place_of(section, key)
        body = problems.mapping(entry, f"interface '{key}' of {what}", where)
        name = _name_here(key, merged, scope)
        base = merged.get(name)
        if base is None or "type" in body:
            base = _from_type(name, body, scope, base)
            known = [*merged, *scope.names["interface"]]
            if base is None and declares and slip_of(name, known) is None:
                message = f"the interface '{name}' of {what} has no type, and is taken as one of its own"
                problems.warn(NoticeCode.UNTYPED_INTERFACE, message, key_place_of(section, key))
                base = Interface(name, _ROOT, is_open=True)
            if base is None:
                hint = nearest(name, known) or "add type: and the interface type's name"
                problems.add(f"{what} has no interface '{name}'", key_place_of(section, key), hint)
                continue
        merged[name] = _read_interface(name, body, base, scope, declares=declares, shared=defaults)
    for name, base in merged.items() if defaults else ():
        if base is inherited.get(name):
            body = {"inputs": defaults.get("inputs"), "operations": dict.fromkeys(_implemented(base))}
            merged[name] = _read_interface(name, body, base, scope, declares=declares, shared=defaults)
    return merged


def _implemented(interface: Interface) -> list[str]:
    return [name for name, one in interface.operations.items() if one.implementation is not None]


def _name_here(name: str, known: Mapping[str, Interface], scope: Scope) -> str:
    """The name of an interface that may be given by that of its type, as `tosca.interfaces.node.lifecycle.Standard`."""
    declaration = scope.types.find("interface", name, scope) if name not in known else None
    if declaration is None:
        return name
    return next((one.name for one in known.values() if one.type == declaration.name), name)


def _type_called(name: str, scope: Scope) -> str:
    """The canonical name of a type of relationships; that of one that nothing imports is as it is written."""
    declaration = scope.types.find("relationship", name, scope)
    return name if declaration is None else scope.types.entity(declaration).name


def _from_type(name: str, body: Mapping[str, Any], scope: Scope, base: Interface | None) -> Interface | None:
    """The interface as its type has it; what a base of the same type adds to it stays."""
    if "type" in body:
        entity = scope.types.get("interface", body["type"], scope, place_of(body, "type"))
        if entity is None:
            return base or Interface(name, "", is_open=True)
    else:
        declaration = scope.types.find("interface", name, scope)
        if declaration is None:
            return None
        entity = scope.types.entity(declaration)
    if base is not None and scope.types.is_a("interface", base.type, entity.name):
        return base
    plain = entity.interfaces[""]
    made = Interface(name, entity.name, inputs=plain.inputs, input_definitions=plain.input_definitions)
    made.is_open = plain.is_open
    made.operations = {key: replace(one, interface=name) for key, one in plain.operations.items()}
    made.notifications = {key: replace(one, interface=name) for key, one in plain.notifications.items()}
    if base is not None:
        made.operations |= base.operations
        made.notifications |= base.notifications
    return made


def _read_interface(
    name: str,
    body: Mapping[str, Any],
    base: Interface,
    scope: Scope,
    *,
    declares: bool,
    shared: Mapping[str, Any] = _NOTHING,
) -> Interface:
    problems = scope.problems
    made = replace(base, name=name, operations=dict(base.operations), notifications=dict(base.notifications))
    values, made.input_definitions = _read_inputs(body.get("inputs"), name, body, base.input_definitions, scope)
    made.inputs = {**base.inputs, **values}
    if _CONNECTIONS in body:
        what, place = f"the connections of interface '{name}'", place_of(body, _CONNECTIONS)
        made.connections = tuple(_type_called(one, scope) for one in problems.texts(body[_CONNECTIONS], what, place))
    defaults = problems.mapping(body.get("defaults"), f"the defaults of interface '{name}'", place_of(body, "defaults"))
    defaults = defaults or shared
    known_definitions = base.input_definitions
    changed = {key: one for key, one in made.input_definitions.items() if known_definitions.get(key) is not one}
    if values or changed:
        for key, operation in made.operations.items():
            # in Unfurl's dialect what an operation has itself wins, wherever it has it from
            own = {name: one for name, one in operation.inputs.items() if base.inputs.get(name) is not one}
            made.operations[key] = replace(
                operation,
                inputs={**operation.inputs, **values, **(own if scope.is_unfurl else {})},
                input_definitions={**operation.input_definitions, **changed},
            )
    operations = problems.mapping(
        body.get("operations"), f"the operations of interface '{name}'", place_of(body, "operations")
    )
    plain = {key: value for key, value in body.items() if key not in _INTERFACE_KEYS}
    sections: list[tuple[str, Mapping[str, Any], Mapping[str, Any], dict[str, Operation]]] = [
        ("operation", operations, operations, made.operations),
        ("operation", plain, body, made.operations),
    ]
    notifications = problems.mapping(
        body.get("notifications"), f"the notifications of interface '{name}'", place_of(body, "notifications")
    )
    sections.append(("notification", notifications, notifications, made.notifications))
    known_names = {"operation": list(made.operations), "notification": list(made.notifications)}
    for kind, entries, container, target in sections:
        for key, entry in entries.items():
            known = target.get(key)
            if known is None and name and not _may_add(key, made, known_names[kind], declares=declares):
                hint = nearest(key, target) or f"its {kind}s are: {', '.join(target) or 'none'}"
                problems.add(f"interface '{name}' has no {kind} '{key}'", key_place_of(container, key), hint)
                continue
            if known is None:
                known = Operation(name, key, inputs=dict(made.inputs), input_definitions=dict(made.input_definitions))
            if defaults:
                known = _read_operation(key, defaults, place_of(defaults), known, scope, kind=kind)
            target[key] = _read_operation(key, entry, place_of(container, key), known, scope, kind=kind)
    return made


def _may_add(key: str, interface: Interface, known: Iterable[str], *, declares: bool) -> bool:
    """Whether an interface may have an operation that its type does not declare; else it is a slip."""
    if slip_of(key, known) is not None:
        return False
    return interface.is_open or (declares and interface.type not in _CLOSED)


def _read_operation(name: str, raw: Any, place: Place | None, base: Operation, scope: Scope, *, kind: str) -> Operation:
    """An operation over the one it refines; a text is its implementation."""
    problems = scope.problems
    what = f"{kind} '{name}'"
    made = replace(base, place=place)
    if raw is None:
        return made
    if raw == _NOT_IMPLEMENTED and scope.is_unfurl:
        made.implementation = None
        return made
    if isinstance(raw, str):
        made.implementation, made.base = Implementation(primary=raw, may_be_program=scope.is_unfurl), scope.base
        return made
    body = problems.mapping(raw, what, place)
    if not scope.is_normative:
        problems.check_keys(body, kind, place)
    if body.get("implementation") is not None:
        made.implementation = read_implementation(body["implementation"], what, place_of(body, "implementation"), scope)
        made.base = scope.base
    settings = {
        key: body[key] for key in ("environment", "entry_state", "preConditions", "postConditions") if key in body
    }
    direct = {key: body[key] for key in ("timeout", "operation_host") if key in body}
    if (settings or direct) and made.implementation is not None:
        extra = read_implementation(direct, what, place, scope) or Implementation()
        made.implementation = replace(
            made.implementation,
            timeout=made.implementation.timeout if extra.timeout is None else extra.timeout,
            operation_host=extra.operation_host or made.implementation.operation_host,
            settings={**made.implementation.settings, **settings},
        )
    values, made.input_definitions = _read_inputs(body.get("inputs"), what, body, base.input_definitions, scope)
    inner = made.implementation.settings.get("inputs") if made.implementation is not None else None
    if isinstance(inner, Mapping) and "implementation" in body:
        more, made.input_definitions = _read_inputs(inner, what, body, made.input_definitions, scope)
        values = {**more, **values}
    made.inputs = {**base.inputs, **values}
    if body.get("invoke") is not None:
        called = problems.text(body["invoke"], f"what {what} invokes", place_of(body, "invoke"))
        given = Assignment({key: one.value for key, one in made.inputs.items()}, None, place, scope.base)
        made.implementation, made.base = Implementation(class_name="delegate"), scope.base
        made.inputs = {"operation": Assignment(called, None, place_of(body, "invoke"), scope.base), "inputs": given}
    implemented = made.implementation.settings if made.implementation is not None else {}
    for section in (implemented if "implementation" in body else {}, body):
        made.outputs = {**made.outputs, **read_outputs(section.get("outputs"), what, section, scope)}
    made.description = str(body.get("description") or base.description)
    made.metadata = {**base.metadata, **problems.mapping(body.get("metadata"), f"metadata of {what}", place)}
    return made


def _read_inputs(
    raw: Any,
    what: str,
    container: Mapping[str, Any],
    inherited: Mapping[str, ParameterDefinition],
    scope: Scope,
) -> tuple[dict[str, Assignment], dict[str, ParameterDefinition]]:
    """Values and definitions of an `inputs` section, whose entries are definitions, values, or a mixture of both."""
    values: dict[str, Assignment] = {}
    definitions = dict(inherited)
    section = scope.problems.mapping(raw, f"the inputs of {what}", place_of(container, "inputs"))
    for name, entry in section.items():
        place = place_of(section, name)
        known = definitions.get(name)
        if is_definition(entry, known):
            found = read_definition(name, entry, place, scope, known, typed=False)
            if found is None:
                continue
            definitions[name] = found
            if found.has_value:
                values[name] = Assignment(found.value, found, place_of(entry, "value"), scope.base)
            elif found.has_default:
                values[name] = Assignment(found.default, found, place_of(entry, "default"), scope.base, is_default=True)
            continue
        values[name] = Assignment(entry, known, place, scope.base)
        if known is not None and entry is not None:
            scope.types.check_later(entry, known, f"input '{name}' of {what}", place)
    return values, definitions


def is_definition(entry: Any, known: ParameterDefinition | None) -> bool:
    """Whether an input's entry is a definition (`{type: string, value: x}`) rather than a plain value."""
    if not isinstance(entry, Mapping) or not entry or not all(key in _DEFINITION_KEYS for key in entry):
        return False
    if "value" in entry and ("type" in entry or "description" in entry or len(entry) == 1):
        return True
    if known is not None and known.schema.type not in ("string", "integer", "float", "boolean", "list"):
        return False
    return "type" in entry and isinstance(entry["type"], str)


def read_outputs(raw: Any, what: str, container: Mapping[str, Any], scope: Scope) -> dict[str, list[Any]]:
    """Output mappings: output name -> [entity, attribute, ...] [TOSCA 1.3, 3.6.15], empty if declared alone."""
    outputs: dict[str, list[Any]] = {}
    section = scope.problems.mapping(raw, f"the outputs of {what}", place_of(container, "outputs"))
    for name, target in section.items():
        if isinstance(target, list) and len(target) >= 2:
            outputs[name] = list(target)
        elif isinstance(target, str):
            outputs[name] = ["SELF", target]
        elif isinstance(target, Mapping) and isinstance(target.get("mapping"), list):
            outputs[name] = list(target["mapping"])
        elif target is None or isinstance(target, Mapping):
            outputs[name] = []
        else:
            scope.problems.add(
                f"output '{name}' of {what} must be mapped to an attribute",
                place_of(section, name),
                "[SELF, attribute]",
            )
    return outputs


def read_implementation(raw: Any, what: str, place: Place | None, scope: Scope) -> Implementation | None:
    """How an operation is implemented, from its short or long form; None, and an error, if it is neither."""
    problems = scope.problems
    if isinstance(raw, str):
        return Implementation(primary=raw, may_be_program=scope.is_unfurl)
    if not isinstance(raw, Mapping):
        problems.add(f"the implementation of {what} must be a text or a map, not {kind_of(raw)}", place)
        return None
    body = problems.mapping(raw, f"the implementation of {what}", place)
    made = Implementation(may_be_program=scope.is_unfurl)
    if "file" in body and "primary" not in body:
        body = {**{key: one for key, one in body.items() if key not in KEYS["artifact"]}, "primary": raw}
    _read_primary(made, body.get("primary"), what, place_of(raw, "primary"), scope)
    for number, entry in enumerate(
        problems.sequence(body.get("dependencies"), f"the dependencies of {what}", place_of(raw, "dependencies"))
    ):
        where = place_of(body["dependencies"], number)
        found = read_artifact(entry if isinstance(entry, str) else f"dependency {number}", entry, where, scope)
        if found is not None:
            made.dependencies.append(found)
    made.operation_host = problems.text(body.get("operation_host"), f"operation_host of {what}", place)
    class_name = body.get("className", body.get("configurator"))
    made.class_name = problems.text(class_name, f"className of {what}", place) or made.class_name
    if body.get("timeout") is not None:
        made.timeout = seconds(body["timeout"])
        if made.timeout is None or not 0 <= made.timeout < float("inf"):
            problems.add(
                f"the timeout of {what} is not a duration", place_of(raw, "timeout"), "write seconds, or '5 m'"
            )
    _read_settings(made, body, what, scope)
    return made


def _read_settings(made: Implementation, body: Mapping[str, Any], what: str, scope: Scope) -> None:
    problems = scope.problems
    for key in [one for one in body if one not in IMPLEMENTATION_KEYS]:
        if key not in IMPLEMENTATION_SETTINGS:
            hint = slip_hint(key, IMPLEMENTATION_KEYS | IMPLEMENTATION_SETTINGS)
            if hint is not None:
                problems.add(f"unknown key '{key}' in the implementation of {what}", key_place_of(body, key), hint)
        meant = (
            read_boolean(body[key], f"'{key}' of {what}", place_of(body, key), problems) if key in _SWITCHES else None
        )
        made.settings[key] = body[key] if meant is None else meant


def _read_primary(made: Implementation, raw: Any, what: str, place: Place | None, scope: Scope) -> None:
    if isinstance(raw, Mapping):
        made.artifact = read_artifact(f"primary of {what}", raw, place, scope)
        made.primary = made.artifact.file if made.artifact is not None else None
        made.class_name = _class_name(made.artifact) if made.artifact is not None else None
    else:
        made.primary = scope.problems.text(raw, f"the primary of {what}", place)


def _class_name(artifact: Artifact) -> str | None:
    """The configurator that an artifact brings along, as those of Unfurl's `HasConfigurator` do."""
    found = artifact.properties.get("className")
    return found.value if found is not None and isinstance(found.value, str) else None


def with_artifacts(interfaces: dict[str, Interface], artifacts: Mapping[str, Artifact]) -> dict[str, Interface]:
    """The interfaces with each primary and dependency that is an artifact's name resolved to the artifact.

    Types share their interfaces among templates; what has to change is copied.
    """
    made = interfaces
    for name, interface in interfaces.items():
        for key, operation in interface.operations.items():
            implementation = operation.implementation
            if implementation is None:
                continue
            artifact = artifacts.get(implementation.primary or "")
            named = [artifacts.get(one.name, one) for one in implementation.dependencies]
            if artifact is None and named == implementation.dependencies:
                continue
            changed = replace(implementation, dependencies=named)
            if artifact is not None:
                changed.artifact = artifact
                changed.class_name = changed.class_name or _class_name(artifact)
            if made is interfaces:
                made = dict(interfaces)
            if made[name] is interface:
                made[name] = replace(interface, operations=dict(interface.operations))
            made[name].operations[key] = replace(operation, implementation=changed)
    return made
