"""Words that say what a node template is for a job."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.directives import DIRECTIVES

Load = Callable[..., Topology]
NODE = "topology_template: {node_templates: {t: {type: Root, directives: %s}}}"


@pytest.mark.parametrize("word", ["subsitute", "selct", "Select", "protect", "discovery", "dependant"])
def test_a_slip_is_refused(load: Load, word: str) -> None:
    with pytest.raises(InvalidInput, match=f"the unknown directive '{word}'") as caught:
        load(NODE % f"[{word}]")
    assert (caught.value.hint or "").startswith("did you mean")
    assert caught.value.place is not None


def test_a_word_of_ones_own_is_told(load: Load) -> None:
    (warning,) = load(NODE % "[mock, check]").warnings
    assert "the directive 'mock' of node template 't' has no effect" in warning


@pytest.mark.parametrize(("word", "meant"), DIRECTIVES.items())
def test_each_is_known(load: Load, word: str, meant: str) -> None:
    assert load(NODE % f"[{word}]").node_templates["t"].directives == (meant,)


@pytest.mark.parametrize(
    "text",
    [
        "node_types: {N: {directives: [check]}}",
        "node_types: {N: {requirements: [{r: {capability: tosca.capabilities.Node, directives: [check]}}]}}",
        "topology_template: {node_templates: {t: {type: Root, requirements: [{dependency: {directives: [check]}}]}}}",
    ],
)
def test_one_that_nothing_acts_on_is_refused_where_it_stands(load: Load, text: str) -> None:
    with pytest.raises(InvalidInput, match="unknown key 'directives'"):
        load(text)
