from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Host
from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.ensembles.hosts import HostFinder
from ansible_ensemble.instances.instance import RelationshipInstance
from tests.unit.conftest import SERVICE

LOCAL = Host()
REACHED = Host("machine", {"ansible_host": "192.0.2.7"})


@pytest.fixture
def find(job):
    """Find the host of the operation of an instance in a model of an app on a machine, and a client of it."""

    def find(keyword: str, instance: str = "app", inventory: frozenset[str] = frozenset(), **machine: Any) -> Host:
        made = job(machine.pop("service", SERVICE))
        made.instance("machine", attributes=machine)
        made.instance("app", host="machine")
        client = made.instance("client")
        relationship = RelationshipInstance("app#0", "app") if instance == "client" else None
        finder = HostFinder(made.ensemble.evaluator, made.instances, inventory)
        return finder.find(keyword, client if relationship else made.instances.by_name[instance], relationship, None)

    return find


@pytest.mark.parametrize("keyword", ["ORCHESTRATOR", "localhost", "127.0.0.1"])
def test_the_controller(find, keyword: str) -> None:
    assert find(keyword, private_address="192.0.2.7") == LOCAL


@pytest.mark.parametrize("keyword", ["SELF", "HOST", "SOURCE"])
def test_the_machine_that_the_instance_is_hosted_on(find, keyword: str) -> None:
    assert find(keyword, private_address="192.0.2.7") == REACHED


def test_the_public_address_comes_first(find) -> None:
    found = find("HOST", private_address="10.0.0.1", public_address="192.0.2.7")
    assert found == REACHED


def test_a_machine_without_an_address_is_the_controller(find) -> None:
    assert find("HOST") == LOCAL


def test_a_machine_at_the_controller_is_the_controller(find) -> None:
    assert find("HOST", private_address="127.0.0.1") == LOCAL


def test_a_machine_that_the_inventory_knows_is_taken_from_there(find) -> None:
    assert find("HOST", inventory=frozenset({"machine"}), private_address="192.0.2.7") == Host("machine")


def test_the_ends_of_a_relationship(find) -> None:
    assert find("TARGET", "client", private_address="192.0.2.7") == REACHED
    assert find("SOURCE", "client", private_address="192.0.2.7") == LOCAL


def test_an_instance_or_a_host_by_name(find) -> None:
    assert find("machine", "client", private_address="192.0.2.7") == REACHED
    assert find("other.example", inventory=frozenset({"other.example"})) == Host("other.example")


def test_a_name_of_nothing_is_refused(find) -> None:
    with pytest.raises(InvalidInput, match='its host "nobody" is no') as refused:
        find("nobody")
    assert "ansible-ensemble forget app" in str(refused.value.hint), "it may be the host of what has lost it"
    assert "-i names the inventory" in str(refused.value.hint), "or nobody said where it is"


def test_a_machine_that_was_a_host_of_the_inventory_is_not_the_controller(job) -> None:
    made = job(SERVICE)
    machine = made.instance("machine")
    app = made.instance("app", host="machine")

    def finder(*inventory: str) -> HostFinder:
        return HostFinder(made.ensemble.evaluator, made.instances, frozenset(inventory))

    assert finder("machine").newly_found("SELF", app) == {"name": "machine", "inventoryHost": "machine"}
    assert finder("machine").newly_found("HOST", machine) is None, "it is looked at from the controller"
    machine.inventory_host = "machine"
    assert finder("machine").newly_found("SELF", app) is None
    with pytest.raises(InvalidInput, match='its host "machine" is no host of the inventory'):
        finder("other").find("HOST", app, None, None)
    machine.attributes["public_address"] = "192.0.2.7"
    assert finder("other").find("HOST", app, None, None) == REACHED


def test_what_was_on_an_instance_that_is_not_recorded_is_not_on_the_controller(job) -> None:
    made = job(SERVICE)
    app, client = made.instance("app", host="machine"), made.instance("client")
    finder = HostFinder(made.ensemble.evaluator, made.instances, frozenset())
    with pytest.raises(InvalidInput, match='its host "machine" is no host of the inventory'):
        finder.find("HOST", app, None, None)
    with pytest.raises(InvalidInput, match='its host "gone" is no host of the inventory, and no instance'):
        finder.find("TARGET", client, RelationshipInstance("app#0", "gone"), None)


#: what replaces what in the service, for a machine that says how to connect to it
ENDPOINT = {
    "node_types:": """\
capability_types:
  Ssh:
    derived_from: tosca.capabilities.Endpoint.Admin
    properties: {user: {type: string}, hostvars: {type: map, entry_schema: string}}
node_types:""",
    "    derived_from: tosca.nodes.Compute\n": """\
    derived_from: tosca.nodes.Compute
    capabilities: {endpoint: {type: Ssh}}
""",
    "{type: Machine}": """
      type: Machine
      capabilities:
        endpoint: {properties: {port: 2222, user: deploy, hostvars: {ansible_shell_type: sh}}}""",
}


def test_how_to_connect_comes_from_the_endpoint(find) -> None:
    service = SERVICE
    for old, new in ENDPOINT.items():
        service = service.replace(old, new)
    found = find("HOST", service=service, private_address="192.0.2.7")
    assert found.variables == {
        "ansible_host": "192.0.2.7",
        "ansible_port": 2222,
        "ansible_user": "deploy",
        "ansible_shell_type": "sh",
    }


CONNECTION = """topology_template:
  relationship_templates:
    ssh:
      type: unfurl.relationships.ConnectsTo.Ansible
      default_for: machine
      properties:
        credential: {user: me, token_type: password, token: hunter2hunter2, keys: {ansible_private_key_file: key}}
        hostvars: {ansible_shell_type: sh}
"""
CONNECTED = {
    **{"ansible_user": "me", "ansible_password": "hunter2hunter2"},
    **{"ansible_private_key_file": "key", "ansible_shell_type": "sh"},
}


def test_how_to_connect_comes_from_a_connection(find) -> None:
    service = SERVICE.replace("topology_template:\n", CONNECTION)
    found = find("HOST", service=service, private_address="192.0.2.7")
    assert found == Host("machine", {"ansible_host": "192.0.2.7", **CONNECTED})
    docker = service.replace("sh}", "sh, ansible_connection: docker}")
    assert find("HOST", service=docker).name == "machine", "a container has no address"
    here = find("HOST", service=docker.replace(": docker", ": local"))
    assert (here.name, here.variables["ansible_connection"]) == ("localhost", "local")
    assert here.variables["ansible_user"] == "me"


GROUPS = """
  groups:
    all_of_them:
      type: unfurl.groups.AnsibleInventoryGroup
      members: [inner]
      properties: {hostvars: {word: "{{ 'of' }} the outer", ansible_user: group}}
    inner:
      type: unfurl.groups.AnsibleInventoryGroup
      members: [machine, all_of_them]
      properties: {hostvars: {depth: 2}}
    others: {type: tosca.groups.Root, members: [machine]}
    empty: {type: unfurl.groups.AnsibleInventoryGroup}
"""
NAMES = ("all_of_them", "inner")
SHARED = {"word": "of the outer", "ansible_user": "group", "depth": 2}


@pytest.mark.parametrize(
    "inventory,address,expected",
    [
        (
            frozenset(),
            {"private_address": "192.0.2.7"},
            Host("machine", {"ansible_host": "192.0.2.7", **SHARED}, NAMES),
        ),
        (frozenset({"machine"}), {}, Host("machine", SHARED, NAMES)),
        (frozenset(), {}, Host("localhost", SHARED, NAMES)),
    ],
    ids=["by its address", "in the inventory", "here"],
)
def test_groups_of_the_topology_give_variables(find, inventory, address, expected) -> None:
    service = f"{SERVICE.rstrip()}\n{GROUPS.strip(chr(10))}\n"
    assert find("HOST", inventory=inventory, service=service, **address) == expected


def test_the_endpoint_of_a_machine_goes_before_its_groups(find) -> None:
    service = SERVICE
    for old, new in ENDPOINT.items():
        service = service.replace(old, new)
    service = f"{service.rstrip()}\n{GROUPS.strip(chr(10))}\n"
    assert find("HOST", service=service, private_address="192.0.2.7").variables["ansible_user"] == "deploy"


def test_variables_of_a_group_are_a_map(find) -> None:
    kind = "unfurl.groups.AnsibleInventoryGroup"
    groups = f"  groups: {{g: {{type: {kind}, members: [machine], properties: {{hostvars: {{get_input: vars}}}}}}}}"
    service = SERVICE.replace("topology_template:\n", "topology_template:\n  inputs: {vars: {default: [1]}}\n") + groups
    with pytest.raises(InvalidInput, match="the hostvars of group 'g' must be a map"):
        find("HOST", service=service)
    secret = service.replace("{default: [1]}", "{type: string, default: s3cret, metadata: {sensitive: true}}")
    with pytest.raises(InvalidInput, match=f"must be a map, not '{REDACTED}'"):
        find("HOST", service=secret)
