"""Node filters that act on nothing are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]
FILTER = "topology_template: {node_templates: {a: {type: Root%s, node_filter: {properties: [{x: 1}]}}}}\n"


@pytest.mark.parametrize(
    ("directives", "acts"),
    [("", False), (", directives: [virtual]", False), (", directives: [select]", True)],
)
def test_a_filter_of_what_selects_nothing(load: Load, directives: str, acts: bool) -> None:
    warnings = [one for one in load(FILTER % directives).warnings if "node_filter" in one]
    assert bool(warnings) is not acts
    assert acts or "the node_filter of node template 'a' has no effect" in warnings[0]
