"""Secrets that operations make: masked in all that is written and shown, and kept where there is a vault password."""

from __future__ import annotations

import os
import stat

import pytest

from tests.preloaded import PROGRAMS, run

ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec:
  service_template:
    tosca_definitions_version: tosca_simple_yaml_1_3
    node_types:
      Db:
        derived_from: tosca.nodes.Root
        properties: {password: {type: string, default: initial-secret, metadata: {sensitive: true}}}
        interfaces:
          Standard:
            operations:
              create: cat made.json
    topology_template:
      outputs: {pw: {value: {get_attribute: [db, password]}}}
      node_templates: {db: {type: Db}}
"""


def call(folder, *words, umask=0o022, **environment):
    before = os.umask(umask)
    try:
        done = run([PROGRAMS / "ansible-ensemble", *words], cwd=folder, env={**os.environ, **environment})
    finally:
        os.umask(before)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    (folder / "made.json").write_text('{"attributes": {"password": "rotated-hunter2"}}')
    return folder


def holding(folder, secret):
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "made.json"]
    return [str(path) for path in files if secret in path.read_bytes().decode("utf-8", "replace")]


def test_a_secret_property_that_an_operation_sets_is_masked_and_never_another_value(project):
    code, output = call(project, "deploy", "--approve")
    assert code == 0, output
    assert "hunter2" not in output
    assert holding(project, "hunter2") == []
    for words in (["outputs"], ["status", "-v"], ["outputs", "--output", "json"], ["query", "::db::password"]):
        assert "secret" not in call(project, *words)[1].replace("(sensitive value)", ""), words
    code, output = call(project, "outputs", "--raw", "pw")
    assert code == 3, output
    assert "was not stored" in output


def test_a_secret_output_is_given_where_it_is_asked_for_by_its_name(project):
    (project / "word").write_text("of the vault")
    vault = {"ANSIBLE_VAULT_PASSWORD_FILE": str(project / "word")}
    code, output = call(project, "deploy", "--approve", **vault)
    assert code == 0, output
    assert holding(project, "hunter2") == []
    assert "hunter2" not in call(project, "outputs", **vault)[1]
    assert call(project, "outputs", "--raw", "pw", **vault) == (0, "rotated-hunter2\n")


def test_what_jobs_write_is_the_owners_alone(project):
    (project / "ensemble.yaml").chmod(0o664)
    code, output = call(project, "deploy", "--approve", umask=0)
    assert code == 0, output
    folders = [project / name for name in ("jobs", "planned", "changes")]
    private = [path for folder in folders for path in (folder, *folder.rglob("*")) if ".runner" not in str(path.parent)]
    assert [str(path) for path in private if stat.S_IMODE(path.lstat().st_mode) & 0o077] == []
    artifacts = project / "active" / "artifacts"
    assert stat.S_IMODE(artifacts.stat().st_mode) == 0o700
    assert stat.S_IMODE((artifacts / "templates.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((project / "ensemble.yaml").stat().st_mode) == 0o664


def test_a_secret_that_stands_in_an_implementation_as_well_is_masked_in_the_record(project):
    text = ENSEMBLE.replace("cat made.json", "echo deployed --password initial-secret")
    (project / "ensemble.yaml").write_text(text)
    code, output = call(project, "deploy", "--approve")
    assert code == 0, output
    assert "initial-secret" not in output
    (record,) = (project / "changes").glob("*.yaml")
    assert "deployed --password <<REDACTED>>" in record.read_text()
    assert [
        path
        for name in ("changes", "jobs")
        for path in (project / name).glob("*.yaml")
        if "initial-secret" in path.read_text()
    ] == []


FACTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {open: {type: string}, shut: {type: string}, all: {type: string}}
    interfaces: {Standard: {operations: {configure: tasks.yaml}}}
topology_template: {node_templates: {app: {type: App}}}
"""
TASKS = """\
- ansible.builtin.set_fact: {open: seen by all}
- ansible.builtin.set_fact: {shut: canary-of-a-fact}
  no_log: true
- ansible.builtin.set_stats: {data: {all: three}}
"""


def test_facts_beside_one_that_is_hidden_are_attributes(project):
    (project / "ensemble.yaml").unlink()
    (project / "service.yaml").write_text(FACTS)
    (project / "tasks.yaml").write_text(TASKS)
    code, output = call(project, "deploy", "-y", "service.yaml")
    assert code == 0, output
    assert call(project, "query", "::app::open")[1].strip() == "seen by all"
    assert call(project, "query", "::app::all")[1].strip() == "three"
    assert holding(project, "canary-of-a-fact") == [str(project / "tasks.yaml")]
