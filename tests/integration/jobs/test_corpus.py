"""Third-party service templates deploy and undeploy as they are, in the normative order."""

from __future__ import annotations

import json

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from tests.conftest import REPOSITORY

#: Folder -> service template, operations of deploy and of undeploy in their order, outputs.
CASES = {
    "opera-hello": ("service.yaml", ["hello:create"], ["hello:delete"], {}),
    "opera-artifacts": (
        "service.yaml",
        ["artifacts_file:create"],
        [],
        {"output_attribute_text_file": "This is an example file content."},
    ),
    "opera-attribute-mapping": (
        "service.yaml",
        [
            *(f"student-{name}:create" for name in ("anne", "ben", "chris", "tina")),
            *(["teacher-paul:pre_configure_source"] * 4),
        ],
        [],
        {"student_id_list": ["student-1", "student-4", "student-6", "student-3"]},
    ),
    "opera-intrinsic-functions": (
        "service.yaml",
        [],
        [],
        {
            "concat_output": "http://attribute1:property1",
            "join1_output": "tosca",
            "join2_output": "t_o_s_c_a",
            "join3_output": "input, attribute2, property2",
            "token1_output": "111",
            "token2_output": "s",
            "attribute": "Attribute: property",
            "property": "Property: attribute",
            "properties": "Properties: property1 property2 property",
        },
    ),
    "opera-outputs": (
        "service.yaml",
        ["my_node:create"],
        [],
        {"output_prop": 123, "output_attr": "my_custom_attribute_value"},
    ),
    "opera-policy-triggers": ("service.yaml", ["openstack_vm:create"], ["openstack_vm:delete"], {}),
    "opera-it-cli": (
        "service.yaml",
        ["berlin:start", "tokio:create"],
        ["berlin:stop", "tokio:delete"],
        {"output_attr": 42, "output_prop": False},
    ),
    "opera-it-compare": (
        "service1.yaml",
        ["hello-1:create", "hello-2:create", "hello-3:create", "hello-4:create", "hello-6:create"],
        ["hello-1:delete", "hello-2:delete", "hello-3:delete", "hello-4:delete", "hello-6:delete"],
        {},
    ),
}


def operations(report: dict) -> list[str]:
    return sorted(f"{task['instance']}:{task['operation'].rpartition('.')[2]}" for task in report["tasks"])


@pytest.mark.parametrize("name", CASES)
def test_deploys_and_undeploys_as_given(command, corpus, name):
    template, up, down, outputs = CASES[name]
    folder = corpus(name)
    deploy = command("deploy", "--approve", "--output", "json", template, cwd=folder)
    assert deploy.code == 0, deploy.output
    report = json.loads(deploy.stdout)
    assert operations(report) == sorted(up)
    assert {key: report["outputs"][key] for key in outputs} == outputs
    again = command("deploy", "--approve", "--output", "json", template, cwd=folder)
    assert (again.code, json.loads(again.stdout)["tasks"]) == (0, [])
    undeploy = command("undeploy", "--approve", "--output", "json", template, cwd=folder)
    assert undeploy.code == 0, undeploy.output
    assert operations(json.loads(undeploy.stdout)) == sorted(down)
    status = json.loads(command("status", "--output", "json", template, cwd=folder).stdout)
    assert {instance["status"] for instance in status["instances"]} == {"absent"}


LEDGER = read_yaml(REPOSITORY / "tests" / "unit" / "jobs" / "unfurl_examples.yaml").data["right"]


@pytest.mark.parametrize("name", [name for name, verdict in LEDGER.items() if verdict == "deploys"])
def test_an_example_of_unfurl_deploys_and_undeploys(command, corpus, name):
    folder = corpus("unfurl-examples")
    if not name.endswith("ensemble.yaml"):
        (folder / name).with_name("ensemble.yaml").unlink(missing_ok=True)  # it is of another topology
    for workflow in ("deploy", "deploy", "undeploy"):
        done = command(workflow, "--approve", "--output", "json", name, cwd=folder)
        assert done.code == 0, done.output
    status = json.loads(command("status", "--output", "json", name, cwd=folder).stdout)
    assert {one["status"] for one in status["instances"] if not one["name"].startswith("tool-")} <= {"absent"}


WEAVE = """
tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  Linked:
    derived_from: tosca.relationships.DependsOn
    interfaces:
      Configure:
        operations:
{relationship}
node_types:
  Noted:
    derived_from: tosca.nodes.Root
    requirements:
      - link: {{capability: tosca.capabilities.Node, relationship: Linked, occurrences: [0, UNBOUNDED]}}
    interfaces:
      Standard:
        operations:
{node}
topology_template:
  node_templates:
    target: {{type: Noted}}
    source: {{type: Noted, requirements: [link: target]}}
"""


def test_the_order_is_the_normative_one(command, tmp_path):
    """Order of operations as TOSCA 1.3, section 5.8.5 gives it, and as an independent orchestrator runs it."""
    note = (
        '          {name}: {{implementation: "echo $name {name} >> log",'
        " inputs: {{name: {{get_attribute: [{who}, tosca_name]}}}}}}"
    )
    around = [f"{when}_configure_{side}" for when in ("pre", "post") for side in ("source", "target")]
    links = [*around, "add_target", "add_source", "remove_target", "remove_source"]
    relationship = "\n".join(note.format(name=name, who="SOURCE") for name in links)
    node = "\n".join(note.format(name=name, who="SELF") for name in ("create", "configure", "start", "stop", "delete"))
    (tmp_path / "service.yaml").write_text(WEAVE.format(relationship=relationship, node=node))
    assert command("deploy", "--approve", "service.yaml").code == 0
    assert (tmp_path / "log").read_text().split("\n")[:-1] == [
        "target create",
        "source pre_configure_target",
        "target configure",
        "source post_configure_target",
        "target start",
        "source create",
        "source pre_configure_source",
        "source configure",
        "source post_configure_source",
        "source start",
        "source add_target",
        "source add_source",
    ]
    (tmp_path / "log").unlink()
    assert command("undeploy", "--approve", "service.yaml").code == 0
    assert (tmp_path / "log").read_text().split("\n")[:-1] == [
        "source remove_target",
        "source remove_source",
        "source stop",
        "source delete",
        "target stop",
        "target delete",
    ]
