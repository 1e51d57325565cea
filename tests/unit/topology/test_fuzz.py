"""Mutated templates are read, or refused by an error that is ours; nothing else ever comes out."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.topology.service_template import load_topology

#: What a mutation puts in the place of something.
ATOMS: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**400, float("inf"), float("nan"), "", "x", "n", "SELF", "a b", "{{ x }}", "x\0y.yaml"),
    *("tosca.nodes.Root", "integer", "map", "../../../x.yaml", "file:///x", "http://[x", "9" * 30 + " GB"),
    *(
        [],
        {},
        [None],
        [[]],
        [{}],
        {"a": None},
        {1: 2},
        {None: 1},
        ["UNBOUNDED", 1],
        {"type": "integer", "default": "x"},
    ),
    *({"get_input": "a"}, {"get_input": []}, {"get_property": ["SELF"]}, {"concat": []}, {"eval": "x"}),
    *({"in_range": 1}, {"pattern": "["}, {"copy": "n"}),
]
KEYS = ["x", "type", "properties", "node", "requirements", "derived_from", "copy", "capability", "file"]

Path_ = tuple[Any, ...]
Mutation = tuple[int, int, int, int]


def paths(data: Any, prefix: Path_ = ()) -> list[Path_]:
    found: list[Path_] = []
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        found += [(*prefix, key), *paths(value, (*prefix, key))]
    return found


def at(data: Any, path: Path_) -> Any:
    for key in path:
        data = data[key]
    return data


def mutate(data: Any, mutation: Mutation) -> None:
    """Replace, copy, rename or remove what stands at one of the paths."""
    kind, where, what, key = mutation
    known = paths(data)
    if not known:
        return
    path = known[where % len(known)]
    parent, name = at(data, path[:-1]), path[-1]
    if kind == 0:
        parent[name] = copy.deepcopy(ATOMS[what % len(ATOMS)])
    elif kind == 1:
        parent[name] = copy.deepcopy(at(data, known[what % len(known)]))
    elif kind == 2 and isinstance(parent, dict):
        parent[KEYS[key]] = parent.pop(name)
    else:
        del parent[name]


@given(
    number=st.integers(0, 10**6),
    mutations=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 10**4), st.integers(0, 10**4), st.integers(0, len(KEYS) - 1)),
        min_size=1,
        max_size=4,
    ),
)
def test_every_error_is_ours(probes: Path, number: int, mutations: list[Mutation]) -> None:
    files = sorted(probes.glob("[0-9]*.yaml"))
    file = files[number % len(files)]
    data = yaml.safe_load(file.read_text())
    for mutation in mutations:
        mutate(data, mutation)
    try:
        topology = load_topology(parse_yaml(yaml.safe_dump(data, allow_unicode=True), file), inputs={"a": 1})
    except EnsembleError as error:
        assert str(error)
    else:
        assert all(node.name == name for name, node in topology.node_templates.items())
