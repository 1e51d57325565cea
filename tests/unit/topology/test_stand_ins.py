"""Types that nothing here implements, and what else is written and acted on by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.jobs.validate import validate_path
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.types import Types
from ansible_ensemble.topology.definitions import build_type
from ansible_ensemble.topology.substitution import STAND_INS, stand_in_fault

Load = Callable[..., Topology]

TEMPLATE = """
node_types:
  acme.StandIn: {}
  Own: {derived_from: acme.StandIn}
  Implemented:
    derived_from: acme.StandIn
    interfaces: {Standard: {operations: {configure: acme.tools.make}}}
topology_template:
  node_templates:
    r: {%s}
"""


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more of them: those of Unfurl get operations one after the other."""
    monkeypatch.setitem(STAND_INS, "acme.StandIn", "the module acme.tools.make")


def faults(topology: Topology) -> list[str]:
    return [str(fault) for one in topology.node_templates.values() if (fault := stand_in_fault(one)) is not None]


@pytest.mark.parametrize("name", STAND_INS)
def test_each_is_a_type_and_has_no_operations(name: str) -> None:
    types = Types(Problems(), build_type)
    entity = types.named("node", name)
    assert entity is not None
    made = [one for face in entity.interfaces.values() for one in face.operations.values() if one.implementation]
    assert made == [], "it has operations by now: it is no stand-in any more"


@pytest.mark.parametrize(
    "node",
    [
        "type: acme.StandIn",
        "type: Own",
        "type: Own, interfaces: {Standard: {operations: {stop: ls, delete: ls}}}",
        "type: Own, interfaces: {Install: {operations: {check: ls}}}",
        "type: Own, directives: [discover]",
    ],
)
def test_one_without_operations_is_refused_with_what_to_use(load: Load, node: str) -> None:
    (fault,) = faults(load(TEMPLATE % node))
    assert "nothing implements the type" in fault
    assert "of node template 'r' (give it operations: " in fault
    assert ":11:8:" in fault


@pytest.mark.parametrize(
    "node",
    [
        "type: Implemented",
        "type: Own, interfaces: {Standard: {operations: {create: acme.tools.make}}}",
        "type: Own, directives: [select]",
        "type: Own, directives: [virtual]",
        "type: Own, directives: [discover], interfaces: {Install: {discover: ls}}",
        "type: tosca.nodes.Compute",
        "type: tosca.nodes.Root",
    ],
)
def test_what_has_operations_or_is_elsewhere_is_fine(load: Load, node: str) -> None:
    assert faults(load(TEMPLATE % node)) == []


@pytest.mark.parametrize("workflow", ["deploy", "undeploy"])
def test_validate_and_plan_say_it_with_the_same_words(tmp_path: Path, workflow: str) -> None:
    file = tmp_path / "service.yaml"
    version = "tosca_definitions_version: tosca_simple_yaml_1_3"
    file.write_text(version + TEMPLATE % "type: acme.StandIn")
    (tmp_path / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
        "status: {instances: {r: {template: r, readyState: {local: ok}, created: A01}}}\n"
        if workflow == "undeploy"
        else "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    (told,) = validate_path(str(file), JobOptions())["errors"]
    with pytest.raises(InvalidInput) as caught:
        make_plan(str(tmp_path), workflow, {})
    assert (told["message"], told["hint"]) == (caught.value.message, caught.value.hint)
    assert "acme.tools.make" in told["hint"]
    assert make_plan(str(tmp_path), "check", {}).plan.operations == []


IMAGE = "artifacts: {image: {type: tosca.artifacts.Deployment.Image.Container.Docker, file: nginx}}"


@pytest.mark.parametrize(
    ("parts", "warning"),
    [
        ("policies: [{p: {type: tosca.policies.Placement, targets: [a]}}]", "6:18: policy 'p' has no effect"),
        ("policies: [{p: {type: Own, targets: [a]}}]", "no job acts on a Own by itself"),
        (
            "groups: {g: {type: tosca.groups.Root, members: [a], interfaces: {Standard: {create: ls}}}}",
            "the interfaces of group 'g' have no effect",
        ),
        (f"node_templates: {{b: {{type: Root, {IMAGE}}}}}", "nothing deploys the artifact 'image' of 'b'"),
        (
            "node_templates: {b: {type: Root, artifacts: {jq: {type: artifact.AsdfTool, file: jq}}, interfaces: "
            "{Standard: {create: {implementation: {primary: jq ., dependencies: [jq]}}}}}}",
            "nothing installs jq: artifact.AsdfTool has no operations here",
        ),
    ],
)
def test_what_has_no_effect_is_told_by_name(load: Load, parts: str, warning: str) -> None:
    nodes = "" if "node_templates" in parts else "node_templates: {a: {type: Root}}"
    text = f"policy_types: {{Own: {{}}}}\ntopology_template:\n  {nodes}\n\n  {parts}\n"
    (told,) = load(text).warnings
    assert warning in told


def test_an_image_that_an_operation_may_use_is_no_matter(load: Load) -> None:
    nodes = (
        "{a: {type: Root, %s, interfaces: {Standard: {create: run image}}}, b: {type: Root, directives: [select], %s}}"
    )
    assert load(f"topology_template: {{node_templates: {nodes % (IMAGE, IMAGE)}}}").warnings == []


def test_a_warning_of_a_type_is_told_once(load: Load) -> None:
    topology = load(
        """
node_types:
  A:
    artifacts: {create: {type: tosca.artifacts.File, file: files/no.sh}}
    interfaces: {Standard: {operations: {create: {implementation: {primary: create}}}}}
topology_template: {node_templates: {a: {type: A}, b: {type: A}, c: {type: A}}}
""",
        check_files=False,
    )
    assert len(topology.warnings) == 1
