"""Operations of service templates in Python: what their methods return when they are called becomes what runs.

The converter of the package `tosca` calls each method once; here it is called with what it takes, and artifacts that
it executes are asked for by their own signature: `self.script.execute("word", self.port)` gives inputs by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

_INTERFACE = "unfurl.interfaces.Executable"
_DEFAULT_INPUTS = "_default_inputs"
#: What values of Python are called in TOSCA; others are anything.
_TYPES = {str: "string", int: "integer", float: "float", bool: "boolean", dict: "map", list: "list"}


def call_operations_here(tosca: ModuleType, made: Mapping[str, Any]) -> list[Exception]:
    """Have operations called here; what is returned fills up with those that cannot be.

    Args:
        tosca: the package that the file is written with.
        made: what the file defines, by name; artifacts of its types then tell what they are executed with.
    """
    failures: list[Exception] = []
    given: dict[Callable[..., Any], list[str]] = {}
    own = tosca._tosca
    convert, declare = own.ToscaType._operation2yaml, own.ToscaType._interfaces_yaml
    for one in made.values():
        if isinstance(one, type) and issubclass(one, own.ArtifactEntity) and "execute" in vars(one):
            type.__setattr__(one, "execute", _executed(one, own))

    def operation2yaml(owner: Any, operation: Callable[..., Any], converter: Any) -> Any:
        @functools.wraps(operation)
        def call(_proxy: Any) -> Any:
            try:
                result = operation(_Owner(owner, own)) if _takes_owner(operation) else operation()
            except Exception as error:
                failures.append(error)
                raise
            if isinstance(result, own._ArtifactProxy):
                given[operation] = list(result.inputs)
                if isinstance(result.name_or_tpl, own.ArtifactEntity):  # no name leads to it
                    result.name_or_tpl = result.name_or_tpl.to_template_yaml(converter)
            return result

        definition = convert(owner, call, converter)
        if isinstance(definition, dict) and operation in given:
            definition["metadata"] = {"arguments": given[operation]}
        return _with_inputs(definition, _defaults(operation, own))

    def interfaces_yaml(owner: Any, kind: Any, converter: Any) -> Any:
        interfaces = declare(owner, kind, converter)
        for name, value in vars(owner).items():
            if name.endswith(_DEFAULT_INPUTS):
                interface = name.removeprefix("_").removesuffix(_DEFAULT_INPUTS)
                interfaces.setdefault(interface, {})["inputs"] = own.to_tosca_value(_values(value, own), dict)
        return interfaces

    own.ToscaType._operation2yaml = staticmethod(operation2yaml)
    own.ToscaType._interfaces_yaml = staticmethod(interfaces_yaml)
    return failures


def converter_of(kind: Any) -> Any:
    """The converter, which takes node templates by their names as targets of requirements.

    A module that a file imports is an import of that module, which is converted when it is read, and written nowhere.
    """

    class Converter(kind):  # type: ignore[misc]
        def set_requirement_value(self, requirement: dict[str, Any], field: Any, value: Any, name: str) -> Any:
            if type(value).__name__ != "NodeTemplateRef":
                return super().set_requirement_value(requirement, field, value, name)
            requirement["node"] = value.name
            return value.name if len(requirement) == 1 else None

        def _imported_module2yaml(self, module: ModuleType) -> Path:
            return Path(str(module.__file__))

    return Converter


def _takes_owner(operation: Callable[..., Any]) -> bool:
    kinds = [one.kind for one in inspect.signature(operation).parameters.values()]
    return any(kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL) for kind in kinds)


class _Owner:
    """What a method has for `self`: its names lead to expressions, and to artifacts that can be executed."""

    def __init__(self, owner: Any, own: Any) -> None:
        self._owner, self._own = owner, own
        self._proxy = own._ToscaTypeProxy(owner)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._owner, name)
        if isinstance(found, self._own.ArtifactEntity):
            return _execution(name, type(found), self._own)
        if isinstance(found, self._own.FieldProjection) and found.field.section == "artifacts":
            return _execution(name, found.field.get_type_info_checked().types[0], self._own)
        return getattr(self._proxy, name)


def _execution(artifact: Any, kind: type, own: Any) -> Any:
    """An artifact, by its name or itself, that a method executes."""
    made = own._ArtifactProxy(artifact)
    execute = getattr(kind, "execute", None)
    method = getattr(execute, "__wrapped__", None)
    if method is not None:
        made.execute = functools.partial(_execute, made, inspect.signature(method), own)
    return made


def _executed(kind: type, own: Any) -> Callable[..., Any]:
    method = kind.__dict__["execute"]

    @functools.wraps(method)
    def execute(self: Any, *arguments: Any, **named: Any) -> Any:
        return _execute(own._ArtifactProxy(self), inspect.signature(method), own, *arguments, **named)

    return execute


def _execute(made: Any, signature: inspect.Signature, own: Any, *arguments: Any, **named: Any) -> Any:
    inputs: dict[str, Any] = {}
    bound = signature.bind(None, *arguments, **named)
    for name, value in list(bound.arguments.items())[1:]:
        parameter = signature.parameters[name]
        kind = parameter.annotation
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            inputs.update(value)
        elif isinstance(kind, type) and issubclass(kind, own.ToscaInputs):
            inputs.update({one: getattr(value, one) for one in _fields(kind, own)})
        else:
            inputs[name] = value
    made.inputs = inputs
    return made


def _with_inputs(definition: Any, defaults: Mapping[str, Any]) -> Any:
    """The definition of an operation, which has these inputs where it does not give them itself."""
    if not defaults or not (definition is None or isinstance(definition, dict)):
        return definition
    definition = definition or {}
    return {**definition, "inputs": {**defaults, **definition.get("inputs", {})}}


def _defaults(operation: Callable[..., Any], own: Any) -> dict[str, Any]:
    """What a method's parameters have where nobody gives them, which are inputs of the operation."""
    parameters = inspect.signature(operation).parameters.values()
    return {one.name: own.to_tosca_value(one.default, dict) for one in parameters if one.default is not one.empty}


def _values(inputs: Any, own: Any) -> Any:
    """Inputs by their names, where they are an object that holds them."""
    if not isinstance(inputs, own.ToscaInputs):
        return inputs
    return {name: getattr(inputs, name) for name in _fields(type(inputs), own)}


def _fields(kind: Any, own: Any) -> Iterable[str]:
    return [name for name, one in kind.__dataclass_fields__.items() if isinstance(one, own._Tosca_Field)]


def add_what_is_taken(tosca: ModuleType, namespace: Mapping[str, Any], made: dict[str, Any], converter: Any) -> None:
    """Add to the types what older versions of the package leave out.

    These are the inputs of what artifacts execute, and the properties and attributes that nodes inherit from inputs and
    outputs. `file` and the like are no properties of artifacts.
    """
    own = tosca._tosca
    for one in namespace.values():
        if not isinstance(one, type):
            continue
        body = made.get(getattr(one, "_type_section", ""), {}).get(one.__name__)
        if body is None:
            continue
        for section, kind in (("properties", own.ToscaInputs), ("attributes", own.ToscaOutputs)):
            for base in one.__mro__:
                if issubclass(base, kind) and not issubclass(base, own.ToscaType) and base is not kind:
                    body[section] = {**_definitions(base, converter), **body.get(section, {})}
        if issubclass(one, own.ArtifactEntity):
            properties = body.get("properties") or {}
            body["properties"] = {k: v for k, v in properties.items() if k not in own.ArtifactEntity._builtin_fields}
            method = getattr(one.__dict__.get("execute"), "__wrapped__", None)
            if method is not None:
                execute = {"inputs": dict(_taken(inspect.signature(method), own, converter))}
                body["interfaces"] = {"Executable": {"type": _INTERFACE, "operations": {"execute": execute}}}


def _definitions(kind: Any, converter: Any) -> dict[str, Any]:
    """The fields of inputs or outputs, by name."""
    return {name: one for field in kind.explicit_tosca_fields for name, one in field.to_yaml(converter).items()}


def _taken(signature: inspect.Signature, own: Any, converter: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The inputs that a method takes, by name, with their definitions."""
    for parameter in list(signature.parameters.values())[1:]:
        kind, default = parameter.annotation, parameter.default
        if isinstance(kind, type) and issubclass(kind, own.ToscaInputs):
            yield from _definitions(kind, converter).items()
        elif parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            definition = {"type": _TYPES.get(kind, "any")}
            yield (
                parameter.name,
                definition if default is inspect.Parameter.empty else definition | {"default": default},
            )
