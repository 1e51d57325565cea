"""Which node is chosen, and what is said where none can be."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ansible_ensemble.core.orders import Command
from ansible_ensemble.mesh import carrier, workers
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.nodes import SERVICE, Node
from ansible_ensemble.mesh.signing import KnownKeys
from ansible_ensemble.mesh.workers import MeshWorkers
from ansible_ensemble.projects.mesh_settings import MeshSettings
from tests.unit.mesh.conftest import Working

NODES = [
    Node("a", is_here=True),
    Node("b1", services=(SERVICE,)),
    Node("b2", services=(SERVICE,)),
    Node("c", services=(SERVICE,), is_reachable=False),
]


@pytest.fixture
def mesh(working: Working, keys: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes the workers of nodes, all of which lead to one worker, that of b."""

    working.keys = KnownKeys(keys / "mine.pub")

    def make(nodes: list[Node]) -> MeshWorkers:
        async def look_around(path: str) -> list[Node]:
            looks.append(path)
            return nodes

        async def connect(path: str, name: str, service: str) -> Stream:
            return Stream(*await working.connected())

        looks: list[str] = []
        monkeypatch.setattr(workers, "look_around", look_around)
        monkeypatch.setattr(carrier, "connect", connect)
        made = MeshWorkers(MeshSettings(Path("socket"), keys / "mine"))
        made.looks = looks  # type: ignore[attr-defined]
        return made

    return make


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("c", "no node c can take it: c is unreachable"),
        ("[ac]", r"no node \[ac\] can take it: a has no worker, c is unreachable"),
        ("dc2-*", r"no node dc2-\* can take it: there is none of this name"),
    ],
)
def test_why_no_node_can_take_it(mesh, pattern: str, problem: str) -> None:
    with pytest.raises(MeshError, match=problem):
        asyncio.run(mesh(NODES).choose(pattern))


def test_nodes_are_looked_for_once_in_a_while(mesh) -> None:
    async def main() -> list[str]:
        made = mesh(NODES)
        await asyncio.gather(*(made.choose("b*") for _ in range(10)))
        return list(made.looks)

    assert asyncio.run(main()) == ["socket"]


def test_the_one_that_has_least_to_do_is_chosen(mesh, working: Working, tmp_path: Path) -> None:
    async def main() -> list[str]:
        made = mesh([Node("b", services=(SERVICE,)), Node("b2", services=(SERVICE,))])
        line = f"touch {tmp_path}/ran; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done"
        chosen = [await made.choose("b*")]
        running = asyncio.create_task(made.run("b", "one", Command((line,), shell="/bin/sh")))
        while not (tmp_path / "ran").exists():
            await asyncio.sleep(0.01)
        chosen.append(await made.choose("b*"))
        (tmp_path / "go").touch()
        assert (await running).ok
        chosen.append(await made.choose("b*"))
        await made.acknowledge("b", ["one"])
        while [*(tmp_path / "kept").glob("orders/*/*")]:
            await asyncio.sleep(0.01)
        await made.close()
        return chosen

    assert working.during(main) == ["b", "b2", "b"]
