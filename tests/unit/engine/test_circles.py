from __future__ import annotations

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.plan import plan_workflow

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    properties: {of: {type: string}}
    attributes: {id: {type: string}}
    interfaces:
      Standard:
        operations:
          create: {implementation: echo it, inputs: {id: "{{ ('::' ~ SELF.of ~ '::id') | eval }}"}}
  Maker:
    derived_from: tosca.nodes.Root
    interfaces: {Standard: {operations: {create: {implementation: echo it, MORE}}}}
topology_template:
  node_templates:
    maker: {type: Maker}
"""


def service(more: str = "timeout: 9", **reads: str) -> str:
    things = [f"    {name}: {{type: Thing, properties: {{of: {of}}}}}\n" for name, of in reads.items()]
    return SERVICE.replace("MORE", more) + "".join(things)


@pytest.mark.parametrize(
    ("reads", "ring"),
    [
        ({"a": "b", "b": "a"}, "a:Standard.create needs b.id, b:Standard.create needs a.id"),
        ({"x": "b", "b": "c", "c": "b"}, "b:Standard.create needs c.id, c:Standard.create needs b.id"),
    ],
)
def test_a_circle_is_printed(job, reads: dict[str, str], ring: str) -> None:
    made = job(service(**reads))
    with pytest.raises(InvalidInput, match=f"none can be first: {ring}") as error:
        plan_workflow(made.ensemble, "deploy", made.options)
    assert error.value.place


@pytest.mark.parametrize(
    "text",
    [
        service(a="b", b="maker"),
        service("outputs: {id: [a, id]}", a="b", b="a"),
        service("inputs: {resultTemplate: {name: a, attributes: {id: 1}}}", a="b", b="a"),
    ],
    ids=["a chain", "another one sets it by an output", "another one reports it"],
)
def test_what_may_come_from_elsewhere_is_no_circle(job, text: str) -> None:
    made = job(text)
    assert plan_workflow(made.ensemble, "deploy", made.options).operations
