"""A wrong vault password is told in one way, wherever the secret is and however the password is given."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.matrix import sampled
from tests.preloaded import PROGRAMS, run

from .conftest import Run, environment

ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
#: Where the secret is -> the specification, with `SECRET` where it stands there.
SERVICES = {
    "specification": """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    page:
      properties: {word: SECRET}
      interfaces: {Standard: {create: {implementation: echo made, inputs: {word: {get_property: [SELF, word]}}}}}
""",
    "variable": "resources: {page: {module: copy, args: {dest: made, content: '{{ word }}'}, host: w1}}\n",
}
SERVICES["file of variables"] = SERVICES["variable"]
#: How the password is given -> options.
WAYS = {
    "file": ("--vault-password-file", "../wrong"),
    "script": ("--vault-password-file", "../wrong.sh"),
    "two ids": ("--vault-id", "first@../wrong", "--vault-id", "second@../wrong.sh"),
}
COMMANDS = (("plan",), ("status",), ("deploy", "--approve"), ("check",), ("undeploy", "--approve"))
TOLD = ("Ansible Vault: ", "is it the right password? see --vault-id")


def vault(*words: str, cwd: Path) -> str:
    return run(
        [PROGRAMS / "ansible-vault", *words, "--vault-password-file", "../right"], cwd=cwd, env=os.environ
    ).stdout


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Path]:
    def make(where: str) -> Path:
        project = tmp_path / "project"
        (project / "group_vars").mkdir(parents=True)
        for name, text in (("right", "right"), ("wrong", "wrong"), ("wrong.sh", "#!/bin/sh\necho other")):
            (tmp_path / name).write_text(text + "\n")
        (tmp_path / "wrong.sh").chmod(0o755)
        sealed = vault("encrypt_string", "s3cretive", cwd=project)
        variables = project / "group_vars" / "all.yml"
        variables.write_text("word: s3cretive\n" if where == "file of variables" else f"word: {sealed}")
        if where == "file of variables":
            vault("encrypt", str(variables), cwd=project)
        (project / "hosts.ini").write_text(f"w1 ansible_connection=local ansible_python_interpreter={sys.executable}\n")
        (project / "ansible.cfg").write_text("[defaults]\ninventory = hosts.ini\n")
        (project / "ensemble.yaml").write_text(ENSEMBLE)
        word = '"' + sealed.removeprefix("!vault |").strip().replace("\n", "\\n").replace(" ", "") + '"'
        (project / "service.yaml").write_text(SERVICES[where].replace("SECRET", f"!vault {word}"))
        return project

    return make


def assert_told(done: Run) -> None:
    assert done.code == 3, done.output
    assert all(words in done.stderr for words in TOLD), done.stderr
    assert done.stderr.count("Error:") == 1
    assert "Traceback" not in done.output


@pytest.mark.parametrize("where", sampled(SERVICES, 3))
def test_it_is_told_before_the_first_job_and_after_it(
    command: Callable[..., Run], made: Callable[[str], Path], where: str
) -> None:
    project = made(where)
    trust: Mapping[str, str] = {"ANSIBLE_ENSEMBLE_TRUST": str(project)}

    def told(way: str, words: tuple[str, ...]) -> None:
        assert_told(command(*words, *WAYS[way], cwd=project, extra=trust))

    for way in WAYS:
        told(way, ("plan",))
    told("file", ("deploy", "--approve"))
    assert not (project / "jobs.tsv").exists()
    right = ("--vault-password-file", "../right")
    done = command("deploy", "--approve", *right, cwd=project, extra=trust)
    assert done.code == 0, done.output
    before = (project / "ensemble.yaml").read_bytes(), (project / "jobs.tsv").read_bytes()
    for words in COMMANDS:
        told("file", words)
    assert ((project / "ensemble.yaml").read_bytes(), (project / "jobs.tsv").read_bytes()) == before
    assert command("undeploy", "--approve", *right, cwd=project, extra=trust).code == 0


def test_it_is_told_where_it_was_asked_for(made: Callable[[str], Path], tmp_path: Path) -> None:
    project = made("specification")
    done = subprocess.run(
        [PROGRAMS / "ansible-ensemble", "plan", "--ask-vault-pass"],
        cwd=project,
        env=environment(tmp_path / "home"),
        input="wrong\n",
        text=True,
        capture_output=True,
        start_new_session=True,  # without a terminal, the answer is read from standard input
        check=False,
    )
    assert_told(Run(done.returncode, done.stdout, done.stderr))
