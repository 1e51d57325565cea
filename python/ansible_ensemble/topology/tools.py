"""Tools that operations need where the job runs: each is a node of its own, which is made before they run.

Tools that planned operations need are installed first (docs/rules.md, "Updating a deployment").
A tool is an artifact of an operation's implementation, its primary or one of its `dependencies`, whose type says how it
is installed: a Python package, an Ansible collection, or any type with operations of the Standard interface. As a node
it is in the status like any other; `planning.tools` plans it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from shlex import join
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.paths import is_there, resolved
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    EntityType,
    Implementation,
    Interface,
    NodeTemplate,
    Operation,
    Topology,
)
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.installers import COLLECTION, is_installer

NODE_TYPE = "ensemble.nodes.Tool"
ASDF_TOOL = "artifact.AsdfTool"
_PYTHON = (
    "import sys\n"
    "from importlib.metadata import PackageNotFoundError, version\n"
    "from packaging.specifiers import SpecifierSet\n"
    "try:\n"
    "    sys.exit(version(sys.argv[1]) not in SpecifierSet(sys.argv[2]))\n"
    "except PackageNotFoundError:\n"
    "    sys.exit(1)\n"
)
_COLLECTION = (
    "import json, sys\n"
    "from packaging.specifiers import SpecifierSet\n"
    "found = [c[sys.argv[1]]['version'] for c in json.load(sys.stdin).values() if sys.argv[1] in c]\n"
    "sys.exit(not any(v == '*' or v in SpecifierSet(sys.argv[2]) for v in found))\n"
)


#: Names of wheels and source distributions.
_FILE = regex(r"(?P<name>[A-Za-z0-9._-]+?)-(?P<version>[0-9][^-]*?)(-[^/]*\.whl|\.tar\.gz|\.zip)")


def add_tools(topology: Topology) -> None:
    """Add a node for each tool that an operation of a node, a relationship or a workflow needs."""
    tools: dict[str, Artifact] = {}
    for operation in operations_of(topology, topology.node_templates.values()):
        for artifact in tools_of(operation):
            name = tool_name(artifact)
            if name not in tools:
                if name in topology.node_templates:
                    raise InvalidInput(f'the node template "{name}" has the name of a tool', artifact.place)
                tools[name] = artifact
                topology.node_templates[name] = _tool(name, artifact)
            elif tools[name] is not artifact:
                _check_same(artifact, tools[name])


def _check_same(artifact: Artifact, first: Artifact) -> None:
    """Refuse an artifact that is another tool than the first one of its name."""
    what, hint = artifact.file or artifact.name, "make both the same"
    for own, other in (
        (artifact.file, first.file),
        (artifact.type, first.type),
        (artifact.version or "any", first.version or "any"),
    ):
        if own != other:
            raise InvalidInput(f"{what} is required as {own} and {other}", artifact.place, hint)
    if _values(artifact) != _values(first):
        raise InvalidInput(f"{what} is required with other properties elsewhere", artifact.place, hint)


def _values(artifact: Artifact) -> dict[str, Any]:
    return {name: assignment.value for name, assignment in artifact.properties.items()}


def operations_of(topology: Topology, nodes: Iterable[NodeTemplate]) -> list[Operation]:
    """The operations of some nodes, of their relationships, and of all workflows."""
    interfaces = [one for node in nodes for entity in (node, *node.requirements) for one in entity.interfaces.values()]
    found = [operation for interface in interfaces for operation in interface.operations.values()]
    return [*found, *filter(None, (workflow.operation() for workflow in topology.workflows.values()))]


def tools_of(operation: Operation) -> list[Artifact]:
    """The tools that an operation needs."""
    implementation = operation.implementation
    if implementation is None or not (implementation.dependencies or implementation.artifact):
        return []
    artifacts = [*implementation.dependencies, *filter(None, [implementation.artifact])]
    return [one for one in artifacts if one.type in _COMMANDS or _installs(one)]


def files_of(operation: Operation) -> list[Artifact]:
    """The dependencies of an operation that are files, which lie beside its primary."""
    implementation = operation.implementation
    if implementation is None or not implementation.dependencies:
        return []
    tools = tools_of(operation)
    return [one for one in implementation.dependencies if one not in tools and not is_elsewhere(one)]


def is_elsewhere(artifact: Artifact) -> bool:
    """Whether an artifact is not a file of the project: one of a repository, a URL, a tool of another tool's."""
    return artifact.repository is not None or "://" in artifact.file or artifact.type == ASDF_TOOL


def _installs(artifact: Artifact) -> bool:
    """Whether the artifact's type defines how it is installed."""
    standard = artifact.interfaces.get("Standard")
    return standard is not None and any(
        operation.implementation is not None
        for name in ("create", "configure")
        if (operation := standard.operations.get(name)) is not None
    )


def is_tool(node: NodeTemplate) -> bool:
    """Whether a node is a tool, which is made for those that need it alone."""
    return node.type.name == NODE_TYPE or is_installer(node)


def tool_names(topology: Topology) -> frozenset[str]:
    """Names of the nodes that are tools; those of the type `tool.Collection` are called as the others are."""
    nodes = topology.node_templates
    collections = (one.properties["name"] for one in nodes.values() if one.type.is_a(COLLECTION))
    return frozenset(name for name, one in nodes.items() if one.type.name == NODE_TYPE) | {
        f"tool-{static_value(topology, name.value)[0]}" for name in collections
    }


def comes(name: str, tools: Iterable[str]) -> bool:
    """Whether the collection of a module or role is among the tools, by its name or that of its archive."""
    names = name.split(".")[:2]
    return any(tool.startswith((f"tool-{'.'.join(names)}", f"tool-{'-'.join(names)}-")) for tool in tools)


def tool_name(artifact: Artifact) -> str:
    """Name of a tool's node."""
    name = _distribution(artifact)[0] if artifact.type in _COMMANDS else artifact.file or artifact.name
    return f"tool-{re.sub(r'[^A-Za-z0-9_.-]', '-', name)}"


def _tool(name: str, artifact: Artifact) -> NodeTemplate:
    kind = EntityType("node", NODE_TYPE, EntityType("node", "tosca.nodes.Root"))
    if artifact.type not in _COMMANDS:
        return NodeTemplate(
            name, kind, _properties(artifact), interfaces=_here(artifact.interfaces), place=artifact.place
        )
    if not artifact.file:
        raise InvalidInput(f"artifact '{artifact.name}' names no file", artifact.place, "add file:")
    text, is_there, install = _COMMANDS[artifact.type](artifact)
    report = f'if {is_there}; then echo \'{{"status": "ok"}}\'; else echo \'{{"status": "absent"}}\'; fi'
    create = _operation("Standard", "create", text, f"{is_there} || {install}", artifact)
    check = _operation("Install", "check", f"look for {artifact.file}", report, artifact)
    check.inputs["dryrun"] = Assignment({"q": True})
    interfaces = {one.interface: Interface(one.interface, one.interface, {one.name: one}) for one in (create, check)}
    return NodeTemplate(name, kind, interfaces=interfaces, place=artifact.place)


def _properties(artifact: Artifact) -> dict[str, Assignment]:
    """The artifact's properties, and its file and version."""
    local = artifact.base / artifact.file if artifact.base is not None and artifact.file else None
    file = str(resolved(local)) if local is not None and is_there(local) else artifact.file
    return {
        "file": Assignment({"q": file}),
        "version": Assignment({"q": artifact.version}),
        **artifact.properties,
    }


def _here(interfaces: Mapping[str, Interface]) -> dict[str, Interface]:
    """Interfaces whose operations run where the job does, unless they say where."""
    made = {}
    for name, interface in interfaces.items():
        operations = {}
        for key, operation in interface.operations.items():
            implementation = operation.implementation
            if implementation is not None and implementation.operation_host is None:
                implementation = replace(implementation, operation_host="ORCHESTRATOR")
            operations[key] = replace(operation, implementation=implementation)
        made[name] = replace(interface, operations=operations)
    return made


def _operation(interface: str, name: str, text: str, command: str, artifact: Artifact) -> Operation:
    """An operation that is shown as a text, and runs a command, whose text is not an expression."""
    implementation = Implementation(primary=text, class_name="command", operation_host="ORCHESTRATOR")
    return Operation(interface, name, implementation, {"command": Assignment({"q": command})}, place=artifact.place)


def _specifier(version: str | None) -> str:
    if not version:
        return ""
    return version if version[0] in "<>=!~" else f"=={version}"


def _distribution(artifact: Artifact) -> tuple[str, str, str]:
    """Name of a package or collection, the specifier of its version, and what is installed.

    The file may be that of a wheel or a source distribution, whose name says both.
    """
    name, specifier = artifact.file, _specifier(artifact.version)
    found = _FILE.fullmatch(Path(artifact.file).name)
    if artifact.type != "artifact.PythonPackage" or found is None:
        return name, specifier, name + specifier
    return found["name"], f"=={found['version']}", str((artifact.base or Path()) / artifact.file)


def _python_package(artifact: Artifact) -> tuple[str, str, str]:
    name, specifier, wanted = _distribution(artifact)
    is_there = join([sys.executable, "-c", _PYTHON, name, specifier])
    install = join([sys.executable, "-m", "pip", "install", "--quiet", wanted])
    return f"pip install {name}{specifier}", is_there, install


def _collection(artifact: Artifact) -> tuple[str, str, str]:
    name, specifier, _other = _distribution(artifact)
    galaxy = [sys.executable, "-m", "ansible.cli.galaxy", "collection"]
    listed = join([*galaxy, "list", "--format", "json", name])
    is_there = f"{listed} 2>/dev/null | {join([sys.executable, '-c', _COLLECTION, name, specifier])} 2>/dev/null"
    wanted = f"{name}:{specifier}" if specifier else name
    return f"ansible-galaxy collection install {wanted}", is_there, join([*galaxy, "install", wanted])


#: Types of tools -> a short text, and shell commands that check for it and install it.
_COMMANDS: dict[str, Callable[[Artifact], tuple[str, str, str]]] = {
    "artifact.PythonPackage": _python_package,
    "artifact.AnsibleCollection": _collection,
}
