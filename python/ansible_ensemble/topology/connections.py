"""Connections that the operations of node templates need, in Unfurl's dialect."""

from __future__ import annotations

from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.topology.directives import UNCONNECTED


def mark_unconnected(topology: Topology, problems: Problems) -> None:
    """Have no job deploy the node templates whose operations need a connection that is not there.

    The connections are the environment's, and the relationship templates that are the default for others.
    """
    for node in topology.node_templates.values():
        missing = _missing(node, topology)
        if missing is not None:
            node.directives += (UNCONNECTED,)
            message = f"node template '{node.name}' is left out: its operations need a connection of the type {missing}"
            problems.warn(NoticeCode.LEFT_OUT, message, node.place)


def _missing(node: NodeTemplate, topology: Topology) -> str | None:
    for interface in node.interfaces.values():
        for needed in interface.connections:
            there = (one for one in topology.relationship_templates.values() if one.default_for is not None)
            if not any(one.type.is_a(needed) for one in there):
                return needed
    return None
