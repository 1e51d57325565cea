"""What implements an operation is there, or validate, plan and deploy refuse it with the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  A:
    derived_from: tosca.nodes.Root
    interfaces: {Standard: {operations: {create: touch created, configure: {implementation: WRITTEN}}}}
topology_template: {node_templates: {a: {type: A}}}
"""
#: An implementation -> a part of the error.
REFUSED = {
    "nginx": "there is no role, module, file or configurator nginx for the operation Standard.configure",
    "hostnam": "did you mean hostname?",
    "uptime": "a command is {className: Cmd, primary: uptime}",
    "image:latest": "there is no role, module, file or configurator image:latest",
    "nobody.knows.this": "ansible-galaxy collection install nobody.knows",
    "ansible.builtin.copyy": "did you mean ansible.builtin.copy?",
    "{className: role, primary: webserver}": "there is no role webserver",
    "{className: module, primary: pingg}": "did you mean ping?",
    "{className: Comand, primary: ls}": 'there is no configurator "Comand"',
}


@pytest.mark.parametrize("written", REFUSED)
def test_refused_by_all_with_the_same_words(command: Any, tmp_path: Path, written: str) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("WRITTEN", written))
    told = set()
    for words in (["validate"], ["plan"], ["deploy", "--approve"]):
        done = command(*words, "service.yaml")
        assert done.code == 3, done.output
        assert REFUSED[written] in done.output
        told.add(done.output.strip().rpartition("Error: ")[2].partition(": ")[2])
    assert len(told) == 1, told
    assert not (tmp_path / "created").exists()


def test_a_missing_file_is_refused_but_of_a_part(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("WRITTEN", "/plays/configure.yaml"))
    words = "the file /plays/configure.yaml of the operation Standard.configure does not exist"
    assert command("validate", "--part", "service.yaml").code == 0
    for arguments in (["validate"], ["deploy", "--approve"]):
        done = command(*arguments, "service.yaml")
        assert (done.code, words in done.output) == (3, True)
    (tmp_path / "plays").mkdir()
    (tmp_path / "plays" / "configure.yaml").write_text(f"- file: {{path: {tmp_path}/done, state: touch}}\n")
    done = command("deploy", "--approve", "service.yaml")
    assert done.code == 0, done.output
    assert (tmp_path / "done").exists()


def test_a_short_name_is_a_module(command: Any, tmp_path: Path) -> None:
    """And `run` prints what a module returned, as it prints what a command printed."""
    (tmp_path / "service.yaml").write_text(SERVICE.replace("WRITTEN", "ping"))
    done = command("deploy", "--approve", "service.yaml")
    assert done.code == 0, done.output
    done = command("run", "--approve", "--module", "ping", "--", "data=hello")
    assert done.code == 0, done.output
    assert '"ping": "hello"' in done.output
    done = command("run", "--approve", "--module", "pingg")
    assert done.code == 3
    assert "there is no module pingg" in done.output


def test_a_playbook_has_the_environment_of_its_implementation(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(
        SERVICE.replace("WRITTEN", "{primary: play.yaml, environment: {WORD: said, OTHER: not me}}")
    )
    (tmp_path / "play.yaml").write_text(
        "- hosts: all\n  gather_facts: false\n  environment: {OTHER: mine}\n"
        f"  tasks: [{{shell: echo $WORD $OTHER > {tmp_path}/seen}}]\n"
    )
    done = command("deploy", "--approve", "service.yaml")
    assert done.code == 0, done.output
    assert (tmp_path / "seen").read_text() == "said mine\n"


def test_keywords_are_refused_by_all_with_the_same_words(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("WRITTEN", "{primary: ping, when: is_web}"))
    for words in (["validate"], ["plan"], ["deploy", "--approve"]):
        done = command(*words, "service.yaml")
        assert (done.code, "has `when`, which is not supported" in done.output) == (3, True), done.output


@pytest.mark.parametrize("operation", ["delete", "stop"])
def test_what_a_deploy_does_not_run_is_refused_too(command: Any, tmp_path: Path, operation: str) -> None:
    """Who deploys it would find no way to undeploy it."""
    (tmp_path / "service.yaml").write_text(SERVICE.replace("configure:", f"{operation}:").replace("WRITTEN", "nginx"))
    for words in (["validate"], ["plan"], ["deploy", "--approve"]):
        done = command(*words, "service.yaml")
        assert (done.code, f"nginx for the operation Standard.{operation}" in done.output) == (3, True), done.output
