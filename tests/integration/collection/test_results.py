"""What modules return is what their documentation says, and what filters and tests read."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

SECRET = "a word that nobody may see"
SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}, pin: {type: string, metadata: {sensitive: true}}}
    interfaces:
      Standard: {create: cat FOLDER/made.json}
      Install: {check: cat FOLDER/live.json}
  Given:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
topology_template:
  node_templates:
    app: {type: App}
    db: {type: Given}
  outputs:
    url: {value: {get_attribute: [app, url]}}
"""
PLAY = """
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/tosca.ensemble.ensemble: {ensemble: web/service.yaml}
  tasks:
    - tosca.ensemble.validate:
      register: validate
    - tosca.ensemble.lock:
      register: lock
    - tosca.ensemble.plan: {show: false, instances: [app]}
      register: plan
    - tosca.ensemble.execute:
        workflow: deploy
        plan_file: "{{ plan.plan_file }}"
        plan_digest: "{{ plan.plan_digest }}"
        show: false
      register: execute
    - tosca.ensemble.record: {journal: "{{ execute.journal }}", show: false}
      register: record
    - tosca.ensemble.lock: {state: absent, lock_id: "{{ lock.lock.id }}"}
      register: freed
    - ansible.builtin.include_role: {name: tosca.ensemble.job}
      vars: {ensemble: web, ensemble_workflow: check, ensemble_show: false}
    - tosca.ensemble.info:
      register: info
    - tosca.ensemble.info: {gather: [outputs]}
      register: little
    - tosca.ensemble.adopt: {instance: db, attributes: {url: "db:1"}}
      register: would_adopt
      check_mode: true
    - tosca.ensemble.adopt: {instance: db, attributes: {url: "db:1"}}
      register: adopt
    - tosca.ensemble.adopt: {instance: db, attributes: {url: "db:1"}}
      register: adopted
    - tosca.ensemble.forget: {instances: [db]}
      register: would_forget
      check_mode: true
    - tosca.ensemble.forget: {instances: [db]}
      register: forget
    - tosca.ensemble.forget: {instances: [db]}
      register: forgot
    - tosca.ensemble.recover:
      register: recover
    - tosca.ensemble.unlock: {lock_id: none}
      register: unlock
    - tosca.ensemble.validate: {ensemble: wrong.yaml}
      register: invalid
      ignore_errors: true
    - tosca.ensemble.forget: {ensemble: nowhere.yaml, instances: [x]}
      register: nowhere
      ignore_errors: true
    - ansible.builtin.assert:
        that:
          - record is tosca.ensemble.ensemble_ok
          - (record | tosca.ensemble.ensemble_outputs).url == 'http://a'
          - record | tosca.ensemble.ensemble_outputs('url') == 'http://a'
          - record | tosca.ensemble.ensemble_operations('app') | map(attribute='operation') | first == 'Standard.create'
          - (info | tosca.ensemble.ensemble_instance('app')).attributes.url == 'http://b'
          - info.instances | select('tosca.ensemble.ensemble_ok') | map(attribute='name') | first == 'app'
          - ensemble_job is tosca.ensemble.ensemble_drifted
          - info is tosca.ensemble.ensemble_drifted('app')
          - record is not tosca.ensemble.ensemble_drifted
    - ansible.builtin.copy:
        content: "{{ dict(names | zip(names | map('extract', vars))) | to_json }}"
        dest: "{{ playbook_dir }}/results.json"
        mode: "0600"
      vars:
        names: [validate, lock, plan, execute, record, freed, info, little, would_adopt, adopt, adopted, would_forget,
          forget, forgot, recover, unlock, invalid, nowhere, ensemble_job]
"""
MODULES = ("validate", "lock", "plan", "execute", "record", "info", "adopt", "forget", "recover", "unlock")
#: What Ansible adds to results, and what is documented for all modules.
COMMON = {"changed", "failed", "msg", "warnings", "deprecations", "exception"}
#: When something is returned that each run of the play returns.
ALWAYS = re.compile("success|always|once the job has started|when the file was read|O[(]gather[)]|O[(]state=present[)]")


@pytest.fixture(scope="module")
def results(module_ansible: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("results")
    web = folder / "web"
    web.mkdir()
    (web / "service.yaml").write_text(SERVICE.replace("FOLDER", str(web)))
    (web / "made.json").write_text(json.dumps({"attributes": {"url": "http://a", "pin": SECRET}}))
    (web / "live.json").write_text(json.dumps({"attributes": {"url": "http://b"}}))
    (folder / "wrong.yaml").write_text(SERVICE.replace("type: Given}", "type: Giver}"))
    (folder / "play.yml").write_text(PLAY)
    run = module_ansible("ansible-playbook", "play.yml", cwd=folder, package=None)
    assert run.code == 0, run.output
    assert SECRET not in run.output + (folder / "results.json").read_text()
    assert '"ensemble_stats"' in run.output or "ensemble_stats:" in run.output, "set_stats tells it"
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def documented(repository: Path, name: str) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location(f"_returned_{name}", repository / f"plugins/modules/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    told: dict[str, Any] = yaml.safe_load(module.RETURN)
    return told


def differences(told: Mapping[str, Any], found: Mapping[str, Any], where: str) -> Iterator[str]:
    for key in found.keys() - told.keys() - COMMON:
        yield f"{where}{key} is not documented"
    for key, one in told.items():
        if key not in found:
            if key not in COMMON and ALWAYS.match(str(one["returned"])):
                yield f"{where}{key} is documented and not returned"
            continue
        inner = found[key] if isinstance(found[key], list) else [found[key]]
        for part in inner if "contains" in one else ():
            if part:
                yield from differences(one["contains"], part, f"{where}{key}.")


@pytest.mark.parametrize("name", MODULES)
def test_what_is_returned_is_documented_and_the_other_way(repository: Path, results: dict[str, Any], name: str) -> None:
    assert sorted(differences(documented(repository, name), results[name], "")) == []
    assert sorted(documented(repository, name)) == sorted(
        re.sub("(?<=[a-z])(?=[A-Z])", "_", key).lower() for key in documented(repository, name)
    )


def test_what_the_role_leaves_is_what_the_module_returns(repository: Path, results: dict[str, Any]) -> None:
    assert sorted(differences(documented(repository, "record"), results["ensemble_job"], "")) == []


def test_operations_tell_what_they_did_and_where(results: dict[str, Any]) -> None:
    (operation,) = results["record"]["operations"]
    assert (operation["instance"], operation["host"], operation["status"]) == ("app", "localhost", "ok")
    assert operation["attributes"] == {"app": {"url": "http://a", "pin": "<<REDACTED>>"}}
    assert results["record"]["hosts"].keys() == {"localhost"}


def test_the_drift_is_that_of_the_last_check(results: dict[str, Any]) -> None:
    drift = [{"instance": "app", "changes": [{"name": "url", "recorded": "http://a", "live": "http://b"}]}]
    assert results["ensemble_job"]["drift"] == drift
    assert results["info"]["drift"]["instances"] == drift
    assert [job["workflow"] for job in results["info"]["history"]] == ["check", "deploy"]
    assert results["little"].keys() - COMMON == {"ensemble", "outputs", "text"}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        *(("would_adopt", True), ("adopt", True), ("adopted", False)),
        *(("would_forget", True), ("forget", True), ("forgot", False)),
        *(("recover", False), ("unlock", False), ("info", False), ("validate", False)),
    ],
)
def test_changed_is_what_changed(results: dict[str, Any], name: str, changed: bool) -> None:
    assert results[name]["changed"] is changed


def test_a_failure_says_why_and_with_which_exit_code(results: dict[str, Any]) -> None:
    assert results["invalid"]["failed"]
    assert results["invalid"]["exit_code"] == 3
    assert "Giver" in results["invalid"]["errors"][0]["text"]
    assert "nowhere.yaml" in results["nowhere"]["msg"]
    assert results["nowhere"]["exit_code"] > 0
