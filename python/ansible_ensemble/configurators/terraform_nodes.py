"""Nodes of the type `terraform.Module`: their operations run the module that their property `source` names.

Those of Unfurl's type `unfurl.nodes.Installer.Terraform` run what `main` is, their property or the input of
`configure`: a folder, or the text of a module.

Of each node that runs Terraform, a property with `tfvar` in its metadata is a variable of the module, and an attribute
with `tfoutput` is an output: `true`, or the name that it has there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, as_map
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.paths import is_folder, resolved
from ansible_ensemble.language.entities import (
    Assignment,
    Implementation,
    NodeTemplate,
    Operation,
    ParameterDefinition,
    Topology,
)
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS

_TYPE = "terraform.Module"
_OF_UNFURL = "unfurl.nodes.Installer.Terraform"
_OPERATIONS = (("Standard", "configure"), ("Standard", "delete"), ("Install", "check"), ("Install", "discover"))
#: Properties -> the inputs of the configurator that they are.
_INPUTS = {
    "variables": "tfvars",
    "workspace": "workspace",
    "backend": "backend",
    "import": "import",
    "lock_timeout": "lock_timeout",
    "unlock": "unlock",
    "command": "command",
}


def add_terraform_operations(topology: Topology, root: Path) -> Iterator[InvalidInput]:
    """Give nodes of these types the operations that they do not have themselves.

    Returns:
        What is wrong with their sources, and with the metadata of properties and attributes.
    """
    for node in topology.node_templates.values():
        if STAND_FOR_OTHERS.intersection(node.directives):
            continue
        yield from _complete_node(node, topology, root)
        yield from _map_values(node, root)


def _complete_node(node: NodeTemplate, topology: Topology, root: Path) -> Iterator[InvalidInput]:
    if node.type.is_a(_OF_UNFURL) and (made := _main(node)) is not None:
        _complete(node, made)
    elif node.type.is_a(_TYPE):
        try:
            _complete(node, _source(node, topology, root))
        except InvalidInput as error:
            yield error


def _main(node: NodeTemplate) -> Operation | None:
    """An operation that runs `main`; None if there is none."""
    standard = node.interfaces["Standard"]
    configure = standard.operations.get("configure")
    inputs = dict(configure.inputs if configure is not None else standard.inputs)
    main = node.properties.get("main")
    if main is not None and main.value is not None:
        inputs = {"main": Assignment({"get_property": ["SELF", "main"]}, place=main.place)}
    elif (main := inputs.get("main")) is None:
        return None
    implementation = Implementation(class_name="terraform")
    return Operation("", node.name, implementation, inputs, place=main.place, base=main.base)


def _source(node: NodeTemplate, topology: Topology, root: Path) -> Operation:
    """An operation that runs the node's module."""
    source = node.properties["source"]
    value, is_known = static_value(topology, source.value)
    if not is_known or not isinstance(value, str) or not value.strip():
        message = f"the source of '{node.name}' must be the folder of a Terraform module"
        raise InvalidInput(message, source.place or node.place, "it is known before anything runs")
    inputs = {
        name: Assignment({"get_property": ["SELF", key]}, place=node.properties[key].place)
        for key, name in _INPUTS.items()
        if key in node.properties and node.properties[key].value is not None
    }
    implementation = Implementation(value, class_name="terraform")
    made = Operation("", node.name, implementation, inputs, place=source.place or node.place, base=source.base)
    resolve(replace(made, interface=node.type.name), root)
    return made


def _map_values(node: NodeTemplate, root: Path) -> Iterator[InvalidInput]:
    """Give operations that run Terraform the properties that are variables; take the attributes that are outputs."""
    variables, outputs = _named(node.type.properties, "tfvar"), _named(node.type.attributes, "tfoutput")
    for name in sorted(OWN_INPUTS.intersection(variables)):
        message = f"the variable '{name}' of Terraform cannot be the property '{variables[name]}' of '{node.name}'"
        yield InvalidInput(message, node.place, "an input of that name means something else: give it by tfvars")
    inputs = {
        name: Assignment({"get_property": ["SELF", key]}, place=node.properties[key].place)
        for name, key in variables.items()
        if key in node.properties and node.properties[key].value is not None and name not in OWN_INPUTS
    }
    mapped: dict[str, list[Any]] = {name: ["SELF", key] for name, key in outputs.items()}
    if not inputs and not mapped:
        return
    interfaces = {}
    for key, interface in node.interfaces.items():
        made = {
            name: replace(one, inputs={**inputs, **one.inputs}, outputs={**mapped, **one.outputs})
            for name, one in interface.operations.items()
            if _runs_terraform(one, root)
        }
        interfaces[key] = replace(interface, operations={**interface.operations, **made})
    node.interfaces = interfaces


def _runs_terraform(operation: Operation, root: Path) -> bool:
    if operation.implementation is None:
        return False
    with suppress(InvalidInput):  # what is wrong with it is told where all operations are looked at
        return resolve(operation, root).configurator == "terraform"
    return False


def _named(definitions: Mapping[str, ParameterDefinition], key: str) -> dict[str, str]:
    """What properties or attributes are called by Terraform, as a key of their metadata says -> their names."""
    asked = {name: one.metadata.get(key) for name, one in definitions.items()}
    return {(said if isinstance(said, str) else name): name for name, said in asked.items() if said}


def _complete(node: NodeTemplate, made: Operation) -> None:
    interfaces = dict(node.interfaces)
    for interface, name in _OPERATIONS:
        if node.operation(interface, name) is None:
            known = interfaces[interface]
            declared = known.operations.get(name) or Operation(interface, name)
            inputs = {**made.inputs, **declared.inputs}
            one = replace(made, interface=interface, name=name, inputs=inputs, outputs=declared.outputs)
            operations = {**known.operations, name: one}
            interfaces[interface] = replace(known, operations=operations)
    node.interfaces = interfaces


#: Inputs that are no variables.
OWN_INPUTS = RESERVED_INPUTS | {
    *("main", "tfvars", "stateLocation", "command", "workdir", "backend", "dryrun_outputs"),
    *("workspace", "import", "lock_timeout", "unlock", "arguments"),
}
#: Seconds that a command waits for a locked state.
_LOCK_TIMEOUT = 60


def module_of(task: Task, target: str) -> tuple[Path, dict[str, str]]:
    """The folder of the root module, and the files that are to be written there if it is the task's own."""
    main = task.inputs.get("main")
    if isinstance(main, Mapping):
        return task.folder, {"main.tf.json": json.dumps(reveal(main), indent=1)}
    text = str(reveal(main)) if main is not None else target
    if not text.strip():
        raise InvalidInput(
            "there is no Terraform module to run",
            task.operation.place,
            "name its folder by the implementation or the input main",
        )
    if "\n" not in text and not text.lstrip().startswith("{"):
        workdir = task.inputs.get("workdir")
        base = task.base / str(reveal(workdir)) if workdir else task.base
        folder = resolved(base / text)
        if is_folder(folder):
            if main is not None:
                task.query({"file": str(folder)})  # its contents are a part of what the operation read
            return folder, {}
        if main is None or "{" not in text:
            raise InvalidInput(f'there is no folder "{text}" with a Terraform module', task.operation.place)
    return task.folder, {"main.tf.json" if text.lstrip().startswith("{") else "main.tf": text}


def variables_of(task: Task) -> dict[str, Any]:
    """Values of the module's variables: the inputs `arguments` and `tfvars`, and all inputs that mean nothing else."""
    given = {name: task.inputs[name] for name in task.inputs if name not in OWN_INPUTS}
    for name in ("arguments", "tfvars"):
        if name != "tfvars" or text_of_variables(task) is None:
            given |= as_map(task.inputs.get(name), f"the input {name} must be", task)
    return given


def text_of_variables(task: Task) -> str | None:
    """The input `tfvars` where it is in Terraform's own language, and no map."""
    given = task.inputs.get("tfvars")
    return given if isinstance(given, str) else None


def state_location(task: Task) -> str | None:
    """Who keeps the state: `secrets`, the ensemble; `remote`, the module's backend; None, its backend, if any."""
    location = task.inputs.get("stateLocation")
    if location not in (None, "secrets", "remote"):
        raise InvalidInput(f'the state cannot be kept in "{location}"', task.operation.place, "secrets or remote")
    return None if location is None else str(location)


def workspace_of(task: Task) -> str:
    """The workspace that an operation is in; empty for the default one."""
    name = str(reveal(task.inputs.get("workspace") or ""))
    return "" if name == "default" else name


def imports_of(task: Task) -> dict[str, str]:
    """What exists already and belongs to the module: identifiers by the addresses of resources."""
    given = as_map(task.inputs.get("import"), "the input import must be", task)
    return {str(address): str(reveal(identifier)) for address, identifier in given.items()}


def lock_timeout(task: Task) -> int:
    """Seconds that a command waits for a locked state."""
    given = task.inputs.get("lock_timeout")
    if given is None:
        return _LOCK_TIMEOUT
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InvalidInput(f"the input lock_timeout must be a number of seconds, not {given!r}", task.operation.place)
    return given


def backend_of(task: Task) -> dict[str, Any]:
    """Settings of the module's backend."""
    backend = task.inputs.get("backend")
    if backend is not None and not isinstance(backend, Mapping):
        raise InvalidInput("the input backend must be a map of the backend's settings", task.operation.place)
    return {str(name): reveal(value) for name, value in (backend or {}).items()}


def unlock_of(task: Task) -> str | None:
    """The lock of the state that was left behind, which a person says that nothing holds."""
    given = reveal(task.inputs.get("unlock"))
    return None if given is None else str(given)


def as_variable(value: Any) -> str:
    """A value as an environment variable gives it to Terraform: a text, or an expression."""
    value = reveal(value)
    if isinstance(value, str):
        return value
    return json.dumps(value).replace("${", "$${").replace("%{", "%%{")


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where providers are kept for all instances and ensembles, unless TF_PLUGIN_CACHE_DIR is set."""
    base = environment.get("XDG_CACHE_HOME") or str(Path(environment.get("HOME") or "/tmp") / ".cache")
    return Path(base) / "ansible-ensemble" / "terraform"
