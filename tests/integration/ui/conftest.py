"""A project with an ensemble, and its pages."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ansible_ensemble.ui.access import Access, hosts_of
from ansible_ensemble.ui.application import Pages
from ansible_ensemble.ui.users import Users

SECRET = "a word that nobody may see"
HOSTILE = "<img src=x onerror=alert(1)>"
SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    port: {type: integer, default: 80, constraints: [{in_range: [1, 65535]}], description: HOSTILE}
    names: {type: list, entry_schema: {type: string}, default: [a, b]}
    pin: {type: string, default: SECRET, metadata: {sensitive: true}}
  node_templates:
    db: {type: tosca.nodes.Root, interfaces: {Standard: {create: &create ./create.sh, delete: &delete "echo gone"}}}
    app:
      type: tosca.nodes.Root
      requirements: [{dependency: db}]
      interfaces:
        Standard:
          create:
            implementation: *create
            inputs: {PORT: {get_input: port}, PIN: {get_input: pin}}
          delete: *delete
  outputs:
    port: {value: {get_input: port}, description: HOSTILE}
    greeting: {value: HOSTILE}
"""
CREATE = """#!/bin/sh
echo "$PIN HOSTILE \033[31m"
test -z "$WAITS_FOR" || until test -e "$WAITS_FOR"; do sleep 0.05; done
"""


PROGRAM = "import sys; from ansible_ensemble.cli.main import main; sys.exit(main())"


def begun(project: Path, *words: str, output: int = subprocess.PIPE, **variables: str) -> subprocess.Popen[str]:
    """The command, which runs in a project; what it prints and complains about is one."""
    return subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM, *words],
        cwd=project,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def ended(project: Path, *words: str, **variables: str) -> tuple[int, str]:
    """The command's exit code, and what it printed, at its end."""
    process = begun(project, *words, **variables)
    printed, _none = process.communicate(timeout=120)
    return process.returncode, printed


class Served:
    """The pages of a project, in a thread of its own.

    Attributes:
        root: the project's folder.
        ensemble: its only ensemble, as the API names it.
    """

    def __init__(self, root: Path, users: Users | None = None, port: int = 0) -> None:
        self.root = root
        self.ensemble = "web/ensemble.yaml"
        self._access = Access(frozenset(), users=users)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._runner, self._port = self._run(self._start(port))

    async def _start(self, port: int) -> tuple[web.AppRunner, int]:
        runner = web.AppRunner(Pages(self.root, self._access).application(), shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        port = runner.addresses[0][1]
        self._access.hosts = hosts_of(port)
        return runner, port

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(120)

    @property
    def url(self) -> str:
        """Where the pages are."""
        return f"http://127.0.0.1:{self._port}"

    def address(self) -> str:
        """An address that opens once."""
        return f"{self.url}/?token={self._access.new_token()}"

    def close(self) -> None:
        if self._loop.is_closed():
            return
        self._run(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose one ensemble is not deployed."""
    web = tmp_path / "web"
    (tmp_path / "ensemble-project.yaml").write_text("environments: {}\n")
    web.mkdir()
    (web / "create.sh").write_text(CREATE.replace("HOSTILE", HOSTILE))
    (web / "create.sh").chmod(0o755)
    (web / "service.yaml").write_text(SERVICE.replace("HOSTILE", HOSTILE).replace("SECRET", SECRET))
    (web / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    return tmp_path


@pytest.fixture
def served(project: Path) -> Iterator[Served]:
    pages = Served(project)
    yield pages
    pages.close()
