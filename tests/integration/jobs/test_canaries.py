"""Each source of a secret, each output: two jobs that use them all, and nothing that shows or keeps one in clear."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.preloaded import PROGRAMS, run

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Made:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string, metadata: {sensitive: true}}}
topology_template:
  inputs: {word: {type: string, metadata: {sensitive: true}}}
  node_templates:
    file:
      type: ansible.Resource
      properties:
        module: ansible.builtin.copy
        args: {dest: FOLDER/target, content: {concat: ["user=web\\nkey=", {get_input: word}, "\\n"]}}
    own: {type: ansible.Resource, properties: {module: mine, args: {password: canary-own-module}}}
    program: {type: ansible.Resource, properties: {module: binary, args: {anything: canary-of-program}}}
    role: {type: ansible.Role, properties: {role: talks, inventory_host: localhost}}
    shell:
      properties: {token: {eval: {secret: of_environment}}}
      interfaces:
        Standard:
          operations:
            create: {implementation: 'echo "$token"', inputs: {token: {get_property: [SELF, token]}}}
    made:
      type: Made
      interfaces:
        Standard:
          operations:
            create:
              implementation: 'echo "{\\"made\\": \\"canary-${X:-made}-by-job\\"}"'
              outputs: {made: [SELF, made]}
    plain:
      interfaces:
        Standard: {operations: {create: {implementation: "echo $URL", inputs: {URL: {eval: {sensitive: URL}}}}}}
  outputs: {made: {value: {get_attribute: [made, made]}}, word: {value: {get_input: word}}}
"""
URL = "https://me:canary-in-url@example.com/x?token=canary-of-query"
ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
environment: {secrets: {of_environment: {get_env: CANARY}}}
spec: {service_template: service.yaml}
"""
MODULE = """\
#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule(argument_spec=dict(password=dict(no_log=True)), supports_check_mode=True)
module.exit_json(changed=True, told=module.params["password"])
"""
PROGRAM = """\
#!/bin/sh
printf '{"changed": true, "told": "%s"}' "$(tr -dc a-z=- < "$1")"
"""
TALKS = """\
- ansible.builtin.debug: {msg: "{{ inline }} {{ file.deep }} {{ of_role }}"}
- ansible.builtin.include_vars: {file: FOLDER/included.yml}
- ansible.builtin.debug: {var: included}
- ansible.builtin.copy: {dest: FOLDER/of_role, content: "a={{ inline }}"}
"""
SOURCES = {
    "a sensitive input": ["canary-input-1st", "canary-input-2nd"],
    "no_log of a module without documentation": ["canary-own-module"],
    "a module that is a program": ["canary-of-program"],
    "a value of the inventory in the vault": ["canary-of-vault"],
    "a file of the inventory in the vault": ["canary-of-file"],
    "variables of a role in the vault": ["canary-of-role"],
    "included variables in the vault": ["canary-of-include"],
    "secrets of an environment": ["canary-of-environment"],
    "an output of an operation": ["canary-made-by-job"],
    "a sensitive URL": ["canary-in-url", "canary-of-query"],
}


def call(folder: Path, *words: str) -> str:
    env = {**os.environ, "CANARY": "canary-of-environment", "TMPDIR": str(folder.parent / "temporary")}
    done = run([PROGRAMS / "ansible-ensemble", *words], cwd=folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def encrypt(folder: Path, text: str) -> str:
    words = ["ansible-vault", "encrypt_string", "--vault-password-file", "../pass", text]
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout


def written(folder: Path) -> None:
    for name in ("library", "roles/talks/tasks", "roles/talks/vars", "group_vars", "host_vars"):
        (folder / name).mkdir(parents=True)
    (folder.parent / "temporary").mkdir()
    (folder.parent / "pass").write_text("password\n")
    service = SERVICE.replace("FOLDER", str(folder.parent)).replace("sensitive: URL", f'sensitive: "{URL}"')
    (folder / "service.yaml").write_text(service)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    (folder / "inventory.ini").write_text(
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}\n"
    )
    (folder / "library/mine.py").write_text(MODULE)
    (folder / "library/binary").write_text(PROGRAM)
    (folder / "roles/talks/tasks/main.yml").write_text(TALKS.replace("FOLDER", str(folder.parent)))
    (folder / "roles/talks/vars/main.yml").write_text(f"of_role: {encrypt(folder, 'canary-of-role')}")
    (folder / "group_vars/all.yml").write_text(f"inline: {encrypt(folder, 'canary-of-vault')}")
    files = {folder / "host_vars/localhost.yml": "file: {deep: canary-of-file}\n"}
    files[folder.parent / "included.yml"] = "included: [canary-of-include]\n"
    for file, text in files.items():
        file.write_text(text)
        words = ["ansible-vault", "encrypt", "--vault-password-file", str(folder.parent / "pass"), str(file)]
        subprocess.run(words, check=True, capture_output=True)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All that is shown and kept, by what it is."""
    folder = tmp_path_factory.mktemp("canaries") / "project"
    folder.mkdir()
    written(folder)
    for words in (
        ["init", "-q"],
        ["config", "user.name", "a"],
        ["config", "user.email", "a@example.com"],
        ["add", "-A"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "Begin"], cwd=folder, check=True)
    own = {file for file in folder.rglob("*") if file.is_file() and file.name != "ensemble.yaml"}
    common = ("-i", "inventory.ini", "--vault-password-file", "../pass")
    first, second = ("--input", "word=canary-input-1st"), ("--input", "word=canary-input-2nd")
    shown = {"plan": call(folder, "plan", *common, *first, "--out", "../plan.json")}
    logged = ("--log-file", "../log", "--commit")
    shown["deploy"] = call(folder, "deploy", "-a", "-vvv", "--diff", *common, *first, *logged)
    shown["plan of a change"] = call(folder, "plan", *common, *second, "--output", "json")
    more = ("--output", "json", "--junit", "../junit.xml", "--dirty", "ok")
    shown["JSON"] = call(folder, "deploy", "-a", "--force", "--diff", *common, *second, *more)
    shown["markdown"] = call(folder, "check", *common, "--diff", "--output", "markdown")
    for words in (
        ["status"],
        ["outputs"],
        ["history"],
        ["graph", "--format", "html"],
        ["query", "::made::made"],
    ):
        shown[" ".join(words)] = call(folder, *words, *(() if words == ["history"] else common[2:]))
    for name in ("plan.json", "log", "junit.xml"):
        shown[name] = (folder.parent / name).read_text()
    kept = [file for file in folder.rglob("*") if file.is_file() and file not in own and ".git" not in file.parts]
    kept += [file for file in (folder.parent / "temporary").rglob("*") if file.is_file()]
    shown |= {str(file.relative_to(folder.parent)): file.read_bytes().decode("utf-8", "replace") for file in kept}
    words = ["git", "log", "-p", "--", "ensemble.yaml", "changes", "jobs", "jobs.tsv", "active"]
    shown["git"] = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    return shown


@pytest.mark.parametrize("source", SOURCES)
def test_no_output_shows_a_secret(outputs: dict[str, str], source: str) -> None:
    found = {name for name, text in outputs.items() for canary in SOURCES[source] if canary in text}
    assert not found
