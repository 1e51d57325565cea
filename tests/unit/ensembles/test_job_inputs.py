from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, mark_sensitive, redact
from ansible_ensemble.ensembles.job_inputs import (
    given_inputs,
    given_variables,
    options_of_job,
    recorded_options,
    recorded_values,
    remove_secret_inputs,
    remove_stale_inputs,
    save_secret_inputs,
    saved_secret_inputs,
)
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    password: {type: string, required: false, metadata: {sensitive: true}}
    pin: {type: integer, required: false, metadata: {sensitive: true}}
    port: {type: integer, required: false}
"""
INPUTS = {"password": "canary", "pin": 4711, "port": 80}


@pytest.fixture
def topology(tmp_path: Path) -> Topology:
    file = tmp_path / "service.yaml"
    file.write_text(SERVICE)
    return load_topology(file)


@pytest.fixture
def codec(tmp_path: Path) -> SecretCodec:
    password = tmp_path / "password"
    password.write_text("open sesame")
    return SecretCodec(Vault([str(password)]))


def test_without_a_vault_sensitive_inputs_are_redacted_in_records(topology: Topology) -> None:
    options = JobOptions(inputs=INPUTS, vault_ids=["x@y"], lock_timeout=5.0)
    recorded = recorded_options(options, topology, SecretCodec())
    assert recorded == {"inputs": {"password": REDACTED, "pin": REDACTED, "port": 80}}
    with pytest.raises(InvalidInput, match="'password' was not kept"):
        given_inputs(JobOptions.from_mapping(recorded), SecretCodec())


def test_with_a_vault_they_are_encrypted_and_come_back_marked(topology: Topology, codec: SecretCodec) -> None:
    recorded = recorded_options(JobOptions(inputs=INPUTS), topology, codec)
    assert "canary" not in str(recorded)
    assert "4711" not in str(recorded)
    inputs = given_inputs(JobOptions(inputs=recorded_values(recorded, "inputs")), codec)
    assert inputs == INPUTS
    assert is_sensitive(inputs["password"])
    assert not is_sensitive(inputs["port"])


def test_variables_that_set_inputs_are_inputs(topology: Topology) -> None:
    options = JobOptions(variables={"input_password": "canary", "input_port": 81, "other": 1}, inputs={"port": 80})
    assert given_inputs(options, SecretCodec()) == {"password": "canary", "port": 81}
    recorded = recorded_options(options, topology, SecretCodec())
    assert recorded == {
        "inputs": {"port": 80, "password": REDACTED},
        "variables": {"input_port": 81, "other": 1},
    }


def test_handing_over(topology: Topology, tmp_path: Path) -> None:
    planned = tmp_path / "planned"
    options = JobOptions(inputs={"port": 80, "password": "canary"}, variables={"input_pin": 4711})
    save_secret_inputs(planned, options, topology, SecretCodec(), plan="d1")
    [file] = planned.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert saved_secret_inputs(planned) == {"inputs": {"password": "canary", "pin": 4711}, "variables": {}}
    assert is_sensitive(saved_secret_inputs(planned)["inputs"]["pin"])
    recorded = recorded_options(options, topology, SecretCodec())
    job = options_of_job(recorded, {"message": "hello"}, planned)
    assert job.inputs == INPUTS
    assert job.message == "hello"
    remove_stale_inputs(planned, "d1")
    assert options_of_job(recorded, {}, planned).inputs == INPUTS
    remove_stale_inputs(planned, "d2")  # another plan is carried out: its job gets nothing of this one's
    assert options_of_job(recorded, {}, planned).inputs == {"port": 80}
    remove_secret_inputs(planned)
    assert saved_secret_inputs(planned) == {"inputs": {}, "variables": {}}
    # what nobody can tell any more is left out, so that the job can be recorded all the same
    assert options_of_job(recorded, {}, planned).inputs == {"port": 80}


def test_inputs_of_workflows_are_as_secret_as_they_say(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {workflows: {rotate: {inputs: {key: "
        "{type: string, metadata: {sensitive: true}}, port: {type: integer}}}}}\n"
    )
    topology, planned = load_topology(file), tmp_path / "planned"
    options = JobOptions(inputs={"port": 80}, variables={"input_key": "canary"})
    recorded = recorded_options(options, topology, SecretCodec())
    assert recorded == {"inputs": {"port": 80, "key": REDACTED}}
    save_secret_inputs(planned, options, topology, SecretCodec(), plan="d1")
    assert options_of_job(recorded, {}, planned).inputs == {"port": 80, "key": "canary"}


def test_variables_whose_names_say_so_are_secret(topology: Topology, tmp_path: Path) -> None:
    planned = tmp_path / "planned"
    options = JobOptions.from_mapping({"variables": {"ansible_become_pass": "canary", "port": 80}})
    assert is_sensitive(given_variables(options, SecretCodec())["ansible_become_pass"])
    recorded = recorded_options(options, topology, SecretCodec())
    assert recorded == {"variables": {"ansible_become_pass": REDACTED, "port": 80}}
    save_secret_inputs(planned, options, topology, SecretCodec(), plan="d1")
    assert options_of_job(recorded, {}, planned).variables == {"ansible_become_pass": "canary", "port": 80}
    remove_secret_inputs(planned)
    assert options_of_job(recorded, {}, planned).variables == {"port": 80}
    with pytest.raises(InvalidInput, match="variable 'ansible_become_pass' was not kept"):
        given_inputs(JobOptions.from_mapping(recorded), SecretCodec())


def test_what_is_given_encrypted_is_opened_once(topology: Topology, codec: SecretCodec, tmp_path: Path) -> None:
    closed = codec.for_yaml({"password": mark_sensitive("canary")})
    options = JobOptions(inputs=closed, variables={"db_password": closed["password"], "login_secret": dict(closed)})
    recorded = recorded_options(options, topology, codec)
    assert "canary" not in str(recorded)
    save_secret_inputs(tmp_path / "planned", options, topology, codec, plan="d1")
    saved = {kind: recorded_values(recorded, kind) for kind in ("inputs", "variables")}
    for job in (JobOptions.from_mapping(saved), options_of_job(recorded, {}, tmp_path / "planned")):
        assert given_inputs(job, codec) == {"password": "canary"}
        variables = given_variables(job, codec)
        assert variables == {"db_password": "canary", "login_secret": {"password": "canary"}}
        assert all(map(is_sensitive, variables.values()))
    # without the password it is told by whoever needs the value
    assert recorded_options(JobOptions(inputs=closed), topology, SecretCodec()) == {
        "inputs": SecretCodec().for_json(closed)
    }


def test_nothing_secret_is_handed_over_as_nothing(topology: Topology, tmp_path: Path) -> None:
    save_secret_inputs(tmp_path / "planned", JobOptions(inputs={"port": 80}), topology, SecretCodec(), plan="d1")
    assert not (tmp_path / "planned").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("{}", "it has no plan"),
        ('{"plan": "d", "inputs": [], "variables": 1}', "inputs is not a map"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_damaged_file_is_an_error_in_order(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "given.json").write_text(text)
    with pytest.raises(InvalidInput, match=said):
        saved_secret_inputs(tmp_path)


FIELDS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string, required: false}
      pw: {type: string, required: false, metadata: {sensitive: true}}
topology_template:
  inputs:
    cred: {type: Login, required: false}
    creds: {type: list, entry_schema: {type: Login}, required: false}
    by_name: {type: map, entry_schema: {type: Login}, required: false}
  workflows: {rotate: {inputs: {next: {type: Login}}}}
"""
LOGIN, HIDDEN = {"user": "joe", "pw": "canary"}, {"user": "joe", "pw": REDACTED}


@pytest.mark.parametrize("prefix", ["", "input_"])
@pytest.mark.parametrize(
    ("name", "value", "recorded"),
    [
        ("cred", LOGIN, HIDDEN),
        ("creds", [LOGIN, LOGIN], [HIDDEN, HIDDEN]),
        ("by_name", {"one": LOGIN, "__sensitive": LOGIN}, {"one": HIDDEN, "__sensitive": HIDDEN}),
        ("next", LOGIN, HIDDEN),
        ("cred", "user=joe pw=canary", REDACTED),
    ],
)
def test_sensitive_fields_are_kept_apart(tmp_path: Path, prefix: str, name: str, value: Any, recorded: Any) -> None:
    file, planned, password = tmp_path / "service.yaml", tmp_path / "planned", tmp_path / "password"
    password.write_text("open sesame")
    codec = SecretCodec(Vault([str(password)]))
    file.write_text(FIELDS)
    topology = load_topology(file)
    options = JobOptions.from_mapping({"variables" if prefix else "inputs": {prefix + name: value}})
    without = recorded_options(options, topology, SecretCodec())
    assert without == {"inputs": {name: recorded}}
    with pytest.raises(InvalidInput, match=f"'{name}' was not kept"):
        given_inputs(JobOptions.from_mapping(without), SecretCodec())
    sealed = recorded_options(options, topology, codec)
    assert "canary" not in str(sealed)
    opened = given_inputs(JobOptions(inputs=recorded_values(sealed, "inputs")), codec)
    save_secret_inputs(planned, options, topology, SecretCodec(), plan="d1")
    handed = options_of_job(without, {}, planned).inputs
    assert handed == opened == {name: value}
    assert redact(handed) == redact(opened) == {name: recorded}
    remove_secret_inputs(planned)
    assert options_of_job(without, {}, planned).inputs == {}


def test_a_map_with_the_key_of_the_mark_is_handed_over_whole(topology: Topology, tmp_path: Path) -> None:
    given = {"__sensitive": {"__sensitive": 1}}
    save_secret_inputs(tmp_path, JobOptions(inputs={"password": given, "port": 80}), topology, SecretCodec(), plan="d1")
    assert saved_secret_inputs(tmp_path) == {"inputs": {"password": given}, "variables": {}}


def test_passwords_and_the_like_are_those_of_the_call(tmp_path: Path) -> None:
    recorded = {"push": True, "vault_password_file": "theirs.sh", "vault_ids": ["theirs.sh"], "vault": "theirs"}
    job = options_of_job(recorded, {"vault_password_file": "mine"}, tmp_path)
    assert job == JobOptions(push=True, vault_password_file="mine")
    assert job.vault is None
