from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Sensitive, is_sensitive, reveal
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.execution_settings import ExecutionSettings
from ansible_ensemble.projects.lfs_lock import LfsSettings
from ansible_ensemble.projects.vault import Vault


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_HOME", str(tmp_path / "home"))
    for name in ("ANSIBLE_VAULT_PASSWORD_FILE", "ANSIBLE_VAULT_IDENTITY_LIST"):
        monkeypatch.delenv(name, raising=False)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(
    tmp_path: Path, ensemble: str = "", project: str = "kind: Project\n", home: str = "", name: str | None = None
) -> Environment:
    if home:
        write(tmp_path / "home" / "ensemble-project.yaml", home)
    write(tmp_path / "project" / "ensemble-project.yaml", project)
    file = write(tmp_path / "project" / "web" / "ensemble.yaml", ensemble)
    data = parse_yaml(ensemble, file).data if ensemble else {}
    return load_environment(file, data, name)


def test_the_layers_in_their_order(tmp_path: Path) -> None:
    home = """
environments:
  defaults: {inputs: {home: home, project: home, environment: home, ensemble: home}}
  prod: {inputs: {home-prod: home}}
"""
    project = """
environments:
  defaults: {inputs: {project: project, environment: project, ensemble: project}}
  prod: {inputs: {environment: environment, ensemble: environment}}
"""
    ensemble = "environment: {inputs: {ensemble: ensemble}}"
    environment = load(tmp_path, ensemble, project, home, "prod")
    assert environment.name == "prod"
    assert environment.root == tmp_path / "project"
    assert environment.inputs == {
        "home": "home",
        "home-prod": "home",
        "project": "project",
        "environment": "environment",
        "ensemble": "ensemble",
    }


def test_the_ensemble_wins_in_lfs_lock_key_by_key(tmp_path: Path) -> None:
    project = "environments: {defaults: {lfs_lock: {lock: try, url: u}}, prod: {lfs_lock: {name: $environment}}}"
    ensemble = "environment: {lfs_lock: {lock: require}}"
    assert load(tmp_path, ensemble, project, name="prod").lfs_lock == LfsSettings("require", "u", "$environment")


@pytest.mark.parametrize(
    ("project", "name", "expected"),
    [
        ("environments: {a: {}}", None, ""),
        ("environments: {a: {}}\ndefault_environment: a", None, "a"),
        ("environments: {a: {}, b: {}}\ndefault_environment: a", "b", "b"),
        ("environments: {a: {}, b: {}}\ndefault_environment: a\nensembles: [{file: web, environment: b}]", None, "b"),
    ],
)
def test_which_environment_is_meant(tmp_path: Path, project: str, name: str | None, expected: str) -> None:
    write(tmp_path / "project" / "web" / "ensemble.yaml", "")
    assert load(tmp_path, project=project, name=name).name == expected


def test_an_unknown_environment_is_named_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no environment 'prdo'.*prod"):
        load(tmp_path, project="environments: {prod: {}}", name="prdo")


def test_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "here")
    monkeypatch.setenv("UNWANTED", "x")
    monkeypatch.setenv("KEPT", "kept")
    ensemble = """
environment:
  variables:
    TEXT: a b
    NUMBER: 5
    FLAG: true
    NOTHING: null
    ^SET: before
    ^NEW: alone
    +KEPT: never
    -UNWANTED: null
    OFF: false
    VERSION: 3.10
    PATHS: "${SET}/x:${ABSENT:none}"
    +FRESH: default
    FROM: {get_env: SET}
"""
    assert load(tmp_path, ensemble).variables == {
        "TEXT": "a b",
        "NUMBER": "5",
        "FLAG": "true",
        "SET": f"before{os.pathsep}here",
        "NEW": "alone",
        "FRESH": "default",
        "FROM": "here",
        "KEPT": "kept",
        "UNWANTED": None,
        "OFF": "",
        "VERSION": "3.10",
        "PATHS": f"before{os.pathsep}here/x:none",
    }


@pytest.mark.parametrize("name", ["''", "'='", "'A=B'", "'-'", "'+A=B'", "'*'", "'1x'"])
def test_impossible_variables(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"ensemble\.yaml:1"):
        load(tmp_path, "environment: {variables: {" + name + ": x}}")


def test_a_variable_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'A'"):
        assert load(tmp_path, "environment: {variables: {A: [1]}}").variables


@pytest.mark.parametrize("section", ["locals", "secrets"])
def test_values_in_our_form_and_in_unfurl_form(tmp_path: Path, section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "from the environment")
    ensemble = f"""
environment:
  {section}:
    attributes: {{own: 1, other: {{get_env: CANARY}}}}
    schema: {{}}
"""
    environment = load(tmp_path, ensemble, f"environments: {{defaults: {{{section}: {{shared: [x], own: 0}}}}}}")
    values = environment.locals if section == "locals" else environment.secrets
    assert dict(values) == {"shared": ["x"], "own": 1, "other": "from the environment"}


def test_secrets_are_sensitive(tmp_path: Path) -> None:
    environment = load(tmp_path, "environment: {secrets: {password: canary}}")
    assert isinstance(environment.secret("password"), Sensitive)
    assert isinstance(environment.secrets["password"], Sensitive)
    with pytest.raises(KeyError):
        environment.secret("missing")


def test_a_value_that_is_not_read_is_not_evaluated(tmp_path: Path) -> None:
    environment = load(tmp_path, "environment: {secrets: {good: a, bad: {get_env: NOT_THERE_AT_ALL}}}")
    assert environment.secret("good") == "a"
    with pytest.raises(InvalidInput, match="the secret has no value"):
        environment.secret("bad")


def test_encrypted_secrets(tmp_path: Path) -> None:
    vault = Vault([str(write(tmp_path / "password", "x"))])
    encrypted = vault.encrypt("canary").replace("\n", "\n        ")
    environment = load(tmp_path, f"environment:\n  secrets:\n    nested:\n      deep: !vault |\n        {encrypted}\n")
    with pytest.raises(InvalidInput, match="--vault-id"):
        environment.secret("nested")
    environment.vault = vault
    assert environment.secret("nested") == {"deep": "canary"}


def test_files_of_secrets(tmp_path: Path) -> None:
    vault = Vault([str(write(tmp_path / "password", "x"))])
    project = write(tmp_path / "project" / "secrets" / "secrets.yaml", "shared: project\nown: project\ninline: file\n")
    vault.encrypt_file(project)
    write(tmp_path / "project" / "web" / "secrets" / "secrets.yaml", "own: ensemble\n")
    environment = load(tmp_path, "environment: {secrets: {inline: layer}}")
    environment.vault = vault
    assert {name: environment.secret(name) for name in ("shared", "own", "inline")} == {
        "shared": "project",
        "own": "ensemble",
        "inline": "layer",
    }


@pytest.mark.parametrize("content", [b"- a\n", b"\xff\xfe", b"a: {\n"])
def test_wrong_files_of_secrets_are_named(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / "project" / "secrets" / "secrets.yaml", "").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"secrets\.yaml"):
        load(tmp_path).secret("x")


def test_external_ensembles(tmp_path: Path) -> None:
    write(tmp_path / "project" / "net" / "ensemble.yaml", "")
    project = """
environments:
  defaults:
    external:
      short: net
      long: {ensemble: net/ensemble.yaml, instance: router}
      unfurl: {manifest: {file: net/ensemble.yaml}, instance: "*"}
"""
    external = load(tmp_path, project=project).external
    file = tmp_path / "project" / "net" / "ensemble.yaml"
    assert {name: (item.ensemble, item.instance) for name, item in external.items()} == {
        "short": (file, ""),
        "long": (file, "router"),
        "unfurl": (file, ""),
    }


def test_what_older_ensembles_say_elsewhere(tmp_path: Path) -> None:
    ensemble = """
context: {inputs: {a: context, b: context}, locals: {l: 1}}
environment: {inputs: {b: environment}}
imports: {net: {file: ../net/ensemble.yaml, instance: router}}
spec: {env: {MODE: fast}}
"""
    environment = load(tmp_path, ensemble)
    assert environment.inputs == {"a": "context", "b": "environment"}
    assert environment.locals["l"] == 1
    assert environment.variables == {"MODE": "fast"}
    net = environment.external["net"]
    assert (net.ensemble, net.instance) == (tmp_path / "project" / "net" / "ensemble.yaml", "router")


@pytest.mark.parametrize(("name", "chosen"), [(None, "own"), ("given", "given")])
def test_an_ensemble_may_ask_for_an_environment(tmp_path: Path, name: str | None, chosen: str) -> None:
    project = "{environments: {own: {}, given: {}, default: {}}, default_environment: default}"
    assert load(tmp_path, "spec: {environment: own}", project, name=name).name == chosen


def test_how_jobs_run_is_merged_key_by_key(tmp_path: Path) -> None:
    project = "environments: {defaults: {execution: {jobs: 9, stock_modules: [copy]}}, prod: {execution: {jobs: 3}}}"
    ensemble = "environment: {execution: {jobs_per_host: 2, fast_modules: false}}"
    assert load(tmp_path, ensemble, project, name="prod").execution == ExecutionSettings(3, 2, False, ("copy",))


def test_a_wrong_setting_of_execution_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"ensemble\.yaml:2:30: jobs_per_host is 0 \(write a number of at least 1\)"):
        load(tmp_path, "environment:\n  execution: {jobs_per_host: 0}")


@pytest.mark.parametrize(
    "section",
    ["[]", "{inputs: []}", "{variables: x}", "{secrets: 1}", "{lfs_lock: []}", "{lfs_lock: {lock: maybe}}",
     "{execution: []}", "{execution: {job: 1}}", "{execution: {jobs: 0}}", "{execution: {jobs_per_host: true}}",
     "{execution: {fast_modules: 1}}", "{execution: {stock_modules: a}}", "{execution: {stock_modules: [1]}}",
     "{external: {x: 1}}", "{external: {x: {}}}", "{external: {x: {manifest: 1}}}", "{external: {x: {file: [1]}}}"],
)  # fmt: skip
def test_wrong_sections_are_errors_for_the_user(tmp_path: Path, section: str) -> None:
    with pytest.raises(InvalidInput):
        load(tmp_path, f"environment: {section}")


def test_an_ensemble_without_project_has_an_empty_environment(tmp_path: Path) -> None:
    environment: Any = load_environment(tmp_path / "ensemble.yaml", {})
    assert (environment.name, environment.inputs, environment.variables, dict(environment.locals)) == ("", {}, {}, {})
    assert environment.lfs_lock == LfsSettings()


@pytest.mark.parametrize(
    ("variables", "secrets"),
    [
        ("{X: {eval: {sensitive: canary}}}", {"canary"}),
        ("{X: {eval: {sensitive: 47114711}}}", {"47114711"}),
        ("{X: {eval: {sensitive: 4.75}}}", {"4.75"}),
        ("{^SET: {eval: {sensitive: canary}}}", {"canary", f"canary{os.pathsep}here"}),
        ("{X: {eval: {sensitive: canary}}, Y: '${X}-more'}", {"canary", "canary-more"}),
        ("{X: {eval: {sensitive: canary}}, -X: null}", {"canary"}),
        ("{+ABSENT: {eval: {sensitive: canary}}}", {"canary"}),
        ("{SET: plain}", set()),
    ],
)
def test_sensitive_variables_are_told_with_what_they_are_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: str, secrets: set[str]
) -> None:
    monkeypatch.setenv("SET", "here")
    environment = load(tmp_path, "environment: {variables: " + variables + "}")
    assert {str(reveal(value)) for _name, value in environment.sensitive_variables} == secrets
    assert not any("REDACTED" in str(reveal(value)) for value in environment.variables.values())


def test_encrypted_variables_are_sensitive(tmp_path: Path) -> None:
    vault = Vault([str(write(tmp_path / "password", "x"))])
    encrypted = vault.encrypt("canary").replace("\n", "\n      ")
    environment = load(tmp_path, f"environment:\n  variables:\n    X: !vault |\n      {encrypted}\n")
    environment.vault = vault
    assert ("X", "canary") in environment.sensitive_variables
    assert is_sensitive(environment.variables["X"])


def test_a_connection_may_be_the_name_of_another_one(tmp_path: Path) -> None:
    project = """
environments:
  defaults: {connections: {cloud: {type: A}, same: cloud, there: "prod:cloud", chain: there}}
  prod: {connections: {cloud: {type: B}}}
"""
    found = load(tmp_path, project=project).connections
    assert found == {"cloud": {"type": "A"}, "same": {"type": "A"}, "there": {"type": "B"}, "chain": {"type": "B"}}


@pytest.mark.parametrize("other", ["nix", "prod:nix", "nix:cloud", "here"])
def test_a_connection_that_names_no_other_one_is_an_error(tmp_path: Path, other: str) -> None:
    with pytest.raises(InvalidInput, match="the connection 'here' is"):
        load(tmp_path, f"environment: {{connections: {{here: '{other}'}}}}")
