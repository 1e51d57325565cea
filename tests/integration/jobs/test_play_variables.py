"""What plays see of the model: SELF and HOST."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer}, unused: {type: integer}, word: {type: string, metadata: {sensitive: true}}}
    attributes: {said: {type: string}, late: {type: string}}
    requirements: [{host: {capability: tosca.capabilities.Compute, relationship: tosca.relationships.HostedOn}}]
topology_template:
  inputs: {port: {type: integer}, unused: {type: integer}}
  node_templates:
    machine: {type: tosca.nodes.Compute, attributes: {private_address: 127.0.0.1}}
    app:
      type: App
      properties: {port: {get_input: port}, unused: {get_input: unused}, word: hush}
      requirements: [{host: machine}]
      interfaces: {Standard: {operations: {create: tasks.yaml}}}
"""
TASKS = """
- include_tasks: more.yaml
"""
MORE = """
- set_stats:
    data:
      said: "{{ SELF['.name'] }} {{ SELF.port }} {{ HOST.private_address }} {{ SELF.late | default('none') }}"
- debug: {msg: "it is {{ SELF.word }}"}
"""


def test_a_play_sees_what_it_names(command: Callable[..., Any], tmp_path: Path) -> None:
    for name, text in {"service.yaml": SERVICE, "tasks.yaml": TASKS, "more.yaml": MORE}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )

    def deploy(port: int, unused: int) -> str:
        run = command("deploy", "-y", "--input", f"port={port}", "--input", f"unused={unused}", "ensemble.yaml")
        assert run.code == 0, run.output
        return str(run.output)

    deploy(80, 1)
    assert command("query", "::app::said").stdout.strip() == "app 80 127.0.0.1 none"
    assert "No changes" in deploy(80, 1)
    assert "No changes" in deploy(80, 2)
    assert "No changes" not in deploy(81, 2)
    written = "".join(path.read_text() for path in tmp_path.glob("jobs/**/*") if path.is_file())
    assert "it is" in written
    assert "hush" not in written


EVALUATED = """
- set_stats: {data: {said: "{{ '::app::port' | eval }} {{ '.targets::host::.name' | ref }} {{ SELF.port }}"}}
- debug: {msg: "it is {{ '.::word' | eval }}"}
- assert: {that: "'::app::port' | eval == SELF.port"}
"""


def test_a_play_has_what_its_expressions_give(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "tasks.yaml").write_text(EVALUATED)

    def deploy(port: int) -> str:
        run = command("deploy", "-y", "--input", f"port={port}", "--input", "unused=1", "service.yaml")
        assert run.code == 0, run.output
        return str(run.output)

    deploy(80)
    assert command("query", "::app::said").stdout.strip() == "80 machine 80"
    assert "No changes" in deploy(80)
    assert "No changes" not in deploy(81)
    assert "hush" not in "".join(path.read_text() for path in tmp_path.glob("jobs/**/*") if path.is_file())


def test_the_filter_eval_of_what_is_computed_is_refused_before_anything_runs(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "tasks.yaml").write_text("- debug: {msg: \"{{ ('::machine::' ~ name) | eval }}\"}\n")
    (tmp_path / "inputs.yaml").write_text("{port: 1, unused: 1}\n")
    for run in (command("validate", "service.yaml"), command("plan", "--inputs", "inputs.yaml", "service.yaml")):
        assert run.code == 3, run.output
        assert "take a text in quotes" in run.output


COLOURED = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: tasks.yaml}}}}
"""


def test_a_play_has_the_variables_of_the_saved_plan(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(COLOURED)
    (tmp_path / "tasks.yaml").write_text(
        "- copy: {dest: '{{ playbook_dir }}/made', content: '{{ text }} {{ db_password }}'}"
    )
    variables = ("-e", '{"colour": "red", "text": "it is {{ colour }}", "db_password": "hush-4711"}')
    planned = command("plan", "service.yaml", "--out", "plan.json", *variables)
    assert planned.code == 0, planned.output
    assert "give the variable db_password there again" in " ".join(planned.output.split())
    assert "hush" not in (tmp_path / "plan.json").read_text()
    refused = command("deploy", "plan.json", "-e", "colour=blue", "-e", "db_password=hush-4711")
    assert refused.code == 1
    assert "the plan is stale: the variables have changed" in " ".join(refused.output.split())
    assert not (tmp_path / "made").exists()
    done = command("deploy", "plan.json", "-e", "db_password=hush-4711")
    assert done.code == 0, done.output
    assert (tmp_path / "made").read_text() == "it is red hush-4711"
