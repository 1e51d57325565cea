from __future__ import annotations

from ansible_ensemble.reports.mesh_text import nodes_text
from ansible_ensemble.reports.style import Style

NODE = {
    "name": "a",
    "is_here": False,
    "is_reachable": True,
    "via": None,
    "version": None,
    "cpus": None,
    "memory": None,
    "services": [],
    "work_types": [],
    "problem": None,
    "has_worker": False,
}


def test_nodes() -> None:
    nodes = [
        NODE | {"is_here": True, "version": "1.4.8", "cpus": 16, "memory": 24105},
        NODE | {"name": "b", "via": "b", "cpus": 2, "memory": 1024, "has_worker": True, "work_types": ["cat", "run"]},
        NODE | {"name": "c\x1b[31m", "is_reachable": False},
    ]
    assert nodes_text(nodes, Style()) == (
        "NODE       STATE        VIA  RECEPTOR  CPUS    MIB  WORKER  WORK TYPES\n"
        "a          here              1.4.8       16  24105  no\n"
        "b          reachable    b                 2   1024  yes     cat, run\n"
        "c\\x1b[31m  unreachable                              no\n"
    )


def test_why_a_node_told_nothing() -> None:
    assert nodes_text([NODE | {"problem": "a has hung up"}], Style()).splitlines() == [
        "NODE  STATE      WORKER  PROBLEM",
        "a     reachable  no      a has hung up",
    ]
