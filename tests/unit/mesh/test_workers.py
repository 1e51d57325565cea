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
def mesh(working: Working, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes the workers of nodes, all of which lead to one worker, that of b."""

    working.keys = KnownKeys(keys / "mine.pub")

    def make(nodes: list[Node], per_node: int = 24) -> MeshWorkers:
        async def look_around(path: str) -> list[Node]:
            looks.append(path)
            return nodes

        async def connect(path: str, name: str, service: str) -> Stream:
            return Stream(*await working.connected())

        looks: list[str] = []
        monkeypatch.setattr(workers, "look_around", look_around)
        monkeypatch.setattr(carrier, "connect", connect)
        settings = MeshSettings(Path("socket"), keys / "mine", per_node=per_node)
        made = MeshWorkers(settings, tmp_path, lambda path: path.name.startswith("kept"))
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


def test_operations_are_spread_by_what_each_node_has(mesh) -> None:
    async def main() -> list[str]:
        made = mesh(NODES)
        chosen = await asyncio.gather(*(made.choose("b*") for _ in range(4)))
        await made.finish("b2", [])
        return [*chosen, await made.choose("b*")]

    assert asyncio.run(main()) == ["b1", "b2", "b1", "b2", "b2"]


def test_a_node_has_no_more_than_it_may(mesh) -> None:
    async def main() -> list[str]:
        made = mesh(NODES, per_node=1)
        chosen = [await made.choose("b*"), await made.choose("b*")]
        on_b1, anywhere = (asyncio.create_task(made.choose(pattern)) for pattern in ("b1", "b*"))
        await made.finish("b2", [])
        chosen.append(await anywhere)
        assert not on_b1.done()
        await made.finish("b1", [])
        return [*chosen, await on_b1]

    assert asyncio.run(main()) == ["b1", "b2", "b2", "b1"]


def test_a_node_forgets_what_is_finished(mesh, working: Working, tmp_path: Path) -> None:
    async def main() -> None:
        made = mesh([Node("b", services=(SERVICE,))])
        assert (await made.run(await made.choose("b"), "one", Command(("true",)))).ok
        assert [*(tmp_path / "kept").glob("orders/*/*")]
        await made.finish("b", ["one"])
        while [*(tmp_path / "kept").glob("orders/*/*")]:
            await asyncio.sleep(0.01)
        await made.close()

    working.during(main)
