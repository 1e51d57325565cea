"""An ensemble that is given another service template: `--service-template`, and `diff` and `update` of opera."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.jobs.conftest import Run

Command = Callable[..., Run]

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Note:
    derived_from: tosca.nodes.Root
    properties: {word: {type: string}}
    interfaces:
      Standard:
        operations:
          create: {implementation: 'echo "create $word" >> log', inputs: {word: {get_property: [SELF, word]}}}
          delete: {implementation: 'echo "delete $word" >> log', inputs: {word: {get_property: [SELF, word]}}}
topology_template:
  node_templates:
"""
OLD = SERVICE + "    kept: {type: Note, properties: {word: kept}}\n    old: {type: Note, properties: {word: old}}\n"
NEW = SERVICE + "    kept: {type: Note, properties: {word: kept}}\n    new: {type: Note, properties: {word: new}}\n"


def named(folder: Path) -> str:
    return str(yaml.safe_load((folder / "ensemble.yaml").read_text())["spec"]["service_template"])


def actions(planned: Run) -> dict[str, list[str]]:
    assert planned.code == 0, planned.output
    return {one["name"]: one["change"]["actions"] for one in json.loads(planned.stdout)["resource_changes"]}


@pytest.fixture
def site(tmp_path: Path, command: Command) -> Path:
    """A folder with two service templates, one of which is deployed; the commands run in the folder around it."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "service.yaml").write_text(OLD)
    (folder / "next.yaml").write_text(NEW)
    done = command("deploy", "--approve", "site/service.yaml")
    assert done.code == 0, done.output
    (folder / "log").unlink()
    return folder


def test_opera_shows_the_difference_and_makes_it(site: Path, command: Command) -> None:
    before = (site / "ensemble.yaml").read_text()
    shown = command("opera", "diff", "--format", "json", "next.yaml", cwd=site)
    assert actions(shown) == {"new": ["create"], "old": ["delete"]}
    assert (site / "ensemble.yaml").read_text() == before

    done = command("opera", "update", "next.yaml", cwd=site)
    assert done.code == 0, done.output
    assert sorted((site / "log").read_text().splitlines()) == ["create new", "delete old"]
    assert named(site) == "next.yaml"

    assert actions(command("plan", "--output", "json", cwd=site)) == {}, "it follows the other one from now on"
    undone = command("opera", "undeploy", cwd=site)
    assert undone.code == 0, undone.output
    assert sorted((site / "log").read_text().splitlines()[2:]) == ["delete kept", "delete new"]


def test_what_is_not_pruned_stays(site: Path, command: Command) -> None:
    options = ("--approve", "--service-template", "site/next.yaml", "site")
    done = command("deploy", *options)
    assert done.code == 0, done.output
    assert (site / "log").read_text() == "create new\n"
    refused = command("plan", "site/service.yaml")
    assert refused.code == 3
    assert "it is the ensemble of next.yaml" in refused.stderr
    assert "--service-template service.yaml" in refused.stderr


def test_a_saved_plan_knows_it(site: Path, command: Command) -> None:
    planned = command("plan", "--service-template", "site/next.yaml", "--out", "plan.json", "site")
    assert planned.code == 0, planned.output
    other = command("deploy", "plan.json", "--service-template", "site/service.yaml")
    assert (other.code, "not a plan for service_template" in other.stderr) == (2, True), other.output
    done = command("deploy", "plan.json")
    assert done.code == 0, done.output
    assert (named(site), (site / "log").read_text()) == ("next.yaml", "create new\n")


def test_playbooks_take_it(site: Path, command: Command) -> None:
    chosen = ("-e", "ensemble=site", "-e", "ensemble_service_template=next.yaml", "-e", "ensemble_approve=true")
    done = command("tosca.ensemble.deploy", *chosen, program="ansible-playbook")
    assert done.code == 0, done.output
    assert (named(site), (site / "log").read_text()) == ("next.yaml", "create new\n")


def test_every_other_line_of_the_ensemble_stays(tmp_path: Path, command: Command) -> None:
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "new.yaml").write_text(NEW)
    head = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template: {}.yaml  # ours\n  inputs: {{}}\n"
    (tmp_path / "ensemble.yaml").write_text(head.format("old"))
    done = command("deploy", "--approve", "--service-template", "new.yaml")
    assert done.code == 0, done.output
    assert (tmp_path / "ensemble.yaml").read_text().startswith(head.format("new"))


def test_a_template_inside_the_ensemble_is_not_replaced(tmp_path: Path, command: Command) -> None:
    (tmp_path / "new.yaml").write_text(NEW)
    inside = {"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": {"service_template": yaml.safe_load(OLD)}}
    (tmp_path / "ensemble.yaml").write_text(yaml.safe_dump(inside))
    refused = command("deploy", "--approve", "--service-template", "new.yaml")
    assert refused.code == 3
    assert "has its service template inside" in refused.stderr
    outside = command("deploy", "--approve", "--service-template", "/etc/hostname")
    assert outside.code == 3
