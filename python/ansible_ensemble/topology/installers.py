"""Installers: nodes that stand for the programs that operations of other nodes run.

One is a tool as those of `topology.tools` are: it is planned where a planned operation needs it, which is one of a node
that requires it, or of what is hosted on such a node. Its programs lie in `bin` of its folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.topology.building import static_value

#: The type that all of them derive from.
INSTALLER = "tool.Installer"
#: The type of those that install a collection of Ansible's.
COLLECTION = "tool.Collection"
#: The type of those that install packages of a host's distribution.
PACKAGES = "tool.Packages"
_FOLDER = ".tools"


def is_installer(node: NodeTemplate) -> bool:
    """Whether a node installs tools for others."""
    return node.type.is_a(INSTALLER)


def installers_of(node: NodeTemplate) -> list[NodeTemplate]:
    """The installers that a node requires, those that these require in turn, and those of its hosts; nearest first."""
    found: dict[str, NodeTemplate] = {}
    for target in _required(node):
        for one in (target, *installers_of(target)) if is_installer(target) else installers_of(target):
            found.setdefault(one.name, one)
    return list(found.values())


def _required(node: NodeTemplate) -> Iterator[NodeTemplate]:
    for relationship in node.requirements:
        if is_installer(relationship.target) or relationship.is_hosted_on:
            yield relationship.target


def folder_of(node: NodeTemplate, topology: Topology, root: Path) -> Path:
    """Where an installer puts what it installs: its property `folder`, or a folder of its name in the project."""
    given = node.properties.get("folder")
    value, is_known = static_value(topology, given.value) if given is not None else (None, False)
    return root / (value if is_known and isinstance(value, str) else f"{_FOLDER}/{node.name}")
