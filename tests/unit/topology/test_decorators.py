"""Decorators and deployment blueprints of Unfurl's dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

SERVICE = """
decorators: %s
node_types:
  T: {properties: {w: {type: string, default: own}}, requirements: [dep: {node: Root, occurrences: [0, 2]}]}
  S: {derived_from: T}
topology_template:
  node_templates:
    a: {type: S, properties: {w: given}, requirements: [dep: b, dep: {node: c}]}
    b: {type: T}
    c: {type: T}
"""


def words(topology: Topology) -> str:
    return " ".join(str(node.properties["w"].value) for node in topology.node_templates.values())


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("b", "given x own"),
        ("::b", "given x own"),
        ("T", "x x x"),
        ("S", "x own own"),
        ("a::dep::T", "given x x"),
        ("S::dep::c", "given own x"),
    ],
)
def test_an_expression_leads_to_node_templates(load: Load, expression: str, found: str) -> None:
    text = SERVICE % f"{{'{expression}': {{properties: {{w: x}}}}}}"
    topology = load(text, unfurl=True)
    assert (words(topology), topology.warnings) == (found, [])


@pytest.mark.parametrize("expression", ["n", "a::dep", "a::nope::T", "b::dep::T", ".targets", "a::dep::S", ""])
def test_one_that_leads_nowhere_is_told_of(load: Load, expression: str) -> None:
    topology = load(SERVICE % f"{{'{expression}': {{properties: {{w: x}}}}}}", unfurl=True)
    (told,) = topology.warnings
    assert f"the decorator '{expression}' leads to no node template" in told
    assert words(topology) == "given own own"


def test_the_later_and_the_outer_decorator_wins(load: Load) -> None:
    imported = "decorators: {T: {properties: {w: imported}}, a: {properties: {w: imported}}}"
    text = "imports: [i.yaml]" + SERVICE % "{T: {properties: {w: first}}, c: {properties: {w: second}}}"
    assert words(load(text, unfurl=True, files={"i.yaml": imported})) == "first first second"
    text = "imports: [i.yaml]" + SERVICE % "{c: {properties: {w: second}}}"
    assert words(load(text, unfurl=True, files={"i.yaml": imported})) == "imported imported second"


def test_what_a_decorator_adds_is_checked_where_it_stands(load: Load) -> None:
    with pytest.raises(InvalidInput, match="property 'w' of node template 'b'") as caught:
        load(SERVICE % "{b: {properties: {w: [1]}}}", unfurl=True)
    assert caught.value.place is not None
    assert caught.value.place.line == 3
    with pytest.raises(InvalidInput, match="the decorator 'b' must be a map"):
        load(SERVICE % "{b: 7}", unfurl=True)


def test_the_standard_has_none(load: Load) -> None:
    topology = load(SERVICE % "{b: {properties: {w: x}}}")
    assert words(topology) == "given own own"
    assert any("`decorators` are ignored" in one for one in topology.warnings)


BLUEPRINTS = """
deployment_blueprints:
  small: {cloud: cloud.A, node_templates: {s: {type: Root}}}
  big: {cloud: cloud.B, resource_templates: {a: {type: Compute}, b: {type: Root}}}
topology_template: {node_templates: {a: {type: Root}}}
"""
A = {"primary_provider": {"type": "cloud.A"}}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"blueprint": "small"}, "a:Root s:Root"),
        ({"blueprint": "big", "connections": A}, "a:Compute b:Root"),
        ({"connections": A}, "a:Root s:Root"),
        ({"blueprint": "big", "blueprints": {"big": {"node_templates": {"o": {"type": "Root"}}}}}, "a:Root o:Root"),
    ],
)
def test_the_chosen_blueprint_adds_its_templates(load: Load, given: dict[str, Any], found: str) -> None:
    nodes = load(BLUEPRINTS, unfurl=True, **given).node_templates
    assert " ".join(f"{name}:{one.type.name.rpartition('.')[2]}" for name, one in nodes.items()) == found


def test_a_blueprint_is_chosen_or_it_is_said(load: Load) -> None:
    (told,) = load(BLUEPRINTS, unfurl=True).warnings
    assert "none of the deployment blueprints is used: the environment names none (known are small, big)" in told
    with pytest.raises(InvalidInput, match="there is no deployment blueprint 'bog'"):
        load(BLUEPRINTS, unfurl=True, blueprint="bog")
    (told,) = load("topology_template: {node_templates: {}}", unfurl=True, blueprint="big").warnings
    assert "the service template has none" in told
    with pytest.raises(InvalidInput, match="unknown key 'cluod'"):
        load(BLUEPRINTS.replace("{cloud: cloud.A", "{cluod: cloud.A"), unfurl=True, blueprint="small")
