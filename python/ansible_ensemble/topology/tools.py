"""Tools that operations need where the job runs: each becomes a node of its own, which is deployed before they run.

Seed unfurl-jobs, "Job Lifecycle", step 5: what planned tasks require locally is installed first. A tool is an artifact
among the `dependencies` of an operation's implementation, of a type that says how it is installed. As a node it stands
in the plan and the status as any other, is installed once, and stays when all else is undeployed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from shlex import join

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.topology.entities import (
    Artifact,
    Assignment,
    Entity,
    EntityType,
    Implementation,
    Interface,
    NodeTemplate,
    Operation,
    Relationship,
    Topology,
)

NODE_TYPE = "ensemble.nodes.Tool"
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


def add_tools(topology: Topology) -> None:
    """Add a node for each tool that an operation of a node or relationship depends on, and the requirement of it.

    Raises:
        InvalidInput: two operations want different versions of a tool, or a node has the tool's name.
    """
    tools: dict[str, tuple[NodeTemplate, Artifact]] = {}
    for template in list(topology.node_templates.values()):
        for artifact in _dependencies(template):
            name = f"tool-{re.sub(r'[^A-Za-z0-9_.-]', '-', artifact.file)}"
            if name not in tools:
                if name in topology.node_templates:
                    raise InvalidInput(f'the node template "{name}" has the name of a tool', artifact.place)
                tools[name] = _tool(name, artifact), artifact
                topology.node_templates[name] = tools[name][0]
            node, first = tools[name]
            if (first.type, first.version) != (artifact.type, artifact.version):
                raise InvalidInput(
                    f"{artifact.file} is wanted as {artifact.version or 'any'} and {first.version or 'any'}",
                    artifact.place,
                    "name one version",
                )
            if all(relationship.target is not node for relationship in template.requirements):
                _require(template, node)


def _dependencies(template: NodeTemplate) -> Iterator[Artifact]:
    entities: list[Entity] = [template, *template.requirements]
    for entity in entities:
        for interface in entity.interfaces.values():
            for operation in interface.operations.values():
                if operation.implementation is not None:
                    yield from (one for one in operation.implementation.dependencies if one.type in _COMMANDS)


def _require(source: NodeTemplate, tool: NodeTemplate) -> None:
    kind = EntityType(
        "relationship", "tosca.relationships.DependsOn", EntityType("relationship", "tosca.relationships.Root")
    )
    relationship = Relationship("tool", kind, index=len(source.requirements), source=source, target=tool)
    source.requirements.append(relationship)
    tool.incoming.append(relationship)


def _tool(name: str, artifact: Artifact) -> NodeTemplate:
    text, is_there, install = _COMMANDS[artifact.type](artifact.file, _specifier(artifact.version))
    report = f'if {is_there}; then echo \'{{"status": "ok"}}\'; else echo \'{{"status": "absent"}}\'; fi'
    create = _operation("Standard", "create", text, f"{is_there} || {install}", artifact)
    check = _operation("Install", "check", f"look for {artifact.file}", report, artifact)
    check.inputs["dryrun"] = Assignment({"q": True})
    interfaces = {one.interface: Interface(one.interface, one.interface, {one.name: one}) for one in (create, check)}
    kind = EntityType("node", NODE_TYPE, EntityType("node", "tosca.nodes.Root"))
    return NodeTemplate(name, kind, interfaces=interfaces, directives=("protected",), place=artifact.place)


def _operation(interface: str, name: str, text: str, command: str, artifact: Artifact) -> Operation:
    """An operation that is shown as a text, and runs a command, whose text is no expression."""
    implementation = Implementation(primary=text, class_name="command", operation_host="ORCHESTRATOR")
    return Operation(interface, name, implementation, {"command": Assignment({"q": command})}, place=artifact.place)


def _specifier(version: str | None) -> str:
    if not version:
        return ""
    return version if version[0] in "<>=!~" else f"=={version}"


def _python_package(name: str, specifier: str) -> tuple[str, str, str]:
    is_there = join([sys.executable, "-c", _PYTHON, name, specifier])
    install = join([sys.executable, "-m", "pip", "install", "--quiet", name + specifier])
    return f"pip install {name}{specifier}", is_there, install


def _collection(name: str, specifier: str) -> tuple[str, str, str]:
    galaxy = [sys.executable, "-m", "ansible.cli.galaxy", "collection"]
    listed = join([*galaxy, "list", "--format", "json", name])
    is_there = f"{listed} 2>/dev/null | {join([sys.executable, '-c', _COLLECTION, name, specifier])} 2>/dev/null"
    wanted = f"{name}:{specifier}" if specifier else name
    return f"ansible-galaxy collection install {wanted}", is_there, join([*galaxy, "install", wanted])


#: Types of tools -> by name and version: a short text, and shell commands that tell whether it is there and install it.
_COMMANDS: dict[str, Callable[[str, str], tuple[str, str, str]]] = {
    "artifact.PythonPackage": _python_package,
    "artifact.AnsibleCollection": _collection,
}
