"""A secret is found in no file that a job wrote, no git object, no output, no artifact and no command line."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.jobs.records.repositories import git, make_project

#: What each secret here begins with; tests that run beside this look at the same processes.
CANARY = f"k9z-canary-{os.getpid()}-"
#: Where a secret comes from -> the secret.
CANARIES = {
    "property": f"{CANARY}property-5d1",
    "input": f"{CANARY}input-8c2",
    "vault": f"{CANARY}vault-1f3",
    "environment": f"{CANARY}environment-7a4",
}

#: The same of those that operations make, a workflow takes, and a job gets as variables.
MADE = {
    "attribute": f"{CANARY}attribute-2b6",
    "field": f"{CANARY}field-9e0",
    "item": f"{CANARY}item-5f7",
    "nested": f"{CANARY}nested-4c7",
    "workflow": f"{CANARY}workflow-3d8",
    "extra": f"{CANARY}extra-6f5",
    "hidden": f"{CANARY}hidden-0a9",
}

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Holder:
    derived_from: tosca.nodes.Root
    properties:
      password: {type: string, metadata: {sensitive: true}}
      given: {type: string, metadata: {sensitive: true}}
      vaulted: {type: string, metadata: {sensitive: true}}
      variable: {type: string, metadata: {sensitive: true}}
    attributes:
      token: {type: string, metadata: {sensitive: true}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: >-
              printf '%s ' "$PASSWORD" "$GIVEN" "$VAULTED" "$VARIABLE" >&2; echo "$PASSWORD $GIVEN $VAULTED $VARIABLE"
            inputs:
              PASSWORD: {get_property: [SELF, password]}
              GIVEN: {get_property: [SELF, given]}
              VAULTED: {get_property: [SELF, vaulted]}
              VARIABLE: {get_property: [SELF, variable]}
            outputs: {token: [SELF, token]}
          configure:
            implementation: ansible.builtin.copy
            inputs:
              dest: {concat: [{get_input: folder}, /password]}
              content: "{{ SELF.password }} {{ SELF.given }} {{ SELF.vaulted }} {{ SELF.variable }}"
          start: START
topology_template:
  inputs:
    folder: {type: string}
    given: {type: string, metadata: {sensitive: true}}
  node_templates:
    holder:
      type: Holder
      properties:
        password: {eval: {secret: property}}
        given: {get_input: given}
        vaulted: {eval: {secret: vault}}
        variable: {eval: {secret: environment}}
  outputs:
    password: {value: {get_property: [holder, password]}}
    given: {value: {get_property: [holder, given]}}
"""

PROJECT = """\
apiVersion: tosca-ensemble/v1
kind: Project
environments:
  defaults:
    secrets:
      property: {get_env: SECRET_PROPERTY}
      environment: {get_env: SECRET_ENVIRONMENT}
"""

_ALL = "inputs: {PASSWORD: {get_property: [SELF, password]}, GIVEN: {get_property: [SELF, given]}}"
FAILING = {
    "succeeds": "{implementation: 'exit 0'}",
    "fails": f"""{{implementation: 'echo "$PASSWORD $GIVEN"; echo "$PASSWORD" >&2; exit 1', {_ALL}}}""",
    "template": f"{{implementation: 'echo {{{{ SELF.given.nothing.of_it }}}} {{{{ SELF.password | int }}}}', {_ALL}}}",
    "module": "{implementation: ansible.builtin.copy, inputs: {dest: /nowhere/x, content: '{{ SELF.password }}'}}",
}


class Watch(threading.Thread):
    """Reads the command lines of all processes until it is stopped, and keeps those with a canary in them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = threading.Event()
        self.found: set[str] = set()

    def run(self) -> None:
        while not self.done.wait(0.01):
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    text = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                except OSError:
                    continue
                if CANARY in text:
                    self.found.add(text)


@pytest.fixture
def watched() -> Iterator[Watch]:
    watch = Watch()
    watch.start()
    yield watch
    watch.done.set()
    watch.join()


def make_secret_project(command, folder: Path, start: str, tmp_path: Path) -> dict[str, str]:
    """The project; returns the environment variables of its jobs."""
    service = SERVICE.replace("START", FAILING[start])
    project = make_project(folder, service)
    (project / "ensemble-project.yaml").write_text(PROJECT)
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    secrets = project / "secrets" / "secrets.yaml"
    secrets.parent.mkdir()
    secrets.write_text(f"vault: {CANARIES['vault']}\n")
    done = command("encrypt", "--vault-password-file", str(password), str(secrets), program="ansible-vault")
    assert done.code == 0, done.output
    git(project, "add", ".")
    git(project, "commit", "-qm", "secrets")
    return {"SECRET_PROPERTY": CANARIES["property"], "SECRET_ENVIRONMENT": CANARIES["environment"]}


def hunt(folder: Path, *outputs: str) -> list[str]:
    """Where a canary is, among files, git objects and outputs."""
    found = [f"{path}" for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    objects = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=folder, capture_output=True, check=True
    )
    found += ["a git object"] * (CANARY.encode() in objects.stdout)
    return found + [f"output: {text}" for text in outputs if CANARY in text]


@pytest.mark.parametrize(
    ("start", "vault"),
    [("succeeds", True), ("fails", True), ("fails", False), ("template", True), ("module", False)],
)
def test_canaries(command, tmp_path, watched, start, vault):
    project, site, given = tmp_path / "project", tmp_path / "site", tmp_path / "given.yaml"
    site.mkdir()
    given.write_text(f"folder: {site}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, start, tmp_path)
    variables["ANSIBLE_ENSEMBLE_LOG"] = str(tmp_path / "log")
    password = ["--vault-password-file", str(tmp_path / "vault-password")]
    if not vault:
        password = []
        (project / "secrets" / "secrets.yaml").unlink()
        variables["SECRET_VAULT"] = CANARIES["vault"]
        (project / "ensemble-project.yaml").write_text(PROJECT + "      vault: {get_env: SECRET_VAULT}\n")
        git(project, "commit", "-qam", "no vault")
    options = ["--inputs", str(given), *password]
    runs = []

    def run(*arguments: str, code: int = 0) -> None:
        runs.append(command(*arguments, cwd=project, extra=variables))
        assert runs[-1].code == code, runs[-1].output

    fails = {"succeeds": 0, "template": 3}.get(start, 1)
    if start != "template":  # that is refused before anything runs
        run("plan", *options, "--out", str(tmp_path / "saved.plan"))
    run("deploy", "--approve", "--commit", "-vvv", *options, code=fails)
    there = (site / "password").read_text() if (site / "password").exists() else ""
    assert start == "template" or all(CANARIES[name] in there for name in CANARIES), runs[-1].output
    run("status", *password)
    run("outputs", "--output", "json", *password)
    run("history", "--output", "json")
    for job in json.loads(runs[-1].stdout)["jobs"]:
        run("show", job["changeId"])
    run("deploy", "--approve", "--commit", *options, code=fails)
    watched.done.set()

    saved = (tmp_path / "saved.plan").read_text() if (tmp_path / "saved.plan").exists() else ""
    logged = (tmp_path / "log").read_text()
    assert "git add" in logged or start == "template"
    assert hunt(project, saved, logged, *(text for done in runs for text in (done.stdout, done.stderr))) == []
    assert watched.found == set()
    assert not (project / "planned" / "given.json").exists()


def test_an_unchanged_secret_causes_nothing_and_a_changed_one_does(command, tmp_path):
    project, site, given = tmp_path / "project", tmp_path / "site", tmp_path / "given.yaml"
    site.mkdir()
    given.write_text(f"folder: {site}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    options = ["--inputs", str(given), "--vault-password-file", str(tmp_path / "vault-password")]
    assert command("deploy", "--approve", *options, cwd=project, extra=variables).code == 0
    assert "No changes." in command("plan", *options, cwd=project, extra=variables).output
    variables["SECRET_PROPERTY"] = "another"
    plan = command("plan", *options, cwd=project, extra=variables)
    assert "1 to change" in plan.output
    assert "another" not in plan.output


def test_encrypted_files_of_inputs_are_opened_and_secret(command, tmp_path):
    project, given = tmp_path / "project", tmp_path / "given.yaml"
    given.write_text(f"folder: {tmp_path}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    password = ("--vault-password-file", str(tmp_path / "vault-password"))
    assert command("encrypt", *password, str(given), program="ansible-vault").code == 0
    refused = command("deploy", "--approve", "--inputs", str(given), cwd=project, extra=variables)
    assert refused.code == 3
    assert "vault password" in refused.stderr
    done = command("deploy", "--approve", "--inputs", str(given), *password, cwd=project, extra=variables)
    assert done.code == 0, done.output
    assert CANARIES["input"] in (tmp_path / "password").read_text()
    assert hunt(project, done.output) == []


def test_looking_makes_no_key(command, tmp_path):
    project, given = tmp_path / "project", tmp_path / "given.yaml"
    given.write_text(f"folder: {tmp_path}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    (project / "secrets" / "secrets.yaml").unlink()
    (project / "ensemble-project.yaml").write_text(PROJECT + "      vault: plain\n")
    git(project, "commit", "-qam", "no vault")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    done = command("plan", "--inputs", str(given), cwd=project, extra=variables)
    assert done.code == 0, done.output
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert after == before


MADE_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string}
      password: {type: string, metadata: {sensitive: true}}
node_types:
  Maker:
    derived_from: tosca.nodes.Root
    attributes:
      key: {type: string, metadata: {sensitive: true}}
      login: {type: Login}
      logins: {type: list, entry_schema: {type: Login}}
      other: {type: Login}
    interfaces:
      Standard:
        operations:
          create:
            implementation: cat made.json; cat made.json >&2
            outputs:
              key: [SELF, key]
              login: [SELF, login]
              logins: [SELF, logins]
              nested: [SELF, other, password]
          configure:
            implementation: 'echo "$VALUES" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              VALUES:
                concat:
                  - {get_attribute: [SELF, key]}
                  - {get_attribute: [SELF, login, password]}
                  - "{{ SELF.logins[0].password }}"
                  - {get_attribute: [SELF, other, password]}
          stop:
            implementation: 'echo "$TAKEN $EXTRA $HIDDEN" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              TAKEN: none
              EXTRA: "{{ extra_password | default('') }}"
              HIDDEN: "{{ hidden | default('') }}"
topology_template:
  inputs:
    site: {type: string}
  workflows:
    hand_on:
      inputs:
        taken: {type: string, metadata: {sensitive: true}}
      steps:
        only:
          target: maker
          activities:
            - call_operation: {operation: Standard.stop, inputs: {TAKEN: {concat: [it is, {get_input: taken}]}}}
  node_templates:
    maker: {type: Maker}
"""


@pytest.mark.parametrize("vault", [True, False])
def test_canaries_that_operations_make_and_workflows_take(command, tmp_path, watched, vault):
    project, site, given = make_project(tmp_path / "project", MADE_SERVICE), tmp_path / "site", tmp_path / "given.yaml"
    login = {"user": "somebody", "password": MADE["field"]}
    made = {"key": MADE["attribute"], "login": login, "logins": [{**login, "password": MADE["item"]}]}
    outside = tmp_path / "made.json"
    outside.write_text(json.dumps({**made, "nested": MADE["nested"]}))
    service = project / "service.yaml"
    service.write_text(service.read_text().replace("made.json", str(outside)))
    git(project, "commit", "-qam", "made")
    given.write_text(json.dumps({"extra_password": MADE["extra"], "input_taken": MADE["workflow"]}))
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    vault_id = ["--vault-id", f"prod@{password}"] if vault else []
    options = ["--input", f"site={site}", "-e", f"@{given}", *vault_id]
    expected = {name: secret for name, secret in MADE.items() if name != "hidden"}
    if vault:
        hidden = tmp_path / "hidden.yaml"
        hidden.write_text(f"hidden: {MADE['hidden']}\n")
        done = command("encrypt", *vault_id, str(hidden), program="ansible-vault")
        assert done.code == 0, done.output
        options += ["-e", f"@{hidden}"]
        expected = MADE
    runs = []

    def run(*arguments: str) -> None:
        runs.append(command(*arguments, cwd=project))
        assert runs[-1].code == 0, runs[-1].output

    run("deploy", "--approve", "--commit", "-vvv", *options)
    run("run", "--workflow", "hand_on", "--approve", "--commit", "-vvv", *options)
    assert all(secret in site.read_text() for secret in expected.values()), runs[-1].output
    run("status", "--output", "json", *vault_id)
    for change in json.loads(command("history", "--output", "json", cwd=project).stdout)["jobs"]:
        run("show", change["changeId"])
    run("plan", "--workflow", "hand_on", "--out", str(tmp_path / "saved.plan"), *options)
    watched.done.set()
    saved = (tmp_path / "saved.plan").read_text()
    assert hunt(project, saved, *(text for done in runs for text in (done.stdout, done.stderr))) == []
    assert watched.found == set()
    assert not (project / "planned" / "given.json").exists()


FIELDS = {name: f"{CANARY}{name}-{mark}" for name, mark in (("field", "1c4"), ("list", "7b2"), ("step", "9d6"))}
VARIABLES = {"plain": f"{CANARY}variable-3e1", "before": f"{CANARY}before-8f5", "number": "94770115"}

FIELDS_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string}
      pw: {type: string, metadata: {sensitive: true}}
node_types:
  User:
    derived_from: tosca.nodes.Root
    properties:
      cred: {type: Login}
      creds: {type: list, entry_schema: {type: Login}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: 'echo "$CRED $CREDS ${PATH%%:*} $PLAIN $NUMBER" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              CRED: {get_property: [SELF, cred, pw]}
              CREDS: {get_property: [SELF, creds, 0, pw]}
          stop:
            implementation: 'echo "$TAKEN $PLAIN" | tee -a "$SITE"; test -n "$TAKEN"'
            inputs:
              SITE: {get_input: site}
              TAKEN: ""
topology_template:
  inputs:
    site: {type: string}
    cred: {type: Login}
    creds: {type: list, entry_schema: {type: Login}}
  workflows:
    rotate:
      inputs:
        next: {type: Login}
      steps:
        only:
          target: user
          activities:
            - call_operation: {operation: Standard.stop, inputs: {TAKEN: {get_input: next}}}
  node_templates:
    user: {type: User, properties: {cred: {get_input: cred}, creds: {get_input: creds}}}
"""


@pytest.mark.parametrize("vault", [True, False])
def test_canaries_in_fields_of_inputs_and_in_variables_of_the_environment(command, tmp_path, vault):
    project, site, given = (
        make_project(tmp_path / "project", FIELDS_SERVICE),
        tmp_path / "site",
        tmp_path / "given.yaml",
    )
    manifest = project / "ensemble.yaml"
    manifest.write_text(
        manifest.read_text()
        + "environment:\n  variables:\n    PLAIN: {eval: {sensitive: {get_env: PLAIN_GIVEN}}}\n"
        + f"    NUMBER: {{eval: {{sensitive: {VARIABLES['number']}}}}}\n"
        + "    ^PATH: {eval: {sensitive: {get_env: BEFORE}}}\n"
    )
    git(project, "commit", "-qam", "variables")
    given.write_text(
        json.dumps(
            {
                "site": str(site),
                "cred": {"user": "joe", "pw": FIELDS["field"]},
                "creds": [{"user": "joe", "pw": FIELDS["list"]}],
                "next": {"user": "joe", "pw": FIELDS["step"]},
            }
        )
    )
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    vault_id = ["--vault-id", f"prod@{password}"] if vault else []
    options = ["--inputs", str(given), *vault_id]
    variables = {"PLAIN_GIVEN": VARIABLES["plain"], "BEFORE": VARIABLES["before"]}
    outputs = []
    for arguments in (
        ("plan", "--out", str(tmp_path / "saved.plan"), *options),
        ("deploy", "--approve", "--commit", "-vvv", *options),
        ("run", "--workflow", "rotate", "--approve", "--commit", "-vvv", *options),
        ("status", "--output", "json", *vault_id),
    ):
        done = command(*arguments, cwd=project, extra=variables)
        assert done.code == 0, done.output
        outputs += [done.stdout, done.stderr]
    written = site.read_text()
    assert all(secret in written for secret in (*FIELDS.values(), *VARIABLES.values())), written
    outputs.append((tmp_path / "saved.plan").read_text())
    assert hunt(project, *outputs) == []
    records = [path for path in project.rglob("jobs/*") if path.is_file()]
    told = "".join([*outputs, *(path.read_text() for path in records)])
    assert VARIABLES["number"] not in told
    assert "joe" in told  # the field beside it is no secret


LITERAL = f"{CANARY}literal-2e7"

#: A literal of a sensitive property that stands in texts beside it as well, and a sensitive input.
LITERAL_SERVICE = f"""\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Holder:
    derived_from: tosca.nodes.Root
    properties:
      password: {{type: string, metadata: {{sensitive: true}}}}
      given: {{type: string, metadata: {{sensitive: true}}}}
    interfaces:
      Standard:
        operations:
          create: 'echo {LITERAL}; echo {LITERAL} >&2'
          configure:
            implementation: 'echo "$GIVEN {LITERAL}"; CODE'
            inputs: {{GIVEN: {{get_property: [SELF, given]}}}}
topology_template:
  inputs:
    given: {{type: string, metadata: {{sensitive: true}}}}
  node_templates:
    holder:
      type: Holder
      properties: {{password: {LITERAL}, given: {{get_input: given}}}}
"""


def objects(folder: Path) -> set[str]:
    return set(git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


@pytest.mark.parametrize(("ending", "code"), [("true", 0), ("false", 1)])
def test_literals_of_sensitive_properties_in_implementations(command, tmp_path, watched, ending, code):
    project = make_project(tmp_path / "project", LITERAL_SERVICE.replace("CODE", ending))
    given = tmp_path / "given.yaml"
    given.write_text(f"given: {CANARIES['input']}\n")
    (project / "planned").mkdir()
    before = objects(project)
    runs = [
        command(*arguments, "--inputs", str(given), cwd=project)
        for arguments in (
            ("plan", "--out", str(project / "planned" / "plan.json")),
            ("deploy", "--approve", "--commit", "-vvv"),
            ("run", "--approve", "--save", "--", "echo", LITERAL),
        )
    ]
    watched.done.set()
    assert [done.code for done in runs] == [0, code, 0], [done.output for done in runs]
    kept = [path.relative_to(project) for path in project.rglob("jobs/**/*") if path.is_file()]
    assert {"stdout", "rc"} <= {path.name for path in kept}
    assert any("job_events" in path.parts for path in kept)
    found = [path for path in project.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert [path for path in found if path.name != "service.yaml" and CANARY.encode() in path.read_bytes()] == []
    made = objects(project) - before
    assert made
    assert [one for one in made if CANARY in git(project, "cat-file", "-p", one)] == []
    assert [done.output for done in runs if CANARY in done.output] == []
