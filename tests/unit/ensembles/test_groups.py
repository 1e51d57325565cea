"""Groups of a topology as groups of Ansible."""

from __future__ import annotations

from ansible_ensemble.ensembles.hosts import group_hosts
from ansible_ensemble.instances.instance import Instance
from tests.unit.conftest import Load

TEMPLATE = """
topology_template:
  node_templates: {web: {type: tosca.nodes.Root}, db: {type: tosca.nodes.Root}, mail: {type: tosca.nodes.Root}}
  groups:
    my-servers: {type: unfurl.groups.AnsibleInventoryGroup, members: [web, inner]}
    inner: {type: tosca.groups.Root, members: [db]}
    my_servers: {type: unfurl.groups.AnsibleInventoryGroup, members: [db, mail]}
"""


def test_groups_of_one_name_for_ansible_are_one_group(load: Load) -> None:
    instances = [Instance("web", "web"), Instance("web_1", "web")]
    assert group_hosts(load(TEMPLATE), instances) == {"my_servers": ["web", "web_1", "db", "mail"]}
