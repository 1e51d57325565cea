"""Nodes whose operations make much as a side effect: what of it is important is shown as instances.

Nobody knows before what an installation makes, so these have one node template together, `web/objects` for `web`. The
operation of the installation reports them, and manages them.
"""

from __future__ import annotations

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Assignment, Interface, NodeTemplate, Topology
from ansible_ensemble.topology.directives import DEPENDENT, STAND_FOR_OTHERS

#: The types that an installation and what it made derive from.
INSTALLATION = "tosca.ensemble.Installation"
OBJECT = "tosca.ensemble.Installed"
#: Types whose operations take files -> the property with which these begin.
_FILES = {"helm.Release": "chart", "helm.Repository": "url"}
_SUFFIX = "/objects"


def objects_template(installation: str) -> str:
    """The name of the node template of what an installation made."""
    return installation + _SUFFIX


def add_installations(topology: Topology) -> None:
    """Add the node template of what it made for each installation, whose files start where its property stands."""
    kind = topology.seen_types("node").get(OBJECT)
    for node in list(topology.node_templates.values()):
        _start_files(node)
        if kind is None or not node.type.is_a(INSTALLATION) or STAND_FOR_OTHERS.intersection(node.directives):
            continue
        name = objects_template(node.name)
        if name in topology.node_templates:
            message = f"the node template '{name}' has the name of what the installation '{node.name}' makes"
            raise InvalidInput(message, topology.node_templates[name].place, "give it another name")
        topology.node_templates[name] = NodeTemplate(name, kind, directives=(DEPENDENT,), namespace=node.namespace)


def _start_files(node: NodeTemplate) -> None:
    """Have files of the operations start where the property is written: the operations themselves are the type's."""
    named = next((name for kind, name in _FILES.items() if node.type.is_a(kind)), "")
    start = node.properties.get(named)
    if start is not None and start.base is not None:
        node.interfaces = {name: _from(interface, start) for name, interface in node.interfaces.items()}


def _from(interface: Interface, start: Assignment) -> Interface:
    made = {key: replace(one, base=start.base, place=start.place) for key, one in interface.operations.items()}
    return replace(interface, operations=made)
