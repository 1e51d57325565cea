"""The types dns.Zone and dns.Record, by octodns, with a provider that writes files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ..conftest import Run
from ..unfurl.samples import write_sample
from .conftest import PYTHON_TOOLS, example

Command = Callable[..., Run]

pytestmark = pytest.mark.skipif(not PYTHON_TOOLS.is_dir(), reason="make python-tools installs octodns")


def test_life(command: Command, tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, "--input", f"folder={zones}", extra={"PYTHONPATH": str(PYTHON_TOOLS)})
        assert done.code == 0, done.output
        return done

    zones = tmp_path / "zones"
    zones.mkdir()
    file = zones / "example.com.yaml"
    file.write_text("by-hand: {type: TXT, value: stays}\n")
    (tmp_path / "service.yaml").write_text(example("dns.Zone"))
    run("deploy", "service.yaml", "--approve", "--check")
    assert set(yaml.safe_load(file.read_text())) == {"by-hand"}
    run("deploy", "service.yaml", "--approve")
    assert set(yaml.safe_load(file.read_text())) == {"", "mail", "www", "ftp", "by-hand"}
    run("deploy", "--approve", "--input", "address=192.0.2.2")
    records = yaml.safe_load(file.read_text())
    assert records["www"]["value"] == "192.0.2.2"

    file.write_text(yaml.safe_dump({**records, "mail": {"type": "A", "value": "192.0.2.66"}}))
    statuses = json.loads(run("check", "--output", "json", "--input", "address=192.0.2.2").stdout)
    assert [one["instance"] for one in statuses["drift"]] == ["zone"]
    run("deploy", "--approve", "--input", "address=192.0.2.2")
    assert yaml.safe_load(file.read_text()) == records

    run("undeploy", "--approve", "--input", "address=192.0.2.2")
    assert set(yaml.safe_load(file.read_text())) == {"by-hand"}


WRONG = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    zone: {type: unfurl.nodes.DNSZone, properties: {name: example.com, provider: {PROVIDER}, records: {a: RECORD}}}
"""
YAML = "class: octodns.provider.yaml.YamlProvider, directory: nowhere"


@pytest.mark.parametrize(
    ("provider", "record", "told"),
    [
        ("clas: a.B", "{type: A, value: 192.0.2.1}", "of 'zone' has no class (did you mean class in place of clas?)"),
        ("class: octodns.none.Provider", "{type: A, value: 192.0.2.1}", "No module named 'octodns.none'"),
        (YAML, "{type: A, value: not-an-address}", 'invalid IPv4 address "not-an-address"'),
    ],
)
def test_what_is_wrong_is_told(command: Command, tmp_path: Path, provider: str, record: str, told: str) -> None:
    (tmp_path / "service.yaml").write_text(WRONG.replace("PROVIDER", provider).replace("RECORD", record))
    done = command("deploy", "service.yaml", "--approve", extra={"PYTHONPATH": str(PYTHON_TOOLS)})
    assert done.code == (3 if "clas:" in provider else 1) and told in done.output, done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("name", ["dns-zone", "dns-provider-of-a-type", "dns-records"])
def test_a_sample_of_unfurl(command: Command, tmp_path: Path, name: str) -> None:
    zones = tmp_path / "zones"
    zones.mkdir()
    write_sample(name, tmp_path)
    for workflow, names in (("deploy", {"", "www"}), ("undeploy", set())):
        done = command(workflow, "--approve", extra={"PYTHONPATH": str(PYTHON_TOOLS)})
        assert done.code == 0, done.output
        assert set(yaml.safe_load((zones / "example.com.yaml").read_text()) or {}) == names
