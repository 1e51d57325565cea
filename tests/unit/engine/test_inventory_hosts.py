"""Hosts that the inventory does not have, and inventories that cannot be read, before anything is carried out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.jobs.validate import validate_path
from ansible_ensemble.planning.plan import Plan

SERVICE = """\
resources:
  site:
    module: ansible.builtin.copy
    args: {dest: "/srv/{{ inventory_hostname }}", content: x}
    host: d1
  page:
    module: ansible.builtin.file
    args: {path: /srv/page, state: directory}
    hosts: web:!old
  here:
    module: ansible.builtin.file
    args: {path: /srv/here, state: directory}
    host: localhost
"""
HOSTS = "d1 ansible_connection=local\n[web]\nweb1\n"
#: An instance was made at d1.
RECORDED = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
    site:
      template: site
      properties: {args: {dest: /srv/d1, content: x}}
      readyState: {local: ok, state: configured}
      created: A6BKKsK50001
"""

Planned = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    """Plan by an inventory, of its text or of files by name."""
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "ensemble.yaml").write_text(RECORDED)

    def plan(inventory: Any = HOSTS, workflow: str = "deploy", **options: Any) -> Plan:
        if isinstance(inventory, str):
            (tmp_path / "hosts.ini").write_text(inventory)
            inventory = [str(tmp_path / "hosts.ini")]
        return make_plan(str(tmp_path), workflow, {"inventory": inventory, **options}).plan

    return plan


def validated(folder: Path, *inventory: str) -> dict[str, Any]:
    return validate_path(str(folder), JobOptions(inventory=[*inventory]))


def test_hosts_that_are_there_are_planned(planned: Planned, tmp_path: Path) -> None:
    assert {one.instance for one in planned().operations} == {"page@web1", "here"}
    assert validated(tmp_path, str(tmp_path / "hosts.ini"))["errors"] == []


@pytest.mark.parametrize(
    ("inventory", "line", "message"),
    [
        ("d12\n[web]\nweb1\n", 5, '"d1" (did you mean d12?; the inventory is '),
        ("d1\n[wep]\nw1\n", 9, '"web" (did you mean wep?; the inventory is '),
    ],
)
def test_one_that_is_not_there_is_refused_with_its_place(
    planned: Planned, tmp_path: Path, inventory: str, line: int, message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        planned(inventory)
    assert f"service.yaml:{line}:" in str(refused.value)
    assert f"no host and no group of the inventory is {message}" in str(refused.value)
    [error] = validated(tmp_path, str(tmp_path / "hosts.ini"))["errors"]
    assert message in error["text"]


@pytest.mark.parametrize("host", ["web", "d1:web1", "web[0]"])
def test_a_group_or_pattern_in_place_of_one_host_is_refused(planned: Planned, tmp_path: Path, host: str) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("host: d1", f'host: "{host}"'))
    message = f'service.yaml:5:11: "{host}" is no host of the inventory, but a group or a pattern'
    with pytest.raises(InvalidInput, match=r"\(`hosts: .*` has an instance on each of its hosts\)") as refused:
        planned()
    assert message in str(refused.value)
    [error] = validated(tmp_path, str(tmp_path / "hosts.ini"))["errors"]
    assert message in error["text"]


@pytest.mark.parametrize("service", ["hosts: [d1, web]", "host: some", "hosts: [d1, 'web1:d1']"])
def test_a_group_or_pattern_in_a_list_of_hosts_is_refused(planned: Planned, tmp_path: Path, service: str) -> None:
    group = "  some: {type: ansible.Group, properties: {hosts: [d1, web]}}\n"
    text = SERVICE.replace("host: d1", service).replace("resources:\n", "node_templates:\n" + group)
    text = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  " + text.replace("\n", "\n  ")
    (tmp_path / "service.yaml").write_text(text)
    with pytest.raises(InvalidInput, match="is no host of the inventory, but a group or a pattern"):
        planned()
    errors = validated(tmp_path, str(tmp_path / "hosts.ini"))["errors"]
    assert any("is no host of the inventory, but a group or a pattern" in one["text"] for one in errors)


def test_without_an_inventory_a_plan_says_how_to_name_one_and_validate_that_it_is_not_checked(
    planned: Planned, tmp_path: Path
) -> None:
    with pytest.raises(
        InvalidInput, match=r'"d1" \(no inventory is named: -i FILE, or `inventory = FILE` in ansible.cfg'
    ):
        planned([])
    found = validated(tmp_path)
    assert found["errors"] == []
    assert [one for one in found["warnings"] if "for no inventory is named (-i): whether there is d1, web:!old" in one]


DELEGATING = """\
resources:
  moved: {module: command, args: {cmd: id}, host: d1, keywords: {delegate_to: wep1}}
  known: {module: command, args: {cmd: id}, host: d1, keywords: {delegate_to: web1}}
  listed: {tasks: tasks.yml, host: d1}
  made: {tasks: made.yml, host: d1}
"""
TASKS = """\
- {command: id, delegate_to: localhost}
- {command: id, delegate_to: "{{ groups.web | first }}"}
- {command: id, delegate_to: 192.0.2.7}
- block:
    - {include_role: {name: remote}}
"""


def test_a_host_to_delegate_to_that_is_not_there_is_told(planned: Planned, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(DELEGATING)
    (tmp_path / "ensemble.yaml").write_text(RECORDED.partition("status:")[0])
    (tmp_path / "tasks.yml").write_text(TASKS)
    (tmp_path / "made.yml").write_text("- add_host: {name: later}\n- {command: id, delegate_to: later}\n")
    tasks = tmp_path / "roles" / "remote" / "tasks" / "main.yml"
    tasks.parent.mkdir(parents=True)
    tasks.write_text("- {command: id, delegate_to: bastion}\n")
    told = "which is no host of the inventory: Ansible connects to it by that name"
    service = tmp_path / "service.yaml"
    shown = [text for text in planned().warnings if "delegate_to" in text]
    assert [text.partition(" (")[0] for text in shown] == [
        f"{service}:2:19: delegate_to names wep1, {told}",
        f"{tasks}:1:30: delegate_to names bastion, {told}",
    ]
    assert "did you mean web1?" in shown[0]


def test_a_group_without_a_host_is_told_and_left_alone(planned: Planned) -> None:
    plan = planned("d1\n[web]\n", prune=True)
    assert {one.instance for one in plan.operations} == {"here"}
    assert "no host of the inventory is one of web:!old (-i names the inventory)" in plan.warnings
    assert ("page", "its hosts are unknown") in [(one.instance, one.reason) for one in plan.excluded]


@pytest.mark.parametrize("workflow", ["undeploy", "check"])
def test_who_takes_down_or_looks_goes_on_without_a_host(planned: Planned, workflow: str) -> None:
    assert "site" in {one.instance for one in planned("d2\n", workflow).operations}


def broken(folder: Path, kind: str) -> list[str]:
    """An inventory of which something cannot be read, beside a source that can be."""
    whole, bad = folder / "whole.ini", folder / "inventory" / "bad.yml"
    whole.write_text(HOSTS)
    bad.parent.mkdir()
    (bad.parent / "good.ini").write_text(HOSTS)
    (bad.parent / "group_vars").mkdir()
    (bad.parent / "readme.md").write_text("no inventory: [")
    if kind == "script":
        bad = bad.with_name("script.sh")
        bad.write_text("#!/bin/sh\nexit 1\n")
        bad.chmod(0o755)
    elif kind != "whole":
        bad.write_text("all: [")
    given = {"absent": "/nope", "file": str(bad)}.get(kind, str(bad.parent))
    return [str(whole), given]


@pytest.mark.parametrize("workflow", ["deploy", "check", "undeploy", "stop"])
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("absent", "/nope: there is no such inventory"),
        ("file", "bad.yml: Ansible cannot read this inventory"),
        ("folder", "bad.yml: Ansible cannot read this inventory"),
        ("script", "script.sh: Ansible cannot read this inventory"),
    ],
)
def test_nothing_is_planned_by_an_inventory_that_cannot_be_read_as_a_whole(
    planned: Planned, tmp_path: Path, kind: str, message: str, workflow: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        planned(broken(tmp_path, kind), workflow)


def test_a_folder_of_which_everything_can_be_read_is_read(planned: Planned, tmp_path: Path) -> None:
    assert {one.instance for one in planned(broken(tmp_path, "whole")).operations} == {"page@web1", "here"}


@pytest.mark.parametrize("workflow", ["deploy", "check"])
def test_one_that_the_settings_name_counts_as_one_that_is_given(
    planned: Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workflow: str
) -> None:
    monkeypatch.setenv("ANSIBLE_INVENTORY", str(tmp_path / "gone.ini"))
    with pytest.raises(InvalidInput, match=r"gone\.ini: there is no such inventory"):
        planned([], workflow)


def test_the_status_is_shown_without_an_inventory(planned: Planned, tmp_path: Path) -> None:
    read = read_ensemble(locate(tmp_path), JobOptions(inventory=["/nope"]))
    assert [*read.instances.by_name] == ["site"]
    assert [text for text in read.warnings if "the hosts of web:!old are not known" in text]
