"""Values that a module or role of the collection would refuse are refused where they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators.resources import add_operations
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    zone:
      type: dns.Zone
      properties: {name: example.com., provider: {class: a.B}}
    one:
      type: KIND
      properties:
        GIVEN
"""
FILE, RECORD, ZONE, UNIT = "file.Template", "dns.Record", "dns.Zone", "systemd.Service"
HOSTED = "\n      requirements: [{host: zone}]"

TAKEN = [
    (FILE, "{path: /a, content: x, mode: '0600', validate: 'test %s'}"),
    (FILE, "{path: ~/a, template: a.j2, mode: 'u=rw'}"),
    (FILE, "{path: '{{ x }}', content: {eval: .name}, template: {eval: .name}, validate: '{{ x }}'}"),
    (FILE, "{path: /a, hosts: [web]}"),
    (UNIT, "{content: x}"),
    (ZONE, "{provider: {class: '{{ x }}', token: x}, records: {'': [{type: A, value: 192.0.2.1}], a: '{{ x }}'}}"),
    (ZONE, "{provider: {eval: .name}, records: {eval: .name}}"),
    (RECORD, "{records: {www: {type: A, value: 192.0.2.1}}}" + HOSTED),
]
REFUSED = [
    (FILE, "{path: a, content: x}", "argument 'path' of", "is 'a': it must be an absolute path"),
    (FILE, "{path: /a, content: x, mode: '0999'}", "argument 'mode' of", "is '0999', which is not octal"),
    (
        FILE,
        "{path: /a, content: x, validate: 'true'}",
        "argument 'validate' of",
        "does not say where the file stands in the command (write %s)",
    ),
    (FILE, "{path: /a, content: x, template: a.j2}", "", "has both content and template (remove one of them)"),
    (FILE, "{path: /a}", "", "has neither content nor template (add one of them)"),
    (UNIT, "{enabled: true}", "", "has neither content nor template (add one of them)"),
    (
        ZONE,
        "{provider: {clas: secret}}",
        "argument 'provider' of",
        "has no class (did you mean class in place of clas?)",
    ),
    (
        ZONE,
        "{provider: {token: secret}}",
        "argument 'provider' of",
        "has no class (such as octodns.provider.yaml.YamlProvider)",
    ),
    (
        ZONE,
        "{provider: {class: Yaml}}",
        "argument 'provider' of",
        "has a class that is no full name (such as octodns.provider.yaml.YamlProvider)",
    ),
    (
        RECORD,
        "{records: {www: ''}}" + HOSTED,
        "argument 'records' of",
        "has '' for 'www': it must be a record, or a list of records",
    ),
    (
        RECORD,
        "{records: {www: [{value: 192.0.2.1}]}}" + HOSTED,
        "argument 'records' of",
        "has a record for 'www' that has no type (such as type: A)",
    ),
]


def faults(folder: Path, kind: str, given: str) -> list[InvalidInput]:
    text = SERVICE.replace("KIND", kind).replace("GIVEN", given)
    return add_operations(load_topology(parse_yaml(text, folder / "service.yaml")), folder)


@pytest.mark.parametrize(("kind", "given"), TAKEN)
def test_taken(tmp_path: Path, kind: str, given: str) -> None:
    assert faults(tmp_path, kind, given) == []


@pytest.mark.parametrize(("kind", "given", "before", "after"), REFUSED)
def test_refused(tmp_path: Path, kind: str, given: str, before: str, after: str) -> None:
    (fault,) = faults(tmp_path, kind, given)
    assert fault.place is not None
    assert Path(fault.place.file).name == "service.yaml" and fault.place.line in (7, 8, 9, 10)
    told = str(fault).partition(": ")[2]
    assert told.startswith(before) and told.endswith(f" of 'one' {after}")
