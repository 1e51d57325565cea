"""Nodes for the records that relationships add to DNS zones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.dns_records import add_dns_records

Load = Callable[..., Topology]

TEMPLATE = """
node_types:
  App:
    derived_from: tosca.nodes.Root
    requirements: [{dns: {node: tosca.nodes.Root, occurrences: [0, UNBOUNDED]}}]
topology_template:
  inputs: {shared: {type: map, default: {mail: {type: A, value: 192.0.2.9}}}}
  node_templates:
    zone: {type: dns.Zone, properties: {name: example.com., provider: {class: a.B}, exclusive: EXCLUSIVE}}
    ftp: {type: dns.Record, properties: {records: RECORDS}, requirements: [{host: zone}]}
    app: {type: App, requirements: [{dns: {node: NODE, relationship: LINK}} MORE]COUNT}
"""
LINK = "{type: unfurl.relationships.DNSRecords, properties: {records: {www: {type: A, value: {eval: .source::name}}}}}"
GIVEN = {
    "EXCLUSIVE": "true",
    "RECORDS": "{ftp: {type: A, value: 192.0.2.1}}",
    "NODE": "zone",
    "MORE": "",
    "COUNT": "",
    "LINK": LINK,
}


def added(load: Load, more: str = "", **replaced: str) -> Topology:
    text = TEMPLATE + more
    for word, value in {**GIVEN, **replaced}.items():
        text = text.replace(word, value)
    topology = load(text)
    add_dns_records(topology)
    return topology


def test_the_records_of_a_relationship_have_a_node(load: Load) -> None:
    topology = added(load)
    made = topology.node_templates["app-dns-records"]
    assert made.type.name == "dns.Record"
    assert [(one.name, one.target.name, one.is_hosted_on) for one in made.requirements] == [
        ("host", "zone", True),
        ("dependency", "app", False),
    ]
    assert made.properties["records"].value == {"eval": "::app::.requirements::[.name=dns]::records"}
    assert made in [one.source for one in topology.node_templates["app"].incoming]


@pytest.mark.parametrize(
    ("exclusive", "records", "kept"),
    [
        ("true", "{ftp: {type: A, value: 192.0.2.1}}", ["ftp", "www"]),
        ("true", "{'@': {type: A, value: 192.0.2.1}}", ["", "www"]),
        ("true", "{get_input: shared}", ["mail", "www"]),
        ("{get_env: EXCLUSIVE}", "{ftp: {type: A, value: 192.0.2.1}}", ["ftp", "www"]),
        ("false", "{eval: .name}", None),
    ],
)
def test_an_exclusive_zone_keeps_the_records_of_its_nodes(
    load: Load, exclusive: str, records: str, kept: list[str] | None
) -> None:
    zone = added(load, EXCLUSIVE=exclusive, RECORDS=records).node_templates["zone"]
    assert (zone.properties["keep"].value if "keep" in zone.properties else None) == kept


def test_what_a_zone_says_itself_that_it_keeps_stays(load: Load) -> None:
    zone = added(load, EXCLUSIVE="true, keep: [old, ftp]").node_templates["zone"]
    assert zone.properties["keep"].value == ["old", "ftp", "www"]


@pytest.mark.parametrize(
    ("replaced", "more", "message"),
    [
        ({"RECORDS": "{eval: .name}"}, "", "the zone 'zone' is exclusive, and what it keeps of 'ftp' is computed"),
        ({"NODE": "ftp"}, "", "the requirement 'dns' of 'app' adds DNS records to 'ftp', which is no dns.Zone"),
        ({"MORE": f", {{dns: {{node: zone, relationship: {LINK}}}}}"}, "", "adds DNS records twice"),
        ({"COUNT": ", count: 2"}, "", "the requirement 'dns' of 'app' adds DNS records, and 'app' has 2 instances"),
        ({}, "    app-dns-records: {type: tosca.nodes.Root}\n", "has the name of the records that 'app' adds"),
    ],
)
def test_what_cannot_be_is_told(load: Load, replaced: dict[str, str], more: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        added(load, more, **replaced)
