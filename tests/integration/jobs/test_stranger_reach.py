"""What a stranger's project reaches when it is looked at, and whose consent a job needs."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.jobs.inspection import query, validate
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.projects.git import dirty_files
from ansible_ensemble.projects.trust import trust
from tests.preloaded import PROGRAMS, run

pytestmark = pytest.mark.usefixtures("nothing_trusted")

HEADER = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\n"
SPEC = "spec: {service_template: service.yaml}\n"
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
metadata: {template_name: app, template_version: "1.0"}
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {text: {type: any, default: DEFAULT}}
    interfaces:
      Standard: {operations: {create: "touch RAN && true"}}
topology_template:
  node_templates:
    app: {type: App}
"""


@pytest.fixture
def ran(tmp_path):
    """A file that is made by whatever must not run."""
    return tmp_path / "ran"


@pytest.fixture
def stranger(tmp_path, ran):
    (tmp_path / "stranger").mkdir()
    return written(tmp_path / "stranger", ran)


def written(folder, ran, default="plain", environment=""):
    text = SERVICE.replace("DEFAULT", default).replace("RAN", str(ran))
    (folder / "service.yaml").write_text(text)
    (folder / "ensemble.yaml").write_text(HEADER + environment.replace("RAN", str(ran)) + SPEC)
    return folder


def value(folder):
    return query(str(folder), "::app::text", None, {})


def call(folder, *words):
    env = {**os.environ, "ANSIBLE_LOCALHOST_WARNING": "False"}
    done = run([PROGRAMS / "ansible-ensemble", *words], cwd=folder, env=env)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("environment", "default"),
    [
        ("""variables: {X: "{{ lookup('pipe', 'touch RAN') }}"}""", "{get_env: X}"),
        ("""variables: {X: {eval: {lookup: {pipe: touch RAN}}}}""", "plain"),
        ("""locals: {x: "{{ lookup('pipe', 'touch RAN') }}"}""", "{eval: {local: x}}"),
        ("""secrets: {x: "{{ lookup('pipe', 'touch RAN') }}"}""", "{eval: {secret: x}}"),
        ("""secrets: {x: {eval: {python: "evil.py#run"}}}""", "{eval: {secret: x}}"),
        ("""inputs: {x: "{{ lookup('pipe', 'touch RAN') }}"}""", "{get_input: x}"),
        ("""variables: {X: "{{ 1 | evil }}"}""", "{get_env: X}"),
    ],
)
def test_the_environment_of_a_stranger_runs_nothing(stranger, ran, environment, default):
    (stranger / "evil.py").write_text(f"open({str(ran)!r}, 'w')\ndef run(): return 1\n")
    (stranger / "filter_plugins").mkdir()
    (stranger / "filter_plugins" / "evil.py").write_text(f"open({str(ran)!r}, 'w')\n")
    written(stranger, ran, default, f"environment:\n  {environment}\n")
    with pytest.raises(InvalidInput):
        value(stranger)
    with pytest.raises(InvalidInput):
        make_plan(str(stranger), "deploy", {})
    assert not ran.exists()


def test_the_environment_of_a_trusted_project_may(stranger, ran):
    written(stranger, ran, "{get_env: X}", "environment: {variables: {X: \"{{ lookup('pipe', 'echo made') }}\"}}\n")
    trust(stranger)
    assert value(stranger) == "made"


@pytest.mark.parametrize(
    "default",
    [
        "{get_env: CANARY}",
        "{get_env: [CANARY, other]}",
        "{has_env: CANARY}",
        "{get_env: }",
        "\"{{ [1] | map_value }}{{ {'get_env': 'CANARY'} | eval }}\"",
        '{eval: {to_env: {"+CANARY": null}}}',
        '{eval: {to_env: {X: "${CANARY}"}}}',
        "{eval: {local: x}}",
    ],
)
def test_a_stranger_reads_nothing_of_the_users_environment(stranger, ran, monkeypatch, default):
    monkeypatch.setenv("CANARY", "hunter2")
    sets = "environment: {locals: {x: {get_env: CANARY}}}\n"
    written(stranger, ran, default, sets if "local" in default else "")
    with pytest.raises(InvalidInput, match="is not read for a project that is not trusted"):
        value(stranger)
    trust(stranger)
    assert value(stranger)


def test_a_stranger_has_the_variables_that_it_sets_alone(stranger, ran, monkeypatch):
    monkeypatch.setenv("CANARY", "hunter2")
    written(stranger, ran, "{get_env: X}", 'environment: {variables: {X: "one${CANARY}", ^CANARY: two}}\n')
    assert value(stranger) == "one"
    written(stranger, ran, "{get_env: CANARY}", 'environment: {variables: {X: "one${CANARY}", ^CANARY: two}}\n')
    assert value(stranger) == "two"


def test_the_inventory_that_a_stranger_may_not_read_is_asked_for_at_a_place(stranger, ran):
    written(stranger, ran, '"{{ nosuch }}"')
    with pytest.raises(InvalidInput, match="inventory is not read") as caught:
        make_plan(str(stranger), "deploy", {})
    assert caught.value.place is not None
    assert caught.value.place.file.endswith("service.yaml")
    assert caught.value.place.line == 6


@pytest.mark.parametrize("url", ["/", "..", "file:///", "../mine"])
def test_a_stranger_names_no_folder_of_this_machine(stranger, ran, tmp_path, url):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "key").write_text("CANARY")
    default = f"{{eval: {{file: {tmp_path}/mine/key}}, select: contents}}"
    written(stranger, ran, default, f"environment: {{repositories: {{r: {{url: '{url}'}}}}}}\n")
    found = validate([str(stranger)], {})
    assert not found["valid"]
    assert "is not trusted reaches its own folders only" in str(found)
    with pytest.raises(InvalidInput, match="reaches its own folders only"):
        value(stranger)
    trust(stranger)
    assert value(stranger) == "CANARY"


def test_the_users_own_repositories_are_for_every_project(stranger, ran, tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / "types").mkdir(parents=True)
    (home / "types" / "text").write_text("mine")
    text = "environments: {defaults: {repositories: {r: {url: types}}}}\n"
    (home / "ensemble-project.yaml").write_text(text)
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_HOME", str(home))
    written(stranger, ran, f"{{eval: {{file: {home}/types/text}}, select: contents}}")
    assert value(stranger) == "mine"


@pytest.mark.parametrize("name", ["local", "active/artifacts", "active/secrets", "planned/tmp"])
def test_a_folder_that_is_a_link_lets_nothing_out(stranger, ran, tmp_path, name):
    (tmp_path / "key").write_text("CANARY")
    (stranger / name).parent.mkdir(exist_ok=True)
    (stranger / name).symlink_to("/")
    written(stranger, ran, f"{{eval: {{file: {tmp_path}/key}}, select: contents}}")
    with pytest.raises(InvalidInput, match="leads out of the project"):
        value(stranger)


@pytest.mark.parametrize("name", ["ensemble.yaml", "ensemble-project.yaml", "secrets/secrets.yaml"])
def test_a_file_that_is_a_link_shows_and_trusts_nothing(stranger, ran, tmp_path, name):
    mine = tmp_path / "mine"
    mine.mkdir()
    written(mine, ran, "{eval: {secret: CANARY}}")
    (mine / "ensemble-project.yaml").write_text("CANARY: [\n")
    (mine / "secrets").mkdir()
    (mine / "secrets" / "secrets.yaml").write_text("CANARY: [\n")
    trust(mine)
    written(stranger, ran, "{eval: {secret: x}}")
    (stranger / name).unlink(missing_ok=True)
    (stranger / name).parent.mkdir(exist_ok=True)
    (stranger / name).symlink_to(mine / name)
    with pytest.raises(InvalidInput, match="leads out of the project") as raised:
        value(stranger)
    assert "CANARY" not in str(raised.value)


def test_a_project_is_where_its_file_lies(stranger, ran, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "ensemble-project.yaml").write_text("ensembles: []\n")
    (tmp_path / "mine" / "key").write_text("CANARY")
    (stranger / "ensemble-project.yaml").symlink_to("../mine/ensemble-project.yaml")
    written(stranger, ran, f"{{eval: {{file: {tmp_path}/mine/key}}, select: contents}}")
    trust(tmp_path)
    with pytest.raises(InvalidInput, match="leads out of the project"):
        value(stranger)


def git(folder, *words):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *words], cwd=folder, env=environment, check=True, capture_output=True)


def test_git_looks_into_no_submodule_of_a_stranger(stranger, ran, tmp_path):
    part = tmp_path / "part"
    part.mkdir()
    (part / ".gitattributes").write_text("* filter=evil\n")
    (part / "file").write_text("one\n")
    for folder in (part, stranger):
        git(folder, "init", "-q")
        if folder == stranger:
            git(folder, "submodule", "add", "-q", str(part), "part")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "x")
    git(stranger, "config", "status.submoduleSummary", "true")
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in ("filter.evil.clean", "core.fsmonitor"):
        git(stranger / "part", "config", key, str(script))
    (stranger / "part" / "file").write_text("two\n")
    assert dirty_files(stranger) == []
    assert not ran.exists()


def state(nothing_trusted):
    return json.loads((nothing_trusted / "ansible-ensemble" / "trust.json").read_text())["folders"]


def test_a_job_asks_about_the_ensemble_that_runs(stranger, ran, tmp_path, nothing_trusted):
    mine = tmp_path / "mine"
    mine.mkdir()
    call(mine, "trust")
    call(mine, "clone", str(stranger), "copy")
    (mine / "ensemble-project.yaml").write_text("ensembles: [{file: copy/ensemble.yaml, default: true}]\n")
    code, output = call(mine, "deploy")
    assert (code, ran.exists()) == (2, False), output
    assert f"{mine / 'copy'} is not trusted yet" in output
    code, output = call(mine, "deploy", "--approve")
    assert (code, ran.exists()) == (0, True), output
    assert state(nothing_trusted) == {str(mine): "all", str(mine / "copy"): "project"}


def test_consent_to_an_archive_is_not_for_the_folder_it_lies_in(stranger, ran, tmp_path, nothing_trusted):
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with zipfile.ZipFile(downloads / "app.csar", "w") as file:
        file.write(stranger / "service.yaml", "service.yaml")
    code, output = call(downloads, "deploy", "app.csar")
    assert (code, ran.exists()) == (2, False), output
    assert f"{downloads / 'app'} is not trusted yet" in output
    code, output = call(downloads, "deploy", "--approve", "app.csar")
    assert (code, ran.exists()) == (0, True), output
    assert state(nothing_trusted) == {str(downloads / "app"): "project"}


def test_the_question_names_each_folder_that_consent_is_for(stranger, tmp_path):
    (tmp_path / "ansible.cfg").write_text("[defaults]\n")
    (stranger / "ensemble-project.yaml").write_text("ensembles: []\n")
    code, output = call(tmp_path, "deploy", "stranger")
    assert code == 2
    assert f"{stranger} and {tmp_path} are not trusted yet" in output


def test_an_import_by_a_link_asks_for_the_folder_that_the_link_lies_in(tmp_path, nothing_trusted):
    folders = mine, strange = tmp_path / "mine", tmp_path / "strange"
    for folder in folders:
        folder.mkdir()
        (folder / "ensemble-project.yaml").write_text("ensembles: []\n")
    (mine / "site.yml").write_text("- {hosts: localhost, tasks: []}\n")
    (strange / "site.yml").symlink_to(mine / "site.yml")
    call(mine, "trust")
    code, output = call(strange, "import", "site.yml")
    assert code == 2, output
    assert f"{strange} is not trusted yet" in output
    call(strange, "import", "site.yml", "--approve")
    assert state(nothing_trusted) == {str(mine): "all", str(strange): "project"}


def test_a_broken_archive_is_told_once_and_clearly(tmp_path):
    with zipfile.ZipFile(tmp_path / "app.csar", "w") as file:
        file.writestr("../service.yaml", SERVICE)
    code, output = call(tmp_path, "deploy", "--approve", "app.csar")
    assert code == 3
    assert output.count("Error:") == 1, output
    with pytest.raises(EnsembleError):
        make_plan(str(tmp_path / "app.csar"), "deploy", {})
