"""Messages survive the journey, and a cut journey is noticed."""

from __future__ import annotations

import asyncio
import datetime
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.lanes import frames

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_message_survives(message: dict[str, object]) -> None:
    one, other = socket.socketpair()
    with one, other:
        frames.send(one, message)
        assert frames.receive(other) == message


def test_a_large_message_survives() -> None:
    one, other = socket.socketpair()
    message = {"text": "x" * 5_000_000}
    with one, other:
        writer = threading.Thread(target=frames.send, args=(one, message))
        writer.start()
        assert frames.receive(other) == message
        writer.join()


def test_what_json_does_not_know_becomes_text() -> None:
    one, other = socket.socketpair()
    with one, other:
        frames.send(one, {"day": datetime.date(2026, 1, 2)})
        assert frames.receive(other) == {"day": "2026-01-02"}


@pytest.mark.parametrize("cut", [0, 2, 4, 7])
def test_a_cut_message_is_the_end(cut: int) -> None:
    one, other = socket.socketpair()
    with other:
        one.sendall(frames.encode({"a": 1})[:cut])
        one.close()
        assert frames.receive(other) is None


@pytest.mark.parametrize("cut", [0, 2, 4, 7, None])
def test_reading_from_a_stream(cut: int | None) -> None:
    async def main() -> dict[str, object] | None:
        reader = asyncio.StreamReader()
        reader.feed_data(frames.encode({"a": 1})[:cut])
        reader.feed_eof()
        return await frames.read(reader)

    assert asyncio.run(main()) == ({"a": 1} if cut is None else None)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"\xff\xff\xff\xff", "too long"),
        (b"\x00\x00\x00\x03[1]", "no object"),
        (b"\x00\x00\x00\x04null", "no object"),
        (b"\x00\x00\x00\x02{]", "no JSON"),
        (b"\x00\x00\x00\x02\xff{", "no JSON"),
        (b"\x00\x01\x00\x00" + b"[" * (1 << 16), "no JSON"),
    ],
)
def test_what_is_no_message_is_refused(sent: bytes, problem: str) -> None:
    async def main() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(sent)
        await frames.read(reader)

    with pytest.raises(frames.BadFrame, match=problem):
        asyncio.run(main())
    one, other = socket.socketpair()
    with one, other, pytest.raises(frames.BadFrame, match=problem):
        one.sendall(sent)
        frames.receive(other)


def test_a_message_that_nobody_would_take_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LONGEST", 20)
    assert frames.encode({"a": 1})
    with pytest.raises(frames.BadFrame, match="28 bytes is too long: 20"):
        frames.encode({"text": "x" * 16})


def test_a_reader_may_take_less() -> None:
    async def main() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(frames.encode({"text": "x" * 16}))
        await frames.read(reader, longest=20)

    with pytest.raises(frames.BadFrame, match="20 are the most"):
        asyncio.run(main())
