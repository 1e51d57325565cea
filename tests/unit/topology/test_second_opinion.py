"""tosca-parser as a second opinion: where it takes a file, it sees the same node templates and requirements."""

from __future__ import annotations

import contextlib
from pathlib import Path

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.topology.service_template import load_topology

LEDGER = read_yaml(Path(__file__).parent / "ledger.yaml").data

Seen = dict[str, tuple[str, set[str]]]


def seen_by_tosca_parser(file: Path) -> Seen | None:
    """Type and targets of each node template; None if it does not take the file."""
    from toscaparser.common.exception import ExceptionCollector
    from toscaparser.tosca_template import ToscaTemplate

    with contextlib.suppress(Exception):
        templates = ToscaTemplate(str(file)).nodetemplates
        return {one.name: (one.type, {target.name for target in one.related_nodes}) for one in templates}
    ExceptionCollector.stop()
    return None


def seen_by_us(file: Path) -> Seen:
    nodes = load_topology(file, check_files=False).node_templates
    return {
        name: (node.type.name, {one.target.name for one in node.requirements})
        for name, node in nodes.items()
        if not node.namespace
    }


def test_same_nodes_and_targets(corpus_folder: Path) -> None:
    compared = 0
    for name, why in LEDGER["corpus"].items():
        file = corpus_folder / name
        theirs = seen_by_tosca_parser(file) if why is None else None
        if not theirs:
            continue
        ours = seen_by_us(file)
        assert set(ours) == set(theirs), name
        for node, (_, targets) in theirs.items():
            assert targets <= ours[node][1] | {node}, f"{name}: {node}"
        compared += 1
    assert compared >= 15
