"""Requirements in a circle: an error, but for relationships that are no order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

#: The capability that a relationship goes to.
CAPABILITIES = {"tosca.relationships.ConnectsTo": "endpoint", "tosca.relationships.HostedOn": "container"}


def ring(*relationships: str) -> str:
    """Nodes a, b, ... each of which needs the next by a relationship, the last one the first."""
    names = "abcdefgh"[: len(relationships)]
    nodes = ""
    for number, (name, kind) in enumerate(zip(names, relationships, strict=True)):
        target, capability = names[(number + 1) % len(names)], CAPABILITIES.get(kind, "feature")
        body = f"node: {target}, capability: {capability}, relationship: {{type: {kind}}}"
        nodes += f"    {name}: {{type: Any, requirements: [{{r: {{{body}}}}}]}}\n"
    return f"""
relationship_types:
  Trunk: {{derived_from: tosca.relationships.Root}}
  Strict: {{derived_from: tosca.relationships.DependsOn}}
node_types:
  Any:
    capabilities: {{container: tosca.capabilities.Container, endpoint: tosca.capabilities.Endpoint}}
    requirements: [{{r: {{capability: tosca.capabilities.Root, node: Any, relationship: tosca.relationships.Root}}}}]
topology_template:
  node_templates:
{nodes}"""


@pytest.mark.parametrize(
    "relationships",
    [
        ("Trunk", "Trunk"),
        ("tosca.relationships.ConnectsTo", "tosca.relationships.ConnectsTo"),
        ("Trunk", "tosca.relationships.HostedOn"),
        ("Strict", "Trunk"),
        ("Strict", "Strict", "Trunk", "Strict"),
        ("Trunk",),
    ],
)
def test_a_circle_with_a_connection_is_none(load: Load, relationships: tuple[str, ...]) -> None:
    assert len(load(ring(*relationships)).node_templates) == len(relationships)


@pytest.mark.parametrize(
    ("relationships", "circle"),
    [
        (("Strict", "tosca.relationships.HostedOn"), "a -> b -> a"),
        (("Strict", "Strict", "Strict"), "a -> b -> c -> a"),
        (("tosca.relationships.DependsOn",), "a -> a"),
    ],
)
def test_a_circle_of_orders_is_refused(load: Load, relationships: tuple[str, ...], circle: str) -> None:
    with pytest.raises(InvalidInput, match=f"the requirements form a cycle: {circle} ") as caught:
        load(ring(*relationships))
    assert "ConnectsTo" in str(caught.value.hint)
