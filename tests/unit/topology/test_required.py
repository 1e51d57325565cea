"""What is required and has no value is refused: inputs of operations, properties of artifacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput

TYPE = """
artifact_types: {Image: {derived_from: tosca.artifacts.File, properties: {tag: {type: string}}}}
interface_types: {Backup: {derived_from: tosca.interfaces.Root, operations: {save: {inputs: {to: {type: string}}}}}}
policy_types: {P: {derived_from: tosca.policies.Root, targets: [N]}}
node_types:
  N:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard: {operations: {create: %s}}
      Backup: {type: Backup, operations: {save: {implementation: echo $to}}}
topology_template:
  node_templates: {n: {type: N%s}}
"""
NEEDY = "{implementation: echo $who, inputs: {who: {type: string}}}"
FREE = "echo hi"
STEP = "\n  workflows: {w: {steps: {s: {target: n, activities: [call_operation: %s]}}}}"
TRIGGER = "\n  policies: [{p: {type: P, targets: [n], triggers: {t: {event: e, action: [call_operation: %s]}}}}]"

REFUSED = {
    "an input": (NEEDY, "", "", "the input 'who' of operation Standard.create is required and has no value"),
    "null": (NEEDY, ", interfaces: {Standard: {create: {inputs: {who: null}}}}", "", "the input 'who'"),
    "that a refinement adds": (
        FREE,
        ", interfaces: {Standard: {create: {inputs: {more: {type: integer}}}}}",
        "",
        "the input 'more' of operation Standard.create is required",
    ),
    "of an interface, that no operation assigns": (
        FREE,
        ", interfaces: {Standard: {inputs: {all: {type: string}}}}",
        "",
        "the input 'all' of operation Standard.create is required",
    ),
    "of a relationship": (
        FREE,
        ", requirements: [{dependency: {node: n2, relationship: {type: tosca.relationships.ConnectsTo, interfaces: "
        "{Configure: {pre_configure_source: {implementation: echo, inputs: {x: {type: string}}}}}}}}]}, n2: {type: N",
        "",
        "the input 'x' of operation Configure.pre_configure_source is required",
    ),
    "that a step does not give": (
        FREE,
        "",
        STEP % "Backup.save",
        "step 's' of workflow 'w' gives no value to the required input 'to' of Backup.save",
    ),
    "that a step gives as null": (
        FREE,
        "",
        STEP % "{operation: Backup.save, inputs: {to: null}}",
        "step 's' of workflow 'w' gives no value",
    ),
    "that a trigger does not give": (
        FREE,
        "",
        TRIGGER % "Backup.save",
        "trigger 't' of policy 'p' gives no value to the required input 'to' of Backup.save",
    ),
    "a property of an artifact": (
        FREE,
        ", artifacts: {image: {type: Image, file: x}}",
        "",
        "the property 'tag' of artifact 'image' is missing",
    ),
    "a property of an implementing artifact": (
        "{implementation: {primary: {type: Image, file: x.img}}}",
        "",
        "",
        "the property 'tag' of artifact 'primary of operation 'create'' is missing",
    ),
}


@pytest.mark.parametrize(("create", "template", "more", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_required_is_refused(
    load: Callable[..., Any], create: str, template: str, more: str, message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(f"{TYPE.rstrip() % (create, template)}{more}\n", check_files=False)
    assert message in str(caught.value)
    assert "service.yaml:" in str(caught.value)


TAKEN = {
    "assigned": (NEEDY, ", interfaces: {Standard: {create: {inputs: {who: me}}}}", ""),
    "computed": (NEEDY, ", interfaces: {Standard: {create: {inputs: {who: {get_attribute: [SELF, tosca_id]}}}}}", ""),
    "not required": (NEEDY.replace("string", "string, required: false"), "", ""),
    "with a default": (NEEDY.replace("string", "string, default: x"), "", ""),
    "with null as its default": (NEEDY.replace("string", "string, default: null"), "", ""),
    "not implemented": ("{inputs: {who: {type: string}}}", "", ""),
    "of an interface, for the operation that uses it": (
        FREE,
        ", interfaces: {Standard: {inputs: {all: {type: string}}, start: {implementation: a, inputs: {all: x}}}}",
        "",
    ),
    "given by a step": (NEEDY, "", STEP % "{operation: Standard.create, inputs: {who: me}}"),
    "given by a trigger": (FREE, "", TRIGGER % "{operation: Backup.save, inputs: {to: there}}"),
    "called by nothing": (FREE, "", ""),
    "a property of an artifact": (FREE, ", artifacts: {i: {type: Image, file: x, properties: {tag: '1'}}}", ""),
}


@pytest.mark.parametrize(("create", "template", "more"), TAKEN.values(), ids=TAKEN)
def test_what_has_a_value_is_taken(load: Callable[..., Any], create: str, template: str, more: str) -> None:
    topology = load(f"{TYPE.rstrip() % (create, template)}{more}\n", check_files=False)
    assert "n" in topology.node_templates


def test_a_default_does_not_go_over_what_an_inherited_artifact_has(load: Callable[..., Any]) -> None:
    topology = load("""
artifact_types: {Image: {derived_from: tosca.artifacts.File, properties: {tag: {type: string, default: latest}}}}
node_types:
  N: {derived_from: tosca.nodes.Root, artifacts: {image: {type: Image, file: x, properties: {tag: '1'}}}}
topology_template:
  node_templates: {n: {type: N, artifacts: {image: {file: y}}}}
""")
    artifact = topology.node_templates["n"].artifacts["image"]
    assert (artifact.file, artifact.properties["tag"].value) == ("y", "1")
