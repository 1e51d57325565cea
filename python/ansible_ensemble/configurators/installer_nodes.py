"""Nodes of the types `tool.*`: their operations install, look for and remove what their properties name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from ansible_ensemble.configurators.argument_types import hide_urls
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import is_file_name
from ansible_ensemble.language.entities import Assignment, Implementation, NodeTemplate, Operation, Topology
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.installers import COLLECTION, PACKAGES, folder_of

#: Types of installers -> what they install, and the properties that say it.
_KINDS = {
    "tool.Program": ("program", ("file", "checksum", "member", "program", "username", "password")),
    "tool.PythonPackages": ("python", ("packages", "source", "programs", "username", "password")),
    COLLECTION: ("collection", ("name", "version", "source", "file", "checksum", "username", "password", "token")),
}
_URLS = ("file", "source")
_COLLECTION = regex(r"[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*")
_CHECKSUM = regex(r"sha256:[0-9a-fA-F]{64}")
_OPERATIONS = (("Standard", "create"), ("Standard", "delete"), ("Install", "check"))
#: The module finds out itself what is there.
_DISTRIBUTION = _OPERATIONS[:2]
_STATES = {"create": "present", "delete": "absent"}


def add_installer_operations(topology: Topology, root: Path) -> list[InvalidInput]:
    """Give nodes of the types `tool.*` the operations that they do not have themselves.

    Returns:
        What is wrong with their properties.
    """
    faults: list[InvalidInput] = []
    for node in topology.node_templates.values():
        kind = next((one for one in _KINDS if node.type.is_a(one)), None)
        if STAND_FOR_OTHERS.intersection(node.directives):
            continue
        if node.type.is_a(PACKAGES):
            _add(node, _of_packages(node, topology), _DISTRIBUTION)
        elif kind is not None:
            hide_urls(node, topology, *_URLS)
            folder = folder_of(node, topology, root)
            faults += [*_faults(node, topology), *_path_faults(node, topology, folder, root)]
            faults += _collection_faults(node, topology)
            _add(node, _installing(node, *_KINDS[kind], folder, root), _OPERATIONS)
    return faults


def _faults(node: NodeTemplate, topology: Topology) -> list[InvalidInput]:
    given = node.properties.get("checksum")
    value, is_known = static_value(topology, given.value) if given is not None else (None, False)
    if given is None or not is_known or (isinstance(value, str) and _CHECKSUM.fullmatch(value)):
        return []
    message = f"the checksum of '{node.name}' is {value!r}"
    return [InvalidInput(message, given.place or node.place, "write sha256: and 64 hexadecimal digits")]


def _path_faults(node: NodeTemplate, topology: Topology, folder: Path, root: Path) -> Iterator[InvalidInput]:
    """What would be put, and later removed, outside of where installers work."""
    if root.resolve() not in folder.resolve().parents:
        place = node.properties["folder"].place if "folder" in node.properties else node.place
        yield InvalidInput(f"the folder of '{node.name}' is not within the project", place or node.place)
    if (given := node.properties.get("program")) is not None:
        value, is_known = static_value(topology, given.value)
        if is_known and isinstance(value, str) and not is_file_name(value):
            yield InvalidInput(
                f"the program of '{node.name}' is {value!r}, which is no name", given.place or node.place
            )


def _collection_faults(node: NodeTemplate, topology: Topology) -> Iterator[InvalidInput]:
    """What is wrong with what says which collection is installed."""
    if not node.type.is_a(COLLECTION):
        return
    name, is_known = static_value(topology, node.properties["name"].value)
    if not is_known or not isinstance(name, str) or not _COLLECTION.fullmatch(name):
        message = f"the name of '{node.name}' is {name!r}, which is no collection"
        yield InvalidInput(message, node.properties["name"].place or node.place, "write NAMESPACE.NAME")
    given = {one for one in ("version", "file", "checksum") if one in node.properties}
    if given not in ({"version"}, {"file", "checksum"}):
        hint = "write its version, or a file and its checksum"
        yield InvalidInput(f"nothing says which collection '{node.name}' is, to the byte", node.place, hint)


def _installing(node: NodeTemplate, kind: str, names: tuple[str, ...], folder: Path, root: Path) -> Operation:
    given = {name: node.properties[name] for name in names if name in node.properties}
    where = given.get("file") or given.get("source")
    inputs = {name: Assignment({"get_property": ["SELF", name]}, place=one.place) for name, one in given.items()}
    base = str(where.base if where and where.base else root)
    fixed = {"kind": kind, "folder": str(folder), "base": base, "root": str(root)}
    inputs |= {name: Assignment({"q": text}, place=node.place) for name, text in fixed.items()}
    implementation = Implementation(class_name="installer", operation_host="ORCHESTRATOR")
    return Operation("", node.name, implementation, inputs, place=node.place, base=root)


def _of_packages(node: NodeTemplate, topology: Topology) -> Operation:
    """An operation that has the packages of the distribution in some state, here or on another host."""
    inputs = {"name": Assignment({"get_property": ["SELF", "packages"]}, place=node.properties["packages"].place)}
    if "use" in node.properties:
        inputs["use"] = Assignment({"get_property": ["SELF", "use"]}, place=node.properties["use"].place)
    host, become = (_known(node, topology, name) for name in ("inventory_host", "become"))
    implementation = Implementation(
        "ansible.builtin.package",
        class_name="module",
        operation_host=str(host) if host else "ORCHESTRATOR",
        settings={"become": True} if become is True else {},
    )
    return Operation("", node.name, implementation, inputs, place=node.place)


def _known(node: NodeTemplate, topology: Topology, name: str) -> object:
    value, is_known = static_value(topology, node.properties[name].value) if name in node.properties else (None, True)
    if not is_known:
        message = f"the {name} of '{node.name}' is computed"
        raise InvalidInput(message, node.properties[name].place, "it is known before anything runs")
    return value


def _add(node: NodeTemplate, made: Operation, operations: tuple[tuple[str, str], ...]) -> None:
    """Add operations, but for those that the node has itself."""
    interfaces = dict(node.interfaces)
    for interface, name in operations:
        if node.operation(interface, name) is None:
            known = interfaces[interface]
            inputs = dict(made.inputs)
            if operations is _DISTRIBUTION:
                inputs["state"] = Assignment(_STATES[name], place=node.place)
            one = replace(made, interface=interface, name=name, inputs=inputs)
            interfaces[interface] = replace(known, operations={**known.operations, name: one})
    node.interfaces = interfaces
