"""Directives of node templates [TOSCA 1.3, 3.4.3], those of Unfurl's dialect among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.hints import slip_hint
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.language.problems import Problems

#: Directives of templates that are deployed only where something requires them.
DEPENDENT = "dependent"
ON_DEMAND = frozenset({DEPENDENT, "default"})
#: That of templates that are deployed where all that they require is; no file can say it.
ACCOMPANYING = "accompanying"

#: Each directive, and the one that it means: TOSCA 1.1 and 1.2 have two by other names.
DIRECTIVES: dict[str, str] = {
    "select": "select",
    "selectable": "select",
    "substitute": "substitute",
    "substitutable": "substitute",
    "check": "check",
    "conditional": "conditional",
    "default": "default",
    "dependent": DEPENDENT,
    "discover": "discover",
    "protected": "protected",
    "virtual": "virtual",
}

#: Directives of templates whose own operations never run: others take their place.
STAND_FOR_OTHERS = frozenset({"substitute", "select"})
#: What a template has that left the specification, and one as well of which nothing was kept; no file can say them.
RETAINED, LOST = "retained", "unknown"
#: That of templates whose operations need a connection that is not there; no file can say it.
UNCONNECTED = "unconnected"
#: Directives of templates that make no instances.
WITHOUT_INSTANCES = frozenset({"virtual", UNCONNECTED, RETAINED})
#: Directives of templates that no job deploys by themselves.
NOT_DEPLOYED = STAND_FOR_OTHERS | WITHOUT_INSTANCES


def read_directives(raw: Mapping[str, Any], what: str, problems: Problems) -> tuple[str, ...]:
    """The directives of a node template.

    A slip of one is refused; another unknown one is a warning, as TOSCA allows other directives.
    """
    place = place_of(raw, "directives")
    found = []
    for number, word in enumerate(problems.texts(raw.get("directives"), f"the directives of {what}", place)):
        where = place_of(raw["directives"], number) or place
        hint = slip_hint(word, DIRECTIVES)
        if word in DIRECTIVES:
            found.append(DIRECTIVES[word])
        elif hint is not None:
            problems.add(f"{what} has the unknown directive '{word}'", where, hint)
        else:
            message = f"the directive '{word}' of {what} has no effect: no job acts on it"
            problems.warn(NoticeCode.IDLE_DIRECTIVE, message, where)
    return tuple(dict.fromkeys(found))


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
