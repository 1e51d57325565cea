"""Hosts of an inventory, reached by ssh and by the local connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.lanes.session import AnsibleSession, standalone_session
from ansible_ensemble.machines.ansible_process import AnsibleProcess
from tests.integration.provision.conftest import Walking
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Wire
from tests.integration.sshd import PYTHON, SSHD, Servers, serving

#: Runs work with Ansible in a process of its own, and gives what it results in.
Use = Callable[[Callable[[AnsibleProcess], Awaitable[Any]]], Any]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Two servers for ssh."""
    if SSHD is None:
        pytest.skip("there is no sshd")
    with serving(tmp_path / "ssh", ("one", "two")) as found:
        yield found


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """An inventory whose host `here` is this machine."""
    hosts = {"here": {"ansible_connection": "local", "ansible_python_interpreter": PYTHON}}
    return written(tmp_path / "local.json", hosts)


@pytest.fixture
def by_ssh(tmp_path: Path, servers: Servers) -> Path:
    """An inventory of the servers."""
    common = servers.variables(tmp_path / "known")
    hosts = {
        name: {**common, "ansible_host": "127.0.0.1", "ansible_port": port} for name, port in servers.ports.items()
    }
    return written(tmp_path / "ssh.json", hosts)


def written(path: Path, hosts: dict[str, Any]) -> Path:
    """An inventory of these hosts, as YAML knows it."""
    path.write_text(json.dumps({"all": {"hosts": hosts}}))
    return path.rename(path.with_suffix(".yaml"))


@pytest.fixture
def use() -> Callable[[Path], Use]:
    """Work with the hosts of an inventory."""

    def of(inventory: Path) -> Use:
        def made() -> AnsibleSession:
            return standalone_session(inventory)

        def used(work: Callable[[AnsibleProcess], Awaitable[Any]]) -> Any:
            async def main() -> Any:
                async with ansible:
                    return await work(ansible)

            ansible = AnsibleProcess(made, 4)
            return asyncio.run(main())

        return used

    return of


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lasting]:
    """A server of machines that tests share."""
    server = Lasting(tmp_path_factory.mktemp("shared"))
    yield server
    assert server.stop() == 0
    assert server.complaints == []


@pytest.fixture
def walk(shared: Lasting, tmp_path: Path) -> Walking:
    """Run a walk over the shared server."""

    def walked(steps: Callable[[Walk], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with Wire(shared.endpoint) as wire:
                await steps(Walk(wire, tmp_path))

        asyncio.run(whole())

    return walked
