"""The types docker.*, with an engine that the tests start: made, drifted, repaired and taken down."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conftest import Run
from ..unfurl.samples import write_sample
from .conftest import COMPOSE, Docker, example

Command = Callable[..., Run]


def test_life(command: Command, docker: Docker, tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, extra=docker.environment)
        assert done.code == 0, done.output
        return done

    (tmp_path / "service.yaml").write_text(example("docker.Container"))
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


@pytest.mark.skipif(not COMPOSE.is_dir(), reason="make docker-compose builds the plugin")
def test_a_project_of_compose(command: Command, docker: Docker, tmp_path: Path) -> None:
    def run(*words: str) -> Run:
        done = command(*words, extra=docker.environment)
        assert done.code == 0, done.output
        return done

    def running() -> set[str]:
        return set(docker("ps", "--format", "{{.Names}}").split())

    docker("load", "--input", str(docker.archive))
    (tmp_path / "service.yaml").write_text(example("docker.Compose"))
    run("deploy", "service.yaml", "--approve")
    assert running() == {"shop-store-1", "shop-front-1"}
    assert "nothing to do" in run("deploy", "--approve").output

    docker("rm", "--force", "shop-store-1")
    statuses = json.loads(run("check", "--output", "json").stdout)
    assert [one["instance"] for one in statuses["drift"]] == ["shop"]
    run("deploy", "--approve")
    assert running() == {"shop-store-1", "shop-front-1"}

    run("deploy", "--approve", "--input", "word=two")
    assert "WORD=two" in docker("inspect", "shop-store-1", "--format", "{{.Config.Env}}")

    run("undeploy", "--approve")
    assert docker("container", "ls", "--all", "--quiet") == ""
    docker("rmi", "box:1")


def test_a_container_of_the_standard(command: Command, docker: Docker, tmp_path: Path) -> None:
    docker("load", "--input", str(docker.archive))
    (tmp_path / "service.yaml").write_text(example("tosca.nodes.Container.Application.Docker"))
    done = command("deploy", "service.yaml", "--approve", extra=docker.environment)
    assert done.code == 0, done.output
    assert "STEP=2" in docker("inspect", "counter", "--format", "{{.Config.Env}}")
    done = command("undeploy", "--approve", extra=docker.environment)
    assert done.code == 0, done.output
    assert docker("container", "ls", "--all", "--quiet") == ""
    docker("rmi", "box:1")


@pytest.mark.parametrize("name", ["docker-configuration", "docker-container"])
def test_a_sample_of_unfurl(command: Command, docker: Docker, tmp_path: Path, name: str) -> None:
    docker("load", "--input", str(docker.archive))
    write_sample(name, tmp_path)
    done = command("deploy", "--approve", extra=docker.environment)
    assert done.code == 0, done.output
    found = docker("inspect", "greeter", "--format", "{{.Path}} {{.HostConfig.NetworkMode}} {{.Config.Env}}")
    assert found.startswith("/bin/sleep none ") and "WORD=open" in found
    done = command("undeploy", "--approve", extra=docker.environment)
    assert done.code == 0, done.output
    assert docker("container", "ls", "--all", "--quiet") == ""
    docker("rmi", "box:1")
