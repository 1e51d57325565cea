"""Each source of a secret, each output: two jobs that use them all, and nothing that shows or keeps one in clear."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ansible_ensemble.kubernetes.access import Given, find_access
from ansible_ensemble.kubernetes.connection import Connections
from tests.integration.kubernetes import cluster, stand_in
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
    object:
      type: kubernetes.Object
      properties: {kind: Secret, definition: {stringData: {word: {get_input: word}, own: canary-of-object}}}
      requirements: [{host: space}]
    manifest: {type: kubernetes.Manifest, properties: {src: secret.yaml}, requirements: [{host: space}]}
    cluster: {type: kubernetes.Cluster, properties: CLUSTER}
    space: {type: kubernetes.Namespace, properties: {name: canaries}, requirements: [{host: cluster}]}
    charts:
      type: helm.Repository
      properties: {url: "http://127.0.0.1:PORT/charts", username: me, password: {eval: {secret: of_charts}}}
    release:
      type: helm.Release
      properties:
        chart: charts/shop
        objects: ["*"]
        values: {word: {get_input: word}, of: {charts: [{eval: {sensitive: canary-of-values}}]}}
        values_files: [values.yaml]
        set: {one: {eval: {sensitive: canary-of-set}}}
      requirements: [{host: space}, {repository: charts}]
STACK  outputs: {made: {value: {get_attribute: [made, made]}}, word: {value: {get_input: word}}}
"""
URL = "https://me:canary-in-url@example.com/x?token=canary-of-query"
ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
environment:
  secrets:
    of_environment: {get_env: CANARY}
    of_keyword: {get_env: OF_KEYWORD}
    of_cluster: {get_env: OF_CLUSTER}
    of_charts: {get_env: OF_CHARTS}
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
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: manifest}
stringData: {word: canary-of-manifest}
"""
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: '7'\n",
    "templates/all.yaml": """\
apiVersion: v1
kind: Secret
metadata: {name: release}
stringData: {all: {{ .Values | toJson | quote }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: release}
data: {all: {{ omit .Values "password" | toJson | quote }}}
""",
}
INDEX = "apiVersion: v1\nentries: {shop: [{apiVersion: v2, name: shop, version: 1.0.0, urls: [shop.tgz]}]}\n"


SOURCES = {
    "a sensitive input": ["canary-input-1st", "canary-input-2nd"],
    "an answer to a survey of AWX": ["canary-of-survey"],
    "no_log of a module without documentation": ["canary-own-module"],
    "a module that is a program": ["canary-of-program"],
    "a value of the inventory in the vault, in a template too": ["canary-of-vault"],
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
    "an output of Terraform": ["canary-of-terraform"],
    "data of a Secret of Kubernetes": ["canary-of-object", "canary-of-manifest"],
    "what somebody else sets in a Secret": ["canary-by-hand"],
    "the token of a cluster": [cluster.TOKEN],
    "values of a release of Helm": ["canary-of-values", "canary-in-values-file", "canary-of-set"],
    "the password of a repository of charts": ["canary-of-charts"],
    "a sensitive URL": ["canary-in-url", "canary-of-query"],
}


LOOKS = (
    "validate",
    "inputs",
    "status",
    "status --output json",
    "outputs",
    "outputs --output json",
    "graph --format dot --operations",
    "graph --format html",
    "query ::made::made",
    "query ::release::values --output json",
)


def forms(text: str) -> Iterator[str]:
    """A text as it is, and what is the same wherever it stands in something that is encoded by Base64."""
    yield text
    for before in range(3):
        whole = base64.b64encode(b" " * before + text.encode()).decode()
        yield whole[-(-before * 4 // 3) : (before + len(text)) // 3 * 4]


def call(folder: Path, *words: str | Path, program: Sequence[str | Path] = COMMAND) -> str:
    env = {
        **os.environ,
        "CANARY": "canary-of-environment",
        "OF_KEYWORD": "canary-of-keyword",
        "OF_CLUSTER": cluster.TOKEN,
        "OF_CHARTS": "canary-of-charts",
        "TMPDIR": str(folder.parent / "temporary"),
        "HOME": str(folder.parent / "home"),
        "PATH": f"{folder.parent / 'programs'}:{PROGRAMS}:{os.environ['PATH']}",
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


def written(folder: Path, port: int, given: Given) -> None:
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
    reached = {"server": given.server, "token": {"eval": {"secret": "of_cluster"}}}
    reached |= {"ca_cert": given.ca_cert} if given.ca_cert else {}
    (folder / "service.yaml").write_text(service.replace("CLUSTER", json.dumps(reached)))
    (folder / "secret.yaml").write_text(SECRET)
    (folder / "values.yaml").write_text("password: canary-in-values-file\n")
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


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """The port of a server with a repository of charts; it answers other requests, too."""
    charts = folder / "charts"
    charts.mkdir(parents=True)
    (charts / "index.yaml").write_text(INDEX)
    with tarfile.open(charts / "shop.tgz", "w:gz") as archive:
        for name, text in CHART.items():
            member = tarfile.TarInfo(f"shop/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


@contextmanager
def kubernetes(folder: Path) -> Iterator[Given]:
    """How a cluster is reached, for the programs in the folder too: a real one if there are its programs and Helm's."""
    folder.mkdir()
    if stand_in.HELM and not cluster.MISSING:
        (folder / "helm").symlink_to(stand_in.HELM)
        with cluster.running(folder.parent / "cluster") as one:
            yield Given(server=one.server, token=one.token, ca_cert=str(one.authority))
    else:
        stand_in.write_helm(folder)
        with stand_in.api_server() as server:
            yield Given(server=server, token=cluster.TOKEN)


@pytest.fixture
def outputs(tmp_path: Path) -> dict[str, str]:
    """All that is shown and kept, by what it is."""
    folder = tmp_path / "project"
    folder.mkdir()
    with served(folder.parent / "served") as port, kubernetes(folder.parent / "programs") as given:
        written(folder, port, given)
        return seen(folder, given)


def seen(folder: Path, given: Given) -> dict[str, str]:
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
    edit_by_hand(given)
    shown["plan of a change"] = call(folder, "plan", *common, *second, "--output", "json")
    more = ("--output", "json", "--junit", "../junit.xml", "--dirty", "ok")
    shown["JSON"] = call(folder, "deploy", "-a", "--force", "--diff", *common, *second, *more)
    shown["markdown"] = call(folder, "check", *common, "--diff", "--output", "markdown")
    shown["plan of what drifted"] = call(folder, "plan", *common, "--check", "--output", "markdown")
    for line in LOOKS:
        shown[line] = call(folder, *line.split(), *common[2:])
    history = call(folder, "history", "--output", "json")
    shown |= {"history": call(folder, "history"), "history as JSON": history}
    for form in ("text", "json", "html"):
        shown[f"show as {form}"] = call(folder, "show", json.loads(history)["jobs"][0]["change_id"], "--output", form)
    for name in ("plan.json", "log", "junit.xml"):
        shown[name] = (folder.parent / name).read_text()
    shown |= launched(folder, common)
    shown["undeploy"] = call(folder, "undeploy", "-a", "-vvv", "--diff", "--dirty", "ok", *common)
    kept = [file for file in folder.rglob("*") if file.is_file() and file not in own and ".git" not in file.parts]
    kept += [file for name in ("temporary", "home") for file in (folder.parent / name).rglob("*") if file.is_file()]
    shown |= {str(file.relative_to(folder.parent)): file.read_bytes().decode("utf-8", "replace") for file in kept}
    words = ["git", "log", "-p", "--", "ensemble.yaml", "changes", "jobs", "jobs.tsv", "active"]
    shown["git"] = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    return shown


def edit_by_hand(given: Given) -> None:
    access = find_access(given, {}, Path())
    content = base64.b64encode(b"canary-by-hand").decode()
    path, body = "/api/v1/namespaces/canaries/secrets/object", {"data": {"word": content}}
    query, how = {"fieldManager": "somebody"}, "application/merge-patch+json"
    Connections(access, lambda: access).request("PATCH", path, query, body, how)


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


@pytest.mark.matrix
def test_no_output_shows_a_secret(outputs: dict[str, str]) -> None:
    found: dict[str, set[str]] = {}
    for source, canaries in SOURCES.items():
        texts = {form for canary in canaries for form in forms(canary)}
        found[source] = {name for name, text in outputs.items() if any(one in text for one in texts)}
    assert {source: names for source, names in found.items() if names} == {}

    # these are the outputs of the jobs, or nothing could be found in them
    assert "<<REDACTED>>" in outputs["deploy"]
    for name in ("Secret canaries/object", "Secret canaries/manifest", "Secret canaries/release"):
        assert name in outputs["deploy"]
        assert name in outputs["undeploy"]
    assert any(name.startswith("AWX artifacts/job/job_events/") and "<<REDACTED>>" in outputs[name] for name in outputs)
    lines = [line for name, line in outputs.items() if name.startswith(OF_A_PROCESS)]
    assert any("ansible-playbook" in line for line in lines) or TRACED == COMMAND, "strace tells the command lines"
