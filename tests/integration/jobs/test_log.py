"""The log of a job: it is where it was asked for, with what each of its processes does, and nowhere else."""

from __future__ import annotations

import json

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    one:
      type: tosca.nodes.Root
      interfaces: {Standard: {operations: {create: echo made, configure: ansible.builtin.ping}}}
"""


def test_a_log_tells_of_all_processes_and_leaves_stdout_alone(command, tmp_path):
    (tmp_path / "service.yaml").write_text(SERVICE)
    arguments = ["deploy", "service.yaml", "--approve", "--output", "json", "-vvv", "--log-file", "log"]
    done = command(*arguments, cwd=tmp_path)
    assert done.code == 0, done.output
    assert json.loads(done.stdout)["job"]["exit_code"] == 0
    lines = [line.split(" ", 3) for line in (tmp_path / "log").read_text().splitlines()]
    told = [(name, text) for _time, _process, name, text in lines]
    for name, words in (
        ("cli.main", "deploy "),
        ("cli.main", "deploy ends with exit code 0"),
        ("ensembles.location", "service.yaml means "),
        ("projects.lock", "took lock "),
        ("execution.scheduler", "one:Standard.create is succeeded"),
        ("execution.process", "started process "),
        ("lanes.ansible_lanes", "executor "),
    ):
        assert any(one == f"ansible_ensemble.{name}:" and text.startswith(words) for one, text in told), (name, words)
    assert len({process for _time, process, _name, _text in lines}) > 1
    assert "took lock" in done.stderr


def test_nothing_is_logged_unasked(command, tmp_path):
    (tmp_path / "service.yaml").write_text(SERVICE)
    done = command("deploy", "service.yaml", "--approve", "-vv", cwd=tmp_path)
    assert done.code == 0, done.output
    assert "ansible_ensemble." not in done.output
