from __future__ import annotations

from ansible_ensemble.reports.mesh_text import nodes_text, trials_text
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


def test_trials() -> None:
    hello = {"version": "0.1.0", "ansible_core": "2.19.4", "python": "3.11.2"}
    ok = {"hello": hello, "fingerprint": None, "seconds": 0.0104, "executes": None, "problem": None, "differences": []}
    trials = [
        {**ok, "node": "a"},
        {**ok, "node": "b", "seconds": 0.2, "differences": ["no collection a.b", "x"]},
        {**ok, "node": "c", "hello": None, "seconds": None, "problem": "there is no way to it"},
    ]
    assert trials_text(trials, Style()) == (
        "NODE  RESULT        MS  ENSEMBLE  ANSIBLE-CORE  PYTHON\n"
        "a     ok          10.4  0.1.0     2.19.4        3.11.2\n"
        "b     different  200.0  0.1.0     2.19.4        3.11.2\n"
        "c     failed\n"
        "b: no collection a.b\n"
        "b: x\n"
        "c: there is no way to it\n"
    )
    trials = [{**ok, "node": "a", "executes": True}, {**ok, "node": "b", "executes": False, "problem": "no"}]
    assert [line.split()[-1] for line in trials_text(trials, Style()).splitlines()] == ["EXECUTES", "yes", "no", "no"]
    trials = [{**ok, "node": "a", "fingerprint": "SHA256:abc"}]
    assert [line.split()[-1] for line in trials_text(trials, Style()).splitlines()] == ["KEY", "SHA256:abc"]
