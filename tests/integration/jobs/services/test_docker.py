"""The types docker.*, with an engine that the tests start: made, drifted, repaired and taken down."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ..conftest import Run
from .conftest import Docker

Command = Callable[..., Run]

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {archive: {type: string}, word: {type: string, default: one}}
  node_templates:
    box: {type: docker.Image, properties: {tag: "1", source: load, load_path: {get_input: archive}}}
    inside: {type: docker.Network, properties: {internal: true}}
    data: {type: docker.Volume}
    app:
      type: docker.Container
      properties:
        image: "box:1"
        command: [/bin/sleep, "100000"]
        env: {WORD: {get_input: word}}
        networks: [{name: inside}]
        volumes: ["data:/data"]
        stop_timeout: 1
      requirements: [{dependency: box}, {dependency: inside}, {dependency: data}]
"""


def test_life(command: Command, docker: Docker, tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, extra=docker.environment)
        assert done.code == 0, done.output
        return done

    (tmp_path / "service.yaml").write_text(SERVICE)
    given = ("--input", f"archive={docker.archive}")
    run("deploy", "service.yaml", "--approve", *given)
    assert docker("inspect", "app", "--format", "{{.State.Running}} {{.Config.Image}}") == "true box:1"
    assert "nothing to do" in run("deploy", "--approve", *given).output

    docker("rm", "--force", "app")
    statuses = json.loads(run("check", "--output", "json", *given).stdout)
    assert [one["instance"] for one in statuses["drift"]] == ["app"]
    run("deploy", "--approve", *given, "--input", "word=two")
    assert "WORD=two" in docker("inspect", "app", "--format", "{{.Config.Env}}")

    run("undeploy", "--approve", *given)
    for kind in ("container ls --all", "volume ls", "image ls", "network ls --filter name=inside"):
        assert docker(*kind.split(), "--quiet") == "", kind
