"""A node template with hosts is one for each of them, and so is what is hosted on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.topology.host_copies import copy_for_hosts, host_of, written_name
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {where: {type: string, default: web}}
  node_templates:
    machines: {type: ansible.Group, properties: {hosts: web}}
    runtime: {role: runtime, host: machines}
    app: {type: tosca.nodes.SoftwareComponent, requirements: [{host: machines}, {dependency: runtime}]}
    site: {role: site, hosts: {get_input: where}, requirements: [{dependency: db}]}
    named: {role: site, hosts: [a, b, a]}
    db: {type: tosca.nodes.Root}
    watch: {type: tosca.nodes.Root, requirements: [{dependency: site}, {dependency: db}]}
    other: {role: site, hosts: lost}
  groups: {all: {type: tosca.groups.Root, members: [site, db]}}
  policies: [{rule: {type: tosca.policies.Root, targets: [named, all]}}]
"""
INVENTORY = {"web": ["web1", "web2"], "lost": None, "typo": []}


def made(text: str = SERVICE) -> Topology:
    topology = load_topology(parse_yaml(text, Path("service.yaml")))
    copy_for_hosts(topology, lambda pattern: INVENTORY[pattern])
    return topology


def links(node: NodeTemplate) -> list[tuple[str, str, int]]:
    return [(one.name, one.target.name, one.index) for one in node.requirements]


def test_the_node_templates() -> None:
    nodes = made().node_templates
    assert list(nodes) == [
        *("machines@web1", "machines@web2", "runtime@web1", "runtime@web2", "app@web1", "app@web2"),
        *("site@web1", "site@web2", "named@a", "named@b", "db", "watch", "other"),
    ]
    assert all(name == node.name for name, node in nodes.items())
    assert nodes["other"].directives == ("virtual",), "its hosts are not known"
    assert "hosts" not in nodes["site@web1"].properties


def test_a_pattern_that_means_no_host_is_not_the_list_of_none() -> None:
    """Without its inventory a pattern means none of the hosts; they have not left."""
    assert made(SERVICE.replace("hosts: lost", "hosts: typo")).node_templates["other"].directives == ("virtual",)
    assert "other" not in made(SERVICE.replace("hosts: lost", "hosts: []")).node_templates


def test_a_node_template_with_the_name_of_a_copy_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'named@a' has the name that 'named' has on a host"):
        made(SERVICE.replace("    db:", "    named@a: {type: tosca.nodes.Root}\n    db:"))


def test_the_relationships() -> None:
    nodes = made().node_templates
    assert links(nodes["runtime@web2"]) == [("host", "machines@web2", 0)]
    assert links(nodes["app@web1"]) == [
        *(("host", "machines@web1", 0), ("dependency", "runtime@web1", 1), ("dependency", "runtime@web2", 1001)),
    ]
    assert links(nodes["watch"]) == [
        *(("dependency", "site@web1", 0), ("dependency", "site@web2", 1000), ("dependency", "db", 1)),
    ]
    assert [one.source.name for one in nodes["db"].incoming] == ["site@web1", "site@web2", "watch"]
    for node in nodes.values():
        assert all(one.source is node and one in one.target.incoming for one in node.requirements)


def test_groups_and_policies_name_the_copies() -> None:
    topology = made()
    assert topology.groups["all"].members == ["site@web1", "site@web2", "db"]
    assert topology.policies["rule"].targets == ["named@a", "named@b", "all"]


def test_a_second_time_nothing_is_left_to_copy() -> None:
    topology = made()
    names = list(topology.node_templates)
    copy_for_hosts(topology, lambda pattern: INVENTORY[pattern])
    assert list(topology.node_templates) == names


STEP = "workflows: {w: {steps: {s: {target: TARGET, activities: [{call_operation: Standard.configure}]}}}}\n"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("hosts: [a, b, a]", "hosts: 3", "the hosts of 'named' are 3"),
        ("hosts: [a, b, a]", "hosts: [1]", "the hosts of 'named' are a list"),
        ("hosts: [a, b, a]", "hosts: '{{ x }}'", "the hosts of 'named' are '{{ x }}'"),
        ("  groups:", f"  {STEP.replace('TARGET', 'site')}  groups:", "the step 's' has 'site' as its target"),
    ],
)
def test_refused(before: str, after: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        made(SERVICE.replace(before, after))
    assert caught.value.message.startswith(message)
    assert caught.value.place is not None


@pytest.mark.parametrize(("instance", "host"), [("site@web1", "web1"), ("a@b@c", "c"), ("site", "")])
def test_the_host_in_a_name(instance: str, host: str) -> None:
    assert host_of(instance) == host


def test_operations_run_on_the_host_of_the_copy() -> None:
    text = SERVICE.replace(
        "{role: site, hosts: [a, b, a]}",
        "{role: site, hosts: [a], interfaces: {Standard: {operations: {start: ./start, "
        "stop: {implementation: {primary: ./stop, operation_host: db}}}}}}",
    )
    node = made(text).node_templates["named@a"]
    operations: dict[str, Any] = {
        name: one.implementation.operation_host
        for name, one in node.interfaces["Standard"].operations.items()
        if one.implementation is not None
    }
    assert operations == {"start": "a", "stop": "db"}


def test_a_wrong_pattern_is_told_where_it_stands() -> None:
    def find(pattern: str) -> None:
        raise InvalidInput(f"{pattern} is no pattern")

    topology = load_topology(parse_yaml(SERVICE, Path("service.yaml")))
    with pytest.raises(InvalidInput) as refused:
        copy_for_hosts(topology, find)
    assert refused.value.place is not None
    assert refused.value.place.line == 5


def test_names_as_they_are_written() -> None:
    topology = made()
    assert topology.hosts["app"] == ["web1", "web2"]
    assert topology.hosts["other"] is None
    names = ("app@web1", "app@gone", "db", "user@db")
    assert [written_name(topology, name) for name in names] == ["app", "app", "db", "user@db"]


TURNS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    turns: {type: ansible.Group, properties: {hosts: abc, serial: SERIAL}}
    drain: {role: drain, host: turns}
    token: {role: token, host: turns, run_once: true, requirements: [{dependency: drain}]}
    start: {role: start, host: turns, requirements: [{dependency: token}]}
    after: {role: after, requirements: [{dependency: start}]}
    between: {role: between}
"""


def turns(serial: str, text: str = TURNS) -> Topology:
    topology = load_topology(parse_yaml(text.replace("SERIAL", serial), Path("service.yaml")))
    copy_for_hosts(topology, lambda _pattern: ["a", "b", "c"])
    return topology


def needed(topology: Topology, name: str) -> list[str]:
    return [link.target.name for link in topology.node_templates[name].requirements if not link.is_hosted_on]


def test_hosts_that_take_turns_finish_one_before_the_next() -> None:
    topology = turns("1")
    assert needed(topology, "drain@a") == []
    assert needed(topology, "start@b") == ["token@b"]
    assert needed(topology, "drain@b") == ["start@a"]
    assert needed(topology, "drain@c") == ["start@b"]
    assert needed(topology, "after") == ["start@a", "start@b", "start@c"]
    for node in topology.node_templates.values():
        assert len({(one.name, one.index) for one in node.requirements}) == len(node.requirements)
        assert all(one in one.target.incoming for one in node.requirements)


@pytest.mark.parametrize(
    ("serial", "batches"),
    [
        *(("2", "ab c"), ("'67%'", "ab c"), ("'1%'", "a b c"), ("[1, 2]", "a bc"), ("[1, '100%']", "a bc")),
        *(("0", "abc"), ("9", "abc"), ("'2'", "ab c")),
    ],
)
def test_the_hosts_of_a_turn(serial: str, batches: str) -> None:
    topology = turns(serial)
    before = ""
    for batch in batches.split():
        for host in batch:
            assert needed(topology, f"drain@{host}") == [f"start@{one}" for one in before]
            assert needed(topology, f"token@{batch[0]}") == [f"drain@{one}" for one in batch]
            assert needed(topology, f"start@{host}") == [f"token@{batch[0]}"]
        before = batch
    assert [one for one in topology.node_templates if one.startswith("token")] == [
        f"token@{batch[0]}" for batch in batches.split()
    ]


def test_what_runs_once_is_on_the_first_host() -> None:
    once = TURNS.replace(", serial: SERIAL", "")
    topology = turns("", once)
    assert needed(topology, "token@a") == ["drain@a", "drain@b", "drain@c"]
    assert needed(topology, "start@c") == ["token@a"]
    assert "token@b" not in topology.node_templates


@pytest.mark.parametrize("serial", ["two", "[]", "[1, x]", "true", "{{ size }}"])
def test_a_serial_that_is_no_number_is_refused(serial: str) -> None:
    with pytest.raises(InvalidInput, match="the serial of 'turns' is") as caught:
        turns(f'"{serial}"' if "{" in serial else serial)
    assert caught.value.place is not None


def test_what_comes_between_turns_is_refused() -> None:
    text = TURNS.replace("{role: between}", "{role: between, requirements: [{dependency: drain}]}")
    text = text.replace("[{dependency: token}]", "[{dependency: token}, {dependency: between}]")
    with pytest.raises(InvalidInput, match="'between' comes between what hosts of 'turns' do in turns"):
        turns("1", text)
