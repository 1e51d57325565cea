"""A worker answers those who speak as it does, hangs up on others, and gets in nobody's way."""

from __future__ import annotations

import asyncio
import socket
import stat
from typing import Any

import pytest

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh import wire, worker
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.hello import PROTOCOL
from tests.unit.mesh.conftest import Working


async def read_all(reader: asyncio.StreamReader) -> list[dict[str, Any]]:
    """The messages up to the end."""
    found = []
    while (message := await frames.read(reader)) is not None:
        found.append(message)
    return found


def test_it_says_what_it_has_and_answers(working: Working) -> None:
    async def talk() -> list[dict[str, Any] | None]:
        reader, writer = await working.connected()
        for token in (1, "two"):
            writer.write(frames.encode({"ping": token}))
        found = [await frames.read(reader) for _ in range(3)]
        writer.close()
        return found

    hello, *answers = working.during(talk)
    assert hello is not None
    assert (hello["hello"]["node"], hello["hello"]["protocol"]) == ("b", PROTOCOL)
    assert answers == [{"pong": 1}, {"pong": "two"}]
    assert not working.path.exists()


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "too long"),
        (b"\x00\x00\x00\x02[]", "no object"),
        (frames.encode({"run": "rm -rf /"}), "nobody here knows what to do with ['run']"),
        (frames.encode({}), "nobody here knows what to do with []"),
        (frames.encode({"ping": 1, "run": 2}), "nobody here knows what to do with ['ping', 'run']"),
    ],
)
def test_it_hangs_up_on_who_says_something_else(working: Working, sent: bytes, why: str) -> None:
    async def talk() -> int:
        reader, writer = await working.connected()
        writer.write(sent)
        heard = await read_all(reader)
        reader, writer = await working.connected()  # others are answered as before
        assert await frames.read(reader)
        writer.close()
        return len(heard)

    assert working.during(talk) == 1
    assert why in working.told[1]


def test_it_hangs_up_on_who_is_silent_and_shows_life_itself(working: Working, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "SILENCE", 0.2)
    monkeypatch.setattr(wire, "BEAT", 0.01)

    async def talk() -> list[dict[str, Any]]:
        reader, _writer = await working.connected()
        return await read_all(reader)

    assert {"beat": True} in working.during(talk)
    assert "silent for 0.2 s" in working.told[1]


def test_it_answers_only_so_many_at_once(working: Working, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_MOST", 2)

    async def talk() -> list[bool]:
        ends = [await working.connected() for _ in range(3)]
        return [await frames.read(reader) is not None for reader, _writer in ends]

    assert working.during(talk) == [True, True, False]


def test_only_its_user_may_connect(working: Working) -> None:
    async def talk() -> int:
        return stat.S_IMODE(working.path.stat().st_mode)

    assert working.during(talk) == 0o600


def test_a_socket_that_was_left_is_taken_and_one_in_use_is_not(working: Working) -> None:
    async def talk() -> None:
        with pytest.raises(MeshError, match="somebody listens on"):
            await worker.serve(working.path, "b", working.key, print)

    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(working.path))
    working.during(talk)


@pytest.mark.parametrize("name", ["file", "nosuch/s", "s" * 200])
def test_what_cannot_be_listened_on_is_left(working: Working, name: str) -> None:
    (working.path.parent / "file").write_text("mine")
    working.path = working.path.parent / name
    with pytest.raises(MeshError, match="cannot be listened on"):
        working.during(asyncio.Event().wait)
    assert (working.path.parents[0] / "file").exists() == (name != "nosuch/s")
