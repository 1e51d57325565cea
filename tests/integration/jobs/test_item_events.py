"""Under ansible-runner each operation is an event of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    web1: {type: tosca.nodes.Compute}
    one: {type: tosca.nodes.SoftwareComponent, requirements: [{host: web1}],
      interfaces: {Standard: {create: {implementation: ansible.builtin.copy, inputs: {
      content: hello, dest: FOLDER/one}}}}}
    two: {type: tosca.nodes.Root, interfaces: {Standard: {create: "echo no room >&2; exit 3"}}}
"""


def test_each_operation_is_an_item(command, tmp_path: Path):
    service = tmp_path / "ensemble" / "service.yaml"
    service.parent.mkdir()
    service.write_text(SERVICE.replace("FOLDER", str(tmp_path)))
    run = tmp_path / "run"
    (tmp_path / "hosts.ini").write_text(f"web1 ansible_connection=local ansible_python_interpreter={sys.executable}\n")
    options = ["--ident", "it", "--cmdline", f"-e ensemble={service} --diff -i {tmp_path}/hosts.ini"]
    done = command("run", str(run), "-p", "tosca.ensemble.deploy", *options, program="ansible-runner")
    assert (done.code, (tmp_path / "one").read_text()) == (2, "hello"), done.output

    events = [json.loads(path.read_text()) for path in (run / "artifacts" / "it" / "job_events").glob("*.json")]
    items = {
        event["event_data"]["res"]["instance"]: (event["event"], event["event_data"]["res"], event["stdout"])
        for event in events
        if event["event"].startswith("runner_item_on_") and "instance" in event["event_data"]["res"]
    }
    kind, result, shown = items["one"]
    assert (kind, result["changed"], result["item"]) == ("runner_item_on_ok", True, "one: create")
    assert result["diff"][0]["after"] == "hello"
    assert (result["host"], "[localhost -> web1]" in shown) == ("web1", True)
    kind, result, shown = items["two"]
    assert (kind, result["rc"], result["msg"]) == ("runner_item_on_failed", 3, "exit code 3: no room")
    assert (result["host"], "->" in shown) == ("localhost", False)
