"""What comes of trying workers: those that answer, and those of which something is wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ansible_ensemble.mesh import control, hello, trial
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.hello import PROTOCOL, Hello, hello_of, own_hello
from ansible_ensemble.mesh.known_nodes import KnownNodes
from ansible_ensemble.mesh.nodes import SERVICE, Node
from ansible_ensemble.mesh.signing import PublicKey, kept_signer
from ansible_ensemble.mesh.trial import Trial, try_nodes
from tests.unit.mesh.conftest import Working

B = Node("b", services=(SERVICE,))


@pytest.fixture
def tried(working: Working, monkeypatch: pytest.MonkeyPatch):
    """Tries nodes, all of which lead to one worker, that of b."""

    def trials(nodes: list[Node], *names: str, known: KnownNodes | None = None) -> list[Trial]:
        async def look_around(path: str) -> list[Node]:
            return nodes

        async def connect(path: str, name: str, service: str) -> Stream:
            return Stream(*await working.connected())

        monkeypatch.setattr(trial, "look_around", look_around)
        monkeypatch.setattr(trial, "connect", connect)
        return working.during(lambda: try_nodes("socket", names, known=known))

    return trials


def test_a_worker_that_is_as_this_machine(tried) -> None:
    [one] = tried([Node("a", is_here=True), B])
    assert (one.node, one.problem, one.differences) == ("b", None, ())
    assert replace(one.hello, challenge="") == own_hello("b")
    assert one.seconds > 0
    assert one.fingerprint == PublicKey.of(one.key).fingerprint


def test_a_node_that_is_named_is_tried_whatever_it_publishes(tried) -> None:
    [one] = tried([Node("a", is_here=True), replace(B, services=()), Node("c")], "b")
    assert one.problem is None


def test_a_node_that_cannot_be_reached(tried) -> None:
    assert tried([replace(B, is_reachable=False)]) == [Trial("b", problem="there is no way to it")]


def test_a_key_is_added_and_has_to_be_the_same_from_then_on(tried, working: Working, tmp_path: Path) -> None:
    file = tmp_path / "known"
    [one] = tried([B], known=KnownNodes(file, accept_new=True))
    assert (one.problem, file.read_text()) == (None, f"b {one.key}\n")
    [one] = tried([B], known=KnownNodes(file))
    assert one.problem is None
    working.key = kept_signer(tmp_path / "another")
    [one] = tried([B], known=KnownNodes(file, accept_new=True))
    assert f"{file}:1: the worker of b shows the key {working.key.public.fingerprint}" in one.problem


def test_a_worker_of_another_node(tried) -> None:
    [one] = tried([replace(B, name="c")])
    assert "says that it is that of 'b'" in one.problem


@pytest.mark.parametrize(
    ("nodes", "names", "problem"),
    [
        ([Node("a", is_here=True)], [], "no node publishes a worker"),
        ([B], ["bb"], "there is no node bb .*b"),
    ],
)
def test_nothing_to_try(tried, nodes: list[Node], names: list[str], problem: str) -> None:
    with pytest.raises(MeshError, match=problem):
        tried(nodes, *names)


def test_a_worker_that_says_nothing_is_not_waited_for(tried, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*_arguments: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("ansible_ensemble.mesh.worker._answer", silent)
    monkeypatch.setattr(control, "PATIENCE", 0.05)
    assert [one.problem for one in tried([B])] == ["no worker has answered within 0.05 s"]


def test_what_differs_is_told(tried, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Hello("", PROTOCOL, version="9", python="3.99", ansible_core="9.1.2", collections={"a.b": "1.0", "c.d": "2"})
    there = replace(here, node="b", version="8", ansible_core="9.0.1", collections={"a.b": "1.1", "e.f": "1"})
    monkeypatch.setattr(trial, "own_hello", lambda node: here)
    monkeypatch.setattr("ansible_ensemble.mesh.worker.own_hello", lambda node: there)
    assert [one.differences for one in tried([B])] == [
        (
            "ansible-ensemble 8, here 9",
            "ansible-core 9.0.1, here 9.1.2",
            "a.b 1.1, here 1.0",
            "no collection c.d",
        )
    ]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (None, "nobody listens behind the service of b"),
        ({}, "does not speak as a worker does"),
        ({"hello": 1}, "does not speak as a worker does"),
        ({"hello": {"node": "b"}}, "does not speak as a worker does"),
        ({"hello": to_builtins(replace(own_hello("b"), protocol=1))}, f"speaks protocol 1, and this is {PROTOCOL}"),
        ({"hello": to_builtins(own_hello("c"))}, "says that it is that of 'c' .*--node b"),
    ],
)
def test_what_is_no_hello(message: dict[str, Any] | None, problem: str) -> None:
    with pytest.raises(MeshError, match=problem):
        hello_of(message, "b")


def test_collections_are_those_that_ansible_finds_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, name, manifest in (
        ("one", "a/b", '{"collection_info": {"version": "1.0"}}'),
        ("two", "a/b", '{"collection_info": {"version": "2.0"}}'),
        ("two", "c/d", "{"),
        ("two", "e/f", '{"collection_info": []}'),
        ("two", "g-1.0.info/h", "{}"),
    ):
        (tmp_path / folder / name).mkdir(parents=True)
        (tmp_path / folder / name / "MANIFEST.json").write_text(manifest)
    monkeypatch.setattr(hello, "collection_folders", lambda root: (tmp_path / "one", tmp_path / "no", tmp_path / "two"))
    assert own_hello("b").collections == {"a.b": "1.0", "c.d": "*", "e.f": "*"}
