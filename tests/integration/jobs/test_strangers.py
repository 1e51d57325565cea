"""Looking at a stranger's project runs nothing of it; a job runs it once the user agreed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import zipfile

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.jobs.inspection import query, validate
from tests.preloaded import PROGRAMS, run

pytestmark = pytest.mark.usefixtures("nothing_trusted")

LOOKS = (
    ["validate"],
    ["status"],
    ["outputs"],
    ["plan"],
    ["graph"],
    ["history"],
    ["query", "::app::.status"],
)
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
metadata: {template_name: app, template_version: "1.0"}
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {text: {type: string, default: plain}}
    interfaces:
      Standard:
        operations:
          create: {implementation: ansible.builtin.debug, inputs: {msg: {get_property: [SELF, text]}}}
topology_template:
  node_templates:
    app: {type: App}
  outputs:
    text: {value: {get_property: [app, text]}}
"""
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"


@pytest.fixture
def ran(tmp_path):
    """A file that is made by whatever must not run."""
    return tmp_path / "ran"


@pytest.fixture
def stranger(tmp_path, ran):
    folder = tmp_path / "stranger"
    folder.mkdir()
    (folder / "service.yaml").write_text(SERVICE)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    return folder


def call(folder, *words, **environment):
    env = {**os.environ, "ANSIBLE_LOCALHOST_WARNING": "False", **environment}
    done = run([PROGRAMS / "ansible-ensemble", *words], cwd=folder, env=env)
    return done.returncode, done.stdout + done.stderr


def script(path, ran, answer="word"):
    path.write_text(f"#!/bin/sh\ntouch {ran}\necho {answer}\n")
    path.chmod(0o755)
    return path


def evil_settings(folder, ran):
    script(folder / "password.sh", ran)
    (folder / "plugins").mkdir()
    (folder / "plugins" / "evil.py").write_text(
        f"open({str(ran)!r}, 'w')\nclass FilterModule:\n    def filters(self): return {{'evil': str}}\n"
    )
    (folder / "filter_plugins").symlink_to("plugins")
    script(folder / "hosts.sh", ran, "'{}'")
    (folder / "ansible.cfg").write_text(
        "[defaults]\nvault_password_file=./password.sh\nfilter_plugins=./plugins\ncallback_plugins=./plugins\n"
        "inventory=./hosts.sh\nlookup_plugins=./plugins\n"
    )


def test_looking_heeds_no_settings_of_an_untrusted_folder(stranger, ran):
    evil_settings(stranger, ran)
    text = SERVICE.replace("default: plain", "default: '{{ 20 + 1 }}'")
    (stranger / "service.yaml").write_text(text)
    for words in LOOKS:
        code, output = call(stranger, *words)
        assert (code, ran.exists()) == (0, False), (words, output)
    assert "is not trusted" in call(stranger, "status")[1]


def test_a_trusted_folder_works_as_ansible_does(stranger, ran):
    evil_settings(stranger, ran)
    assert call(stranger, "trust")[0] == 0
    code, output = call(stranger, "status")
    assert (code, ran.exists()) == (0, True), output
    assert "not trusted" not in output


def test_trust_is_listed_and_withdrawn(stranger, ran):
    evil_settings(stranger, ran)
    call(stranger, "trust")
    assert str(stranger) in call(stranger, "trust", "--list")[1]
    assert call(stranger, "trust", "--remove")[0] == 0
    call(stranger, "status")
    assert not ran.exists()
    assert call(stranger, "trust", "--remove")[0] == 3


@pytest.mark.parametrize(
    "template",
    [
        "{{ lookup('pipe', 'touch RAN') }}",
        "{{ query('ansible.builtin.pipe', 'touch RAN') | first }}",
        "{{ q('pipe', 'touch RAN') is defined }}",
        "{{ ['touch RAN'] | map('evil') | list }}",
        "{{ 'x' | evil }}",
        "{{ '/etc/passwd' is file }}",
        "{{ '/etc/*' | ansible.builtin.fileglob }}",
        "{{ '$HOME' | expandvars }}",
        "{{ 'sh' | which }}",
        "{% include 'ensemble.yaml' %}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ some_host_variable | default('wrong') }}",
        {"eval": {"lookup": {"pipe": "touch RAN"}}},
        {"eval": {"python": "evil.py#run"}},
        {"eval": {"python": "os.getcwd"}},
        {"eval": {"template": "{{ lookup('pipe', 'touch RAN') }}"}},
    ],
    ids=str,
)
def test_templates_compute_and_reach_nothing(stranger, ran, template):
    written = json.dumps(template).replace("RAN", str(ran))
    (stranger / "service.yaml").write_text(SERVICE.replace("default: plain", f"default: {written}"))
    (stranger / "filter_plugins").mkdir()
    (stranger / "filter_plugins" / "evil.py").write_text(f"open({str(ran)!r}, 'w')\n")
    (stranger / "evil.py").write_text(f"open({str(ran)!r}, 'w')\ndef run(): return 1\n")
    with pytest.raises(InvalidInput):
        query(str(stranger), "::app::text", None, {})
    assert not ran.exists()


def test_expressions_of_a_stranger_write_nothing(stranger, ran):
    default = "{eval: {file: written, contents: x}, select: path}"
    (stranger / "service.yaml").write_text(SERVICE.replace("default: plain", f"default: {default}"))
    code, output = call(stranger, "plan")
    assert code == 0, output
    assert not (stranger / "written").exists()


def test_templates_that_compute_have_their_value(stranger):
    default = '\'{{ [3, 1] | sort | map("string") | join("-") | regex_replace("-", "+") }}\''
    (stranger / "service.yaml").write_text(SERVICE.replace("default: plain", f"default: {default}"))
    assert call(stranger, "query", "::app::text") == (0, "1+3\n")


def test_a_python_template_is_not_read(stranger, ran):
    (stranger / "service.py").write_text(f"import tosca\nopen({str(ran)!r}, 'w')\n")
    (stranger / "ensemble.yaml").write_text(ENSEMBLE.replace("service.yaml", "service.py"))
    for words in (["validate", "service.py"], ["validate"], ["plan"], ["status"]):
        code, output = call(stranger, *words)
        assert code == 3, output
        assert "not trusted" in output
    assert not ran.exists()


def git(folder, *words):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", *identity, *words], cwd=folder, env=environment, check=True, capture_output=True)


def evil_repository(folder, ran):
    run = script(folder.parent / "run.sh", ran)
    git(folder, "init", "-q")
    (folder / ".gitattributes").write_text("*.yaml filter=evil diff=evil\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    git(folder, "remote", "add", "origin", str(folder.parent / "other"))
    git(folder, "init", "-q", "--bare", str(folder.parent / "other"))
    git(folder, "push", "-q", "-u", "origin", "HEAD")
    for key, value in {
        "core.fsmonitor": run,
        "core.sshCommand": run,
        "filter.evil.clean": run,
        "filter.evil.process": run,
        "filter.evil.required": "true",
        "diff.evil.textconv": run,
        "diff.evil.command": run,
        "diff.external": run,
        "remote.origin.uploadpack": run,
        "remote.origin.receivepack": run,
        "credential.helper": f"!{run}",
        "core.hooksPath": folder.parent,
        "core.alternateRefsCommand": run,
        "log.showSignature": "true",
        "gpg.program": run,
    }.items():
        git(folder, "config", key, str(value))
    for hook in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction"):
        script(folder.parent / hook, ran)
    (folder / "service.yaml").touch()


def test_git_runs_nothing_that_a_strange_repository_names(stranger, ran):
    evil_repository(stranger, ran)
    for words in (*LOOKS, ["recover"], ["clone", ".", "../copy"], ["show", "A0000000"], ["validate", "service.yaml"]):
        call(stranger, *words)
        assert not ran.exists(), words


def archive(tmp_path, folder):
    path = tmp_path / "app.csar"
    with zipfile.ZipFile(path, "w") as file:
        for one in sorted(folder.rglob("*")):
            if one.is_file():
                entry = zipfile.ZipInfo(str(one.relative_to(folder)))
                entry.create_system = 3
                entry.external_attr = (stat.S_IFREG | 0o4755) << 16
                file.writestr(entry, one.read_bytes())
    return path


def test_an_archive_brings_no_repository(stranger, ran, tmp_path):
    (stranger / "ensemble.yaml").unlink()
    evil_repository(stranger, ran)
    (stranger / ".GIT").mkdir()
    (stranger / ".GIT" / "config").write_text("")
    ran.unlink(missing_ok=True)
    path = archive(tmp_path, stranger)
    assert call(tmp_path, "validate", str(path))[0] == 0
    code, output = call(tmp_path, "clone", str(path), "copy")
    assert code == 0, output
    assert not (tmp_path / "copy" / ".GIT").exists()
    config = (tmp_path / "copy" / ".git" / "config").read_text()
    assert "fsmonitor" not in config
    assert stat.S_IMODE((tmp_path / "copy" / "service.yaml").stat().st_mode) & stat.S_ISUID == 0
    for words in LOOKS:
        call(tmp_path / "copy", *words)
    code, output = call(tmp_path / "copy", "deploy", "--approve", "--dirty", "ok")
    assert (code, ran.exists()) == (0, False), output


def test_a_copied_folder_brings_no_repository_within(stranger, tmp_path):
    (stranger / "sub" / ".git").mkdir(parents=True)
    (stranger / "sub" / ".git" / "config").write_text("[core]\nfsmonitor = evil\n")
    code, output = call(tmp_path, "clone", str(stranger), "copy")
    assert code == 0, output
    assert not (tmp_path / "copy" / "sub" / ".git").exists()


def test_a_clone_is_strange_even_in_a_trusted_project(stranger, ran, tmp_path):
    evil_settings(stranger, ran)
    mine = tmp_path / "mine"
    mine.mkdir()
    call(mine, "trust")
    code, output = call(mine, "clone", str(stranger), "copy")
    assert code == 0, output
    assert call(mine / "copy", "status")[0] == 0
    assert not ran.exists()


def test_a_job_needs_consent_and_keeps_it(stranger, ran):
    evil_settings(stranger, ran)
    for words in (["deploy"], ["check"], ["run", "--", "true"], ["plan", "--check"]):
        code, output = call(stranger, *words)
        assert (code, ran.exists()) == (2, False), output
        assert "not trusted" in output
    code, output = call(stranger, "deploy", "--approve")
    assert (code, ran.exists()) == (0, True), output
    ran.unlink()
    code, output = call(stranger, "status")
    assert (code, ran.exists()) == (0, True), output


def test_the_first_deploy_of_a_saved_plan_needs_consent(stranger):
    (stranger / "ensemble.yaml").unlink()
    code, output = call(stranger, "plan", "service.yaml", "--out", "plan.json")
    assert code == 0, output
    code, output = call(stranger, "deploy", "plan.json")
    assert code == 2, output
    assert f"{stranger} is not trusted yet" in output
    assert not (stranger / "ensemble.yaml").exists()
    code, output = call(stranger, "deploy", "plan.json", "--approve")
    assert code == 0, output


def test_a_saved_plan_of_what_is_gone_is_refused_before_consent(stranger):
    assert call(stranger, "plan", "--out", "plan.json")[0] == 0
    (stranger / "ensemble.yaml").unlink()
    code, output = call(stranger, "deploy", "plan.json", "--approve")
    assert code == 3, output
    assert f"plan.json is a plan of {stranger / 'ensemble.yaml'}, which is not there" in output
    assert "No folder" in call(stranger, "trust", "--list")[1]


@pytest.mark.parametrize("words", [["deploy"], ["deploy", "--approve"], ["check", "no/such"], ["plan", "--check"]])
def test_where_nothing_is_there_is_nothing_to_trust(tmp_path, words):
    code, output = call(tmp_path, *words)
    assert code == 3, output
    assert "there is no " in output
    assert "trust" not in output
    assert "No folder" in call(tmp_path, "trust", "--list")[1]


def test_consent_by_the_environment_is_consent(stranger):
    code, output = call(stranger, "deploy", ANSIBLE_ENSEMBLE_APPROVE="1")
    assert code == 0, output
    code, output = call(stranger, "check", ANSIBLE_ENSEMBLE_APPROVE="1")
    assert code == 0, output


def test_consent_to_a_project_in_the_working_directory_is_for_its_settings(stranger, ran, tmp_path):
    evil_settings(tmp_path, ran)
    (stranger / "ensemble-project.yaml").write_text("ensembles: []\n")
    code, output = call(tmp_path, "deploy", "--approve", "stranger")
    assert (code, ran.exists()) == (0, True), output


def test_consent_to_a_project_elsewhere_is_not_for_the_settings_here(stranger, ran, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    evil_settings(here, ran)
    code, output = call(here, "deploy", "--approve", str(stranger))
    assert (code, ran.exists()) == (0, False), output


def test_what_init_makes_is_trusted(tmp_path):
    call(tmp_path, "init", "mine")
    assert "mine" in call(tmp_path, "trust", "--list")[1]


def test_everybodys_folder_has_no_settings(stranger, ran):
    evil_settings(stranger, ran)
    call(stranger, "trust")
    stranger.chmod(0o777)
    for words in LOOKS:
        code, output = call(stranger, *words)
        assert (code, ran.exists()) == (0, False), (words, output)
    assert "world-writable" in call(stranger, "status")[1]


@pytest.mark.parametrize(
    "spec",
    [
        "{service_template: ../token}",
        "{service_template: link.yaml}",
        "{service_template: {+include: ../token}}",
        "{service_template: {tosca_definitions_version: VERSION, imports: [../token]}}",
        "{service_template: {tosca_definitions_version: VERSION, imports: [link.yaml]}}",
        "{service_template: {tosca_definitions_version: VERSION, imports: [{file: token, repository: r}]}}",
    ],
)
def test_no_error_shows_a_file_outside_of_the_project(stranger, spec):
    (stranger.parent / "token").write_text("glpat-CANARY1234567890")
    (stranger / "link.yaml").symlink_to("../token")
    spec = spec.replace("VERSION", "tosca_simple_yaml_1_3")
    environment = "environment: {repositories: {r: {url: '..'}}}\n"
    header = ENSEMBLE.partition("spec:")[0]
    (stranger / "ensemble.yaml").write_text(f"{header}{environment}spec: {spec}\n")
    found = validate([str(stranger)], {})
    assert not found["valid"]
    assert "CANARY" not in str(found)
    with pytest.raises(InvalidInput) as raised:
        query(str(stranger), "::app::text", None, {})
    assert "CANARY" not in str(raised.value)
