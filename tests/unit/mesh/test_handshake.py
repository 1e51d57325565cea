"""A worker proves which key its node has, and nobody else can do so in its place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.handshake import Met, meet, prove
from ansible_ensemble.mesh.hello import own_hello
from ansible_ensemble.mesh.known_nodes import KnownNodes, UntrustedNode
from ansible_ensemble.mesh.signing import Signer
from ansible_ensemble.mesh.wire import Wire
from tests.unit.mesh.conftest import Working


@pytest.fixture
def known(keys: Path, tmp_path: Path) -> KnownNodes:
    """Knows b by the key mine."""
    (tmp_path / "known").write_text(f"b {Signer(keys / 'mine').public.line}\n")
    return KnownNodes(tmp_path / "known")


def test_both_ends_have_the_same_key_and_nobody_else(working: Working, keys: Path) -> None:
    async def talk() -> list[Met]:
        found = []
        for _ in range(2):
            async with Wire(Stream(*await working.connected())) as wire:
                found.append(await meet(wire, "b"))
        return found

    working.key = Signer(keys / "mine")
    one, other = working.during(talk)
    assert one.key == other.key == Signer(keys / "mine").public
    told = one.connection.tell(Signer(keys / "yours"), "secret")["told"]
    with pytest.raises(MeshError):
        other.connection.heard(told)


@pytest.mark.parametrize(("key", "is_trusted"), [("mine", True), ("yours", False)])
def test_a_known_node_has_its_key(
    working: Working, known: KnownNodes, keys: Path, key: str, *, is_trusted: bool
) -> None:
    async def talk() -> bool:
        async with Wire(Stream(*await working.connected())) as wire:
            try:
                await meet(wire, "b", known)
            except UntrustedNode:
                return False
            return True

    working.key = Signer(keys / key)
    assert working.during(talk) is is_trusted


@pytest.mark.parametrize("case", ["repeated", "its own", "of another node", "none", "rubbish", "no share", "zero"])
def test_who_passes_for_a_node_is_not_told_anything(known: KnownNodes, keys: Path, tmp_path: Path, case: str) -> None:
    hello = own_hello("b")
    mine = Signer(keys / "mine")
    seen, _connection = prove(mine, hello, prove(mine, hello, _SHARE)[0].share)  # as b told somebody else
    heard: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(frames.encode({"hello": to_builtins(hello)}))
        asked = await frames.read(reader)
        assert asked is not None
        own, _connection = prove(Signer(keys / "yours"), hello, asked["share"])
        of_c, _connection = prove(mine, replace(hello, node="c"), asked["share"])
        answer = {
            "repeated": to_builtins(seen),
            "its own": to_builtins(replace(own, key=seen.key)),
            "of another node": to_builtins(of_c),
            "none": {},
            "rubbish": {"key": "x" * 9999, "share": "x", "signature": "é"},
            "no share": to_builtins(replace(own, share="AAAA")),
            "zero": to_builtins(replace(own, share="A" * 43 + "=")),
        }[case]
        writer.write(frames.encode(answer))
        while (message := await frames.read(reader)) is not None:
            heard.append(message)
        writer.close()

    async def main() -> None:
        server = await asyncio.start_unix_server(serve, tmp_path / "s")
        async with server, Wire(Stream(*await asyncio.open_unix_connection(tmp_path / "s"))) as wire:
            with pytest.raises(UntrustedNode):
                await meet(wire, "b", known)

    asyncio.run(main())
    assert heard == []


def test_a_worker_refuses_a_share_that_is_none(working: Working) -> None:
    async def talk() -> list[bool]:
        found = []
        for share in ("", "AAAA", "é", "A" * 43 + "="):
            reader, writer = await working.connected()
            writer.write(frames.encode({"share": share}))
            found.append([await frames.read(reader) is None for _ in range(2)] == [False, True])
        return found

    assert working.during(talk) == [True] * 4
    assert all("this is no share of a key" in line for line in working.told[1:])


@pytest.mark.parametrize("messages", [[{"told": "", "signature": ""}], [{"share": ""}, {"share": ""}]])
def test_a_worker_meets_once_before_it_is_told_something(working: Working, messages: list[dict[str, str]]) -> None:
    async def talk() -> None:
        reader, writer = await working.connected()
        for message in messages:
            writer.write(frames.encode({name: _SHARE if name == "share" else text for name, text in message.items()}))
        while await frames.read(reader) is not None:
            pass

    working.during(talk)
    assert "nobody here knows what to do with" in working.told[1]


_SHARE = "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
