"""The type file.Template: written, drifted, repaired and removed, on the hosts of an inventory too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conftest import Run
from .conftest import example

Command = Callable[..., Run]


@pytest.mark.slow
def test_life(command: Command, tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> Run:
        done = command(*words, "--input", f"folder={tmp_path}")
        assert done.code == code, done.output
        return done

    (tmp_path / "service.yaml").write_text(example("file.Template"))
    (tmp_path / "greeting.j2").write_text("Hello {{ name }} on {{ inventory_hostname }}\n")
    run("deploy", "service.yaml", "--approve")
    assert (tmp_path / "greeting").read_text() == "Hello you on localhost\n"
    assert (tmp_path / "settings").read_text() == "mode = 0600\n"
    assert (tmp_path / "settings").stat().st_mode & 0o777 == 0o600

    (tmp_path / "settings").write_text("by hand\n")
    (drifted,) = json.loads(run("check", "--output", "json").stdout)["drift"]
    assert drifted["instance"] == "settings"
    (tmp_path / "greeting.j2").write_text("Hello again, {{ name }}\n")
    assert "Hello again" in run("plan").output
    run("deploy", "--approve")
    assert (tmp_path / "greeting").read_text() == "Hello again, you\n"
    assert (tmp_path / "settings").read_text() == "mode = 0600\n"

    (tmp_path / "greeting.j2").write_text("Bye\n")
    run("deploy", "--approve", code=1)
    assert (tmp_path / "greeting").read_text() == "Hello again, you\n", "what validate refuses is not written"
    run("undeploy", "--approve")
    assert not (tmp_path / "greeting").exists() and not (tmp_path / "settings").exists()


HOSTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    page: {type: file.Template, properties: {path: "FOLDER/{{ inventory_hostname }}", content: x, hosts: [web1, web2]}}
"""
INVENTORY = (
    "web1\nweb2\n[all:vars]\nansible_connection=local\nansible_python_interpreter='{{ ansible_playbook_python }}'\n"
)


def test_on_hosts(command: Command, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (tmp_path / "hosts.ini").write_text(INVENTORY)
    (tmp_path / "service.yaml").write_text(HOSTS.replace("FOLDER", str(there)))
    done = command("deploy", "service.yaml", "--approve", "-i", "hosts.ini")
    assert done.code == 0, done.output
    assert sorted(file.name for file in there.iterdir()) == ["web1", "web2"]
    done = command("undeploy", "--approve", "-i", "hosts.ini")
    assert done.code == 0, done.output
    assert list(there.iterdir()) == []
