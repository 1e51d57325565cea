"""Connections that break at any byte: an operation is done once or is known to have failed, and nothing stays."""

from __future__ import annotations

import asyncio
import random
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Host, ModuleCall, Outcome
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from tests.integration.sshd import SSHD, Servers, serving

from .test_lanes import shell, until, use

pytestmark = pytest.mark.skipif(SSHD is None, reason="sshd is not installed")
CUTS = 50
#: About as many bytes go over the wire for the orders below, where ssh does not compress them.
ALL = 300_000
RELAY = Path(__file__).with_name("cutting.py")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(tmp_path_factory.mktemp("ssh") / "servers", ["web1"]) as servers:
        yield servers


def host(server: Servers, folder: Path, cut: int = 0, seconds: float = 0) -> Host:
    """A host behind a way that breaks, or is slow."""
    folder.mkdir()
    words = [sys.executable, RELAY, server.ports["web1"], folder, cut, seconds]
    way = shlex.quote(f"ProxyCommand={shlex.join(map(str, words))}")
    strict = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ControlPath=none"
    variables: dict[str, Any] = {
        **server.variables(Path("/dev/null")),
        "ansible_host": "127.0.0.1",
        "ansible_port": server.ports["web1"],
        "ansible_ssh_args": "",
        "ansible_ssh_common_args": f"{strict} -o {way}",
        "ansible_remote_tmp": str(server.work / folder.name),
    }
    return Host(folder.name, variables)


def copy(path: Path, place: Host) -> ModuleCall:
    return ModuleCall("ansible.builtin.copy", {"content": "x" * 100_000, "dest": str(path)}, host=place)


@pytest.mark.matrix
def test_cut_anywhere(server: Servers, tmp_path: Path) -> None:
    numbers = random.Random(CUTS)
    hosts = [host(server, tmp_path / f"web{number}", numbers.randrange(1, ALL)) for number in range(CUTS)]

    async def each(lanes: AnsibleLanes, place: Host) -> list[Outcome]:
        folder = tmp_path / place.name
        return [
            await lanes.run(order)
            for order in (
                shell(f"echo >> {folder}/one; echo >> {folder}/two", host=place),
                copy(folder / "copied", place),
                shell(f"echo >> {folder}/three", host=place),
            )
        ]

    async def work(lanes: AnsibleLanes) -> list[list[Outcome]]:
        return list(await asyncio.gather(*(each(lanes, place) for place in hosts)))

    found = use(work, executors=4)[0]
    for place, outcomes in zip(hosts, found, strict=True):
        folder = tmp_path / place.name
        failed = [outcome for outcome in outcomes if not outcome.ok]
        assert len(failed) <= 1, f"{place.name} was cut once"
        assert all(outcome.unreachable for outcome in failed), failed
        one, two, three = (times(folder / name) for name in ("one", "two", "three"))
        assert max(one, two, three) <= 1, f"nothing ran twice on {place.name}"
        assert not outcomes[0].ok or one == two == 1
        assert not outcomes[2].ok or three == 1
        assert not outcomes[1].ok or (folder / "copied").stat().st_size == 100_000
    cut = sum((tmp_path / place.name / "cut").exists() for place in hosts)
    assert cut >= CUTS / 2, "few were cut"
    asyncio.run(until(lambda: not left(server)))


def times(file: Path) -> int:
    """How many times a line was written."""
    return file.read_text().count("\n") if file.exists() else 0


def left(server: Servers) -> list[Path]:
    """Temporary folders on the host."""
    return list(server.work.glob("web*/ansible-tmp-*"))


def test_a_slow_way(server: Servers, tmp_path: Path) -> None:
    place = host(server, tmp_path / "slow", seconds=0.05)
    outcomes = use(lambda lanes: lanes.run(copy(tmp_path / "copied", place)), executors=1)[0]
    assert (outcomes.ok, outcomes.lane) == (True, "remote"), outcomes.error
    assert (tmp_path / "copied").stat().st_size == 100_000
