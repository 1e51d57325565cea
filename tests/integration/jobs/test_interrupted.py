"""Jobs whose processes are all killed with SIGKILL while a known operation runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.jobs.inspection import status
from tests.integration.jobs.processes import kill_all, wait_for, working_in

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Slow:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
    interfaces:
      Install: {operations: {check: "if test -e made; then echo '{\\"status\\": \\"ok\\"}'; else exit 1; fi"}}
      Standard:
        operations:
          create: "touch made; echo create >> log; test -e go || sleep 600; echo '{\\"url\\": \\"http://x\\"}'"
          start: echo start >> log
          stop: echo stop >> log; rm -f made
          delete: echo delete >> log; test -e go || sleep 600
  Reader:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        operations:
          create: {implementation: 'echo "got $url" >> log', inputs: {url: {get_attribute: [slow, url]}}}
topology_template:
  node_templates:
    slow: {type: Slow}
    reader: {type: Reader, requirements: [{dependency: slow}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ensemble"
    folder.mkdir()
    (folder / "service.yaml").write_text(SERVICE)
    return folder


def kill_within(start: Callable, folder: Path, workflow: str, operation: str) -> None:
    (folder / "go").unlink(missing_ok=True)
    start(workflow, "--approve", "service.yaml", cwd=folder)
    log = folder / "log"
    wait_for(lambda: log.exists() and log.read_text().endswith(f"{operation}\n"), operation)
    kill_all(folder)
    wait_for(lambda: not working_in(folder), "the end of all processes")
    (folder / "go").touch()


@pytest.mark.parametrize("checked", [False, True])
def test_what_an_interrupted_create_was_to_report_is_reported(
    command: Callable, start: Callable, folder: Path, checked: bool
) -> None:
    kill_within(start, folder, "deploy", "create")
    if checked:
        assert "1 ok" in command("check", "service.yaml", cwd=folder).output
    done = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert done.code == 0, done.output
    assert (folder / "log").read_text().split("\n") == ["create", "create", "start", "got http://x", ""]
    [slow] = [one for one in status(str(folder / "service.yaml"), {})["instances"] if one["name"] == "slow"]
    assert slow["attributes"] == {"url": "http://x"}


def test_a_stop_that_ended_does_not_run_again_for_an_interrupted_delete(
    command: Callable, start: Callable, folder: Path
) -> None:
    (folder / "go").touch()
    assert command("deploy", "--approve", "service.yaml", cwd=folder).code == 0
    (folder / "log").unlink()
    kill_within(start, folder, "undeploy", "delete")
    done = command("undeploy", "--approve", "service.yaml", cwd=folder)
    assert done.code == 0, done.output
    assert (folder / "log").read_text().split() == ["stop", "delete", "delete"]
