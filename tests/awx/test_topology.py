"""A topology in AWX that has a workflow of its own, and machines that are the inventory's hosts."""

from __future__ import annotations

import pytest

from tests.awx.conftest import Site

pytestmark = pytest.mark.timeout(3600)

FILES = {
    "own/service.yaml": """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Store:
    derived_from: tosca.nodes.Root
    interfaces:
      Copies:
        type: tosca.interfaces.Root
        operations:
          save: {implementation: "echo $to > /srv/web1/backup", inputs: {to: {type: string, default: nowhere}}}
topology_template:
  node_templates:
    box: {type: tosca.nodes.Compute, attributes: {public_address: 192.0.2.7}}
    store: {type: Store}
  workflows:
    backup:
      inputs: {to: {type: string}}
      steps:
        save: {target: store, activities: [{call_operation: {operation: Copies.save, inputs: {to: {get_input: to}}}}]}
""",
    "own.inventory.yml": "{plugin: tosca.ensemble.ensemble, ensemble: own/service.yaml}\n",
    "own.yml": """\
awx_name: own
awx_ensemble: own/service.yaml
awx_inventory: own.inventory.yml
awx_workflows: [deploy]
awx_notification_type: ""
awx_check_schedule: ""
""",
}


@pytest.fixture(scope="module")
def own(web: Site) -> Site:
    """The project with one more ensemble, deployed."""
    web.write(**FILES)
    web.awx.ended(web.awx.ask(f"{web.awx.named('projects', 'web project')['url']}update/", {}), events=False)
    web.set_up("-e", "@own.yml", awx_update_secrets=True)
    web.run("own deploy")
    return web


def test_the_machines_of_the_ensemble_are_the_hosts(own: Site) -> None:
    source = own.awx.named("inventory_sources", "own")
    updated = own.awx.ended(own.awx.ask(f"{source['url']}update/", {}), events=False)
    assert updated["status"] == "successful", own.awx.output(updated)
    [host] = own.awx.all(f"{own.awx.named('inventories', 'own inventory')['url']}hosts/")
    groups = {group["name"] for group in host["summary_fields"]["groups"]["results"]}
    assert (host["name"], groups) == (
        "box",
        {"template_box", *(f"type_tosca_nodes_{one}" for one in ("Abstract_Compute", "Compute", "Root"))},
    )
    assert own.awx.ask(host["related"]["variable_data"])["ansible_host"] == "192.0.2.7"


def test_a_workflow_of_the_topology_has_a_template(own: Site) -> None:
    asked = own.awx.ask(own.awx.named("job_templates", "own backup")["related"]["survey_spec"])["spec"]
    assert [(one["variable"], one["required"]) for one in asked] == [("input_to", True)]
    own.run("own backup", input_to="tape")
    assert own.found("backup") == {"web1": "tape\n"}
