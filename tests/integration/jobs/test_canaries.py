"""Each source of a secret, each output: two jobs that use them all, and nothing that shows or keeps one in clear."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.preloaded import PROGRAMS, run

COMMAND = (PROGRAMS / "ansible-ensemble",)
STRACE = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=execve", "-s", "100000", "-o", "../trace")
OF_A_PROCESS = "command line"
TRACED = (*(STRACE if shutil.which("strace") else ()), *COMMAND)

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
    keywords:
      type: ansible.Resource
      properties:
        module: ansible.builtin.shell
        args: {cmd: "echo $OF_KEYWORD $TOKEN"}
        keywords: {environment: {OF_KEYWORD: {eval: {secret: of_keyword}}, TOKEN: canary-named-token}}
    other_user:
      type: ansible.Resource
      properties:
        module: ansible.builtin.command
        inventory_host: localhost
        args: {cmd: id}
        keywords: {become: true, become_method: su}
    fetched:
      type: ansible.Resource
      properties:
        module: ansible.builtin.uri
        args: {url: "http://me:canary-of-user@127.0.0.1:PORT/?token=canary-of-argument", return_content: true}
STACK  outputs: {made: {value: {get_attribute: [made, made]}}, word: {value: {get_input: word}}}
"""
URL = "https://me:canary-in-url@example.com/x?token=canary-of-query"
ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
environment: {secrets: {of_environment: {get_env: CANARY}, of_keyword: {get_env: OF_KEYWORD}}}
spec: {service_template: service.yaml}
"""
MODULE = """\
#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
spec = dict(password=dict(no_log=True), fail=dict(type="bool"))
module = AnsibleModule(argument_spec=spec, supports_check_mode=True)
if module.params["fail"]:
    module.fail_json(msg="refused: " + module.params["password"], cmd="login " + module.params["password"])
module.exit_json(changed=True, told=module.params["password"])
"""
PROGRAM = """\
#!/bin/sh
printf '{"changed": true, "told": "%s"}' "$(tr -dc a-z=- < "$1")"
"""
TALKS = """\
- ansible.builtin.debug: {msg: "{{ inline }} {{ file.deep }} {{ of_role }}"}
- ansible.builtin.debug: {msg: "{{ ansible_become_password }} {{ ansible_password }}"}
- ansible.builtin.include_vars: {file: FOLDER/included.yml}
- ansible.builtin.debug: {var: included}
- ansible.builtin.copy: {dest: FOLDER/of_role, content: "a={{ inline }}"}
- ansible.builtin.set_fact: {joined: "x-{{ inline }}-y", encoded: "{{ inline | b64encode }}"}
- ansible.builtin.debug: {msg: "{{ joined }} {{ encoded }}"}
- ansible.builtin.command: {cmd: printenv WORD}
  environment: {WORD: "{{ inline }} {{ lookup('ansible.builtin.unvault', 'FOLDER/unvaulted') | trim }}"}
  register: ran
- ansible.builtin.debug: {var: ran}
- ansible.builtin.template: {src: conf.j2, dest: FOLDER/of_template}
- mine: {password: "{{ 'canary' ~ '-of-a-failure' }}", fail: true}
  ignore_errors: true
- mine: {password: "{{ 'canary' ~ '-in-a-role' }}"}
  register: told
- ansible.builtin.debug: {var: told.told}
- ansible.builtin.uri:
    url: "http://me:{{ 'canary' ~ '-within-url' }}@127.0.0.1:PORT/?sig={{ 'canary' ~ '-within-query' }}"
  register: answered
- ansible.builtin.debug: {msg: "{{ answered.url }} {{ 'canary' ~ '-within-url' }}"}
"""
STACK = """\
    stack:
      type: terraform.Module
      properties: {source: stack, variables: {word: {get_input: word}}}
"""
MAIN = """\
variable "word" { type = string }
resource "terraform_data" "made" { input = join("-", ["canary", "of", "terraform"]) }
resource "terraform_data" "given" { input = var.word }
output "made" {
  value     = terraform_data.made.output
  sensitive = true
}
output "given" {
  value     = terraform_data.given.output
  sensitive = true
}
"""
CODED = base64.b64encode(b"canary-of-vault").decode()
SOURCES = {
    "a sensitive input": ["canary-input-1st", "canary-input-2nd"],
    "an answer to a survey of AWX": ["canary-of-survey"],
    "no_log of a module without documentation": ["canary-own-module"],
    "a module that is a program": ["canary-of-program"],
    "a value of the inventory in the vault": ["canary-of-vault"],
    "a file of the inventory in the vault": ["canary-of-file"],
    "variables of a role in the vault": ["canary-of-role"],
    "included variables in the vault": ["canary-of-include"],
    "secrets of an environment": ["canary-of-environment"],
    "an output of an operation": ["canary-made-by-job"],
    "a secret in the environment of a task": ["canary-of-keyword"],
    "a variable of a task's environment with the name of a secret": ["canary-named-token"],
    "passwords of a host": ["canary-of-become", "canary-of-connection"],
    "a URL in an argument": ["canary-of-user", "canary-of-argument"],
    "a URL in a task of a role": ["canary-within-url", "canary-within-query"],
    "a file in the vault that a lookup reads": ["canary-unvaulted"],
    "no_log of a task of a role": ["canary-in-a-role"],
    "the message of a module that fails": ["canary-of-a-failure"],
    "a template with a secret, and what is made of one": [CODED],
    "an output of Terraform": ["canary-of-terraform"],
    "a sensitive URL": ["canary-in-url", "canary-of-query"],
}


def call(folder: Path, *words: str | Path, program: Sequence[str | Path] = COMMAND) -> str:
    env = {
        **os.environ,
        "CANARY": "canary-of-environment",
        "OF_KEYWORD": "canary-of-keyword",
        "TMPDIR": str(folder.parent / "temporary"),
        "HOME": str(folder.parent / "home"),
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "ANSIBLE_ENSEMBLE_TRUST": str(folder),
        "TF_CLI_CONFIG_FILE": "/dev/null",
        "TF_PLUGIN_CACHE_DIR": str(folder.parent / "providers"),
    }
    done = run([*program, *words], cwd=folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def encrypt(folder: Path, text: str) -> str:
    words = ["encrypt_string", "--vault-password-file", "../pass", text]
    return run([PROGRAMS / "ansible-vault", *words], cwd=folder, env=os.environ).stdout


def written(folder: Path, port: int) -> None:
    for name in (
        "library",
        "roles/talks/tasks",
        "roles/talks/templates",
        "roles/talks/vars",
        "group_vars",
        "host_vars",
    ):
        (folder / name).mkdir(parents=True)
    for name in ("temporary", "home", "providers"):
        (folder.parent / name).mkdir()
    for number, name in (("1st", "first"), ("2nd", "second")):
        (folder.parent / f"{name}.yaml").write_text(f"word: canary-input-{number}\n")
    (folder.parent / "pass").write_text("password\n")
    service = SERVICE.replace("FOLDER", str(folder.parent)).replace("sensitive: URL", f'sensitive: "{URL}"')
    service = service.replace("PORT", str(port)).replace("STACK", STACK if shutil.which("terraform") else "")
    (folder / "service.yaml").write_text(service)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    (folder / "inventory.ini").write_text(
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}"
        " ansible_become_password=canary-of-become ansible_password=canary-of-connection\n"
    )
    (folder / "stack").mkdir()
    (folder / "stack/main.tf").write_text(MAIN)
    (folder / "library/mine.py").write_text(MODULE)
    (folder / "library/binary").write_text(PROGRAM)
    talks = TALKS.replace("FOLDER", str(folder.parent)).replace("PORT", str(port))
    (folder / "roles/talks/tasks/main.yml").write_text(talks)
    (folder / "roles/talks/templates/conf.j2").write_text("pw={{ inline }}\n{{ encoded }}\n")
    (folder / "roles/talks/vars/main.yml").write_text(f"of_role: {encrypt(folder, 'canary-of-role')}")
    (folder / "group_vars/all.yml").write_text(f"inline: {encrypt(folder, 'canary-of-vault')}")
    files = {folder / "host_vars/localhost.yml": "file: {deep: canary-of-file}\n"}
    files[folder.parent / "unvaulted"] = "canary-unvaulted\n"
    files[folder.parent / "included.yml"] = "included: [canary-of-include]\n"
    for file, text in files.items():
        file.write_text(text)
        words = ["encrypt", "--vault-password-file", folder.parent / "pass", file]
        assert run([PROGRAMS / "ansible-vault", *words], env=os.environ).returncode == 0


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[int]:
    """The port of a server that answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """All that is shown and kept, by what it is."""
    folder = tmp_path_factory.mktemp("canaries") / "project"
    folder.mkdir()
    with served() as port:
        written(folder, port)
        return seen(folder)


def seen(folder: Path) -> dict[str, str]:
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
    first, second = (("--inputs", f"../{name}.yaml") for name in ("first", "second"))
    shown = {"plan": call(folder, "plan", *common, *first, "--out", "../plan.json")}
    logged = ("--log-file", "../log", "--commit")
    shown["deploy"] = call(folder, "deploy", "-a", "-vvv", "--diff", *common, *first, *logged, program=TRACED)
    if (trace := folder.parent / "trace").exists():
        shown |= executed(trace.read_text())
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
    shown |= launched(folder, common)
    kept = [file for file in folder.rglob("*") if file.is_file() and file not in own and ".git" not in file.parts]
    kept += [file for name in ("temporary", "home") for file in (folder.parent / name).rglob("*") if file.is_file()]
    shown |= {str(file.relative_to(folder.parent)): file.read_bytes().decode("utf-8", "replace") for file in kept}
    words = ["git", "log", "-p", "--", "ensemble.yaml", "changes", "jobs", "jobs.tsv", "active"]
    shown["git"] = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    return shown


def executed(trace: str) -> dict[str, str]:
    """The command lines of the processes of a job, which every user of a machine can read; no environments."""
    return {f"{OF_A_PROCESS} {number}": line for number, line in enumerate(trace.splitlines())}


def launched(folder: Path, common: Sequence[str]) -> dict[str, str]:
    """What ansible-runner keeps of a job that somebody launched in AWX, with an answer to its survey."""
    private = folder.parent / "private"
    (private / "env").mkdir(parents=True)
    variables = {"ensemble": "ensemble.yaml", "ensemble_force": True, "ensemble_dirty": "ok"}
    (private / "env/extravars").write_text(json.dumps({**variables, "input_word": "canary-of-survey"}))
    words = ["run", private, "--project-dir", folder, "-p", "tosca.ensemble.deploy", "--ident", "job"]
    call(folder, *words, "--cmdline=" + " ".join(["-vvv", "--diff", *common]), program=[PROGRAMS / "ansible-runner"])
    files = [file for file in (private / "artifacts").rglob("*") if file.is_file() and file.name != "command"]
    return {f"AWX {file.relative_to(private)}": file.read_text() for file in files}


@pytest.mark.parametrize("source", SOURCES)
def test_no_output_shows_a_secret(outputs: dict[str, str], source: str) -> None:
    if "Terraform" in source and not shutil.which("terraform"):
        pytest.skip("the program terraform is not installed")
    found = {name for name, text in outputs.items() for canary in SOURCES[source] if canary in text}
    assert not found


def test_the_outputs_are_those_of_the_job(outputs: dict[str, str]) -> None:
    """Else nothing could be found in them."""
    assert "<<REDACTED>>" in outputs["deploy"]
    assert any(name.startswith("AWX artifacts/job/job_events/") and "<<REDACTED>>" in outputs[name] for name in outputs)
    if not shutil.which("strace"):
        pytest.skip("strace tells the command lines; it is not installed")
    assert any(name.startswith(OF_A_PROCESS) and "ansible-playbook" in outputs[name] for name in outputs)
