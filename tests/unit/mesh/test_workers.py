"""Which node is chosen, and what is said where none can be."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.mesh import carrier, workers
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.nodes import SERVICE, Node
from ansible_ensemble.mesh.signing import KnownKeys, Signer
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

    def make(nodes: list[Node], known_nodes: Path | None = None) -> MeshWorkers:
        async def look_around(path: str) -> list[Node]:
            looks.append(path)
            return nodes

        async def connect(path: str, name: str, service: str) -> Stream:
            return Stream(*await working.connected())

        looks: list[str] = []
        monkeypatch.setattr(workers, "look_around", look_around)
        monkeypatch.setattr(carrier, "connect", connect)
        settings = MeshSettings(Path("socket"), keys / "mine", known_nodes=known_nodes)
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
        asyncio.run(mesh(NODES).able(pattern))


def test_nodes_are_looked_for_once_in_a_while(mesh) -> None:
    async def main() -> list[str]:
        made = mesh(NODES)
        await asyncio.gather(*(made.able("b*") for _ in range(10)))
        return list(made.looks)

    assert asyncio.run(main()) == ["socket"]


def test_a_node_forgets_what_is_finished(mesh, working: Working, tmp_path: Path) -> None:
    async def main() -> None:
        made = mesh([Node("b", services=(SERVICE,))])
        assert (await made.run("b", "one", Command(("true",)))).ok
        assert [*(tmp_path / "kept").glob("orders/*/*")]
        await made.finish("b", ["one"])
        while [*(tmp_path / "kept").glob("orders/*/*")]:
            await asyncio.sleep(0.01)
        await made.close()

    working.during(main)


def test_operations_run_on_nodes_that_are_known(mesh, working: Working, tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text(f"b2 {working.key.public.line}\nx {working.key.public.line}\n")

    async def main() -> tuple[str, ...]:
        made = mesh(NODES, known_nodes=file)
        with pytest.raises(MeshError, match=f"no node b1 can take it: b1 has no key in {file}"):
            await made.able("b1")
        return await made.able("b*")

    assert asyncio.run(main()) == ("b2",)


def test_an_order_does_not_leave_for_a_node_with_another_key(
    mesh, working: Working, keys: Path, tmp_path: Path
) -> None:
    file = tmp_path / "known"
    file.write_text(f"b {Signer(keys / 'yours').public.line}\n")

    async def main() -> Outcome:
        made = mesh([Node("b", services=(SERVICE,))], known_nodes=file)
        try:
            return await made.run("b", "one", Command(("touch", str(tmp_path / "ran"))))
        finally:
            await made.close()

    outcome = working.during(main)
    assert (outcome.ok, outcome.changed, outcome.cancelled, outcome.unreachable) == (False, False, False, False)
    assert f"{file}:1: the worker of b shows the key {working.key.public.fingerprint}" in str(outcome.error)
    assert not (tmp_path / "ran").exists()


def test_the_keys_of_nodes_are_read_before_a_job_begins(mesh, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nosuch: there is no such file"):
        mesh(NODES, known_nodes=tmp_path / "nosuch").load_signer()


def test_nodes_that_a_plan_wants_and_that_are_missing(mesh, keys: Path) -> None:
    mesh(NODES)
    settings = MeshSettings(Path("socket"), keys / "mine")
    assert asyncio.run(MeshWorkers(settings, Path(), bool).missing(["b*", "c", "c"])) == [
        "no node c can take it: c is unreachable"
    ]
