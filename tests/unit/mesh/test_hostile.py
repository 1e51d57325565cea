"""A node that has its key and is hostile: it ends its own orders, badly, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Command, ModuleCall, Outcome
from ansible_ensemble.lanes import frames, outcomes
from ansible_ensemble.mesh import carrier, control, wire
from ansible_ensemble.mesh.carrier import Carrier
from ansible_ensemble.mesh.control import Stream
from ansible_ensemble.mesh.messages import outcome_of
from ansible_ensemble.mesh.signing import Connection, Signer, kept_signer, seal
from ansible_ensemble.mesh.trees import Digests, tree_of
from tests.unit.mesh.conftest import Answers, pass_for

#: Does what a node pleases, when it was told of the orders so far: their names and keys.
Answer = Callable[[Answers, dict[str, str]], Awaitable[None]]


@pytest.fixture
def against(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch):
    """What comes of work with the carriers of b, which is hostile, and of c, which is as hostile."""
    monkeypatch.setattr(carrier, "_PAUSE", 0.01)

    def run(answer: Answer, work: Callable[[Carrier, Carrier], Awaitable[Any]]) -> Any:
        told: dict[str, str] = {}

        async def serve(node: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            answers = await pass_for(node, Signer(keys / "yours"), reader, writer)
            while (order := await _next_order(answers.connection, reader)) is not None:
                told[order["name"]] = order["key"]
                await answer(answers, told)
            writer.close()

        async def connect(_path: str, node: str, _service: str) -> Stream:
            return Stream(*await asyncio.open_unix_connection(tmp_path / node))

        async def main() -> Any:
            servers = [
                await asyncio.start_unix_server(lambda *ends, node=node: serve(node, *ends), tmp_path / node)
                for node in ("b", "c")
            ]
            signer = Signer(keys / "mine")
            async with servers[0], servers[1], Carrier("", "b", signer) as b, Carrier("", "c", signer) as c:
                return await work(b, c)

        monkeypatch.setattr(carrier, "connect", connect)
        return asyncio.run(main())

    return run


async def _next_order(connection: Connection, reader: asyncio.StreamReader) -> dict[str, Any] | None:
    while (message := await frames.read(reader)) is not None:
        if "told" in message and "key" in (told := json.loads(connection.heard(message["told"])[0])):
            return told
    return None


async def one(b: Carrier, _c: Carrier) -> Outcome:
    return await b.run("one", Command(("true",)))


DEEP: Any = json.loads("[" * 900 + "]" * 900)
ENDINGS: dict[str, Any] = {
    "a list": [1],
    "a text": "x",
    "nothing": None,
    "no key": {},
    "of another type": {"ok": "yes"},
    "deep": {"ok": True, "result": {"x": DEEP}},
    "endless": {"ok": True, "seconds": float("inf")},
    "no number": {"ok": True, "seconds": float("nan")},
    "negative": {"ok": True, "seconds": -1},
    "facts of no host": {"ok": True, "looked_up": {"facts": 1}},
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_ending_that_is_none_is_unknown(against, name: str) -> None:
    async def answer(answers: Answers, told: dict[str, str]) -> None:
        for order, key in told.items():
            answers.say({"ended": seal(key, order, ENDINGS[name]), "of": order})

    outcome = against(answer, one)
    if name == "deep":  # it may be read, or not
        json.dumps(outcomes.to_message(outcome))
        return
    assert (outcome.ok, outcome.changed, outcome.cancelled) == (False, None, True)
    assert "the worker of b does not say how it ended" in outcome.error


@pytest.mark.parametrize(
    "message",
    [
        {"refused": "x" * 1_000_000, "of": "one"},
        {"refused": {"x": ["y"] * 100_000}},
        {"refused": None, "of": "one", "ended": 1},
    ],
)
def test_a_refusal_is_told_in_short(against, message: dict[str, Any]) -> None:
    async def answer(answers: Answers, told: dict[str, str]) -> None:
        answers.say(message)

    outcome = against(answer, one)
    assert (outcome.ok, outcome.changed) == (False, False)
    assert len(outcome.error) < 2100


def test_a_node_ends_no_orders_of_others(against) -> None:
    """What b says of an order of c does not count, though both nodes know its key: the way to c is another one."""

    async def answer(answers: Answers, told: dict[str, str]) -> None:
        if list(told)[-1] == "two":  # by b
            for order, key in told.items():
                answers.say({"ended": seal(key, order, {"ok": True, "stdout": "b"}), "of": order})
                answers.say({"ended": seal(key, "never", {"ok": True}), "of": "never"})
            for text in ({"refused": "all", "of": "of-c"}, {"lacking": ["x"], "of": "of-c"}, {"of": ["of-c"]}):
                answers.say(text)

    async def work(b: Carrier, c: Carrier) -> tuple[Outcome, bool]:
        of_c = asyncio.create_task(c.run("of-c", Command(("true",))))
        await asyncio.sleep(0)
        outcome = await b.run("two", Command(("true",)))
        is_open = not of_c.done()
        return outcome, is_open

    outcome, is_open = against(answer, work)
    assert (outcome.ok, outcome.stdout, is_open) == (True, "b", True)


@pytest.mark.parametrize("asked", [["DIGEST"] * 50_000, ["../secret"], ["/etc/passwd"], [1, None, {}], [[]]])
def test_a_worker_gets_a_file_once_and_none_that_it_was_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[Any]
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file").write_text("text")
    (tmp_path / "secret").write_text("text of nobody's business")
    tree = tree_of(tmp_path / "project", lambda _path: False, Digests())
    [(digest, _is_program)] = tree.files.values()
    lacking = [digest if one == "DIGEST" else one for one in asked]
    contents: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers = await pass_for("b", Signer(tmp_path / "node_key"), reader, writer)
        while (message := await frames.read(reader)) is not None:
            if "told" in message:
                told = json.loads(answers.connection.heard(message["told"])[0])
                if told["type"] == "offer":
                    answers.say({"lacking": lacking, "of": told["name"]})
                elif told["type"] == "content":
                    contents.append(told)
        writer.close()

    async def main() -> Outcome:
        server = await asyncio.start_unix_server(serve, tmp_path / "s")
        async with server, Carrier("", "b", Signer(tmp_path / "node_key")) as b:
            return await b.run("one", ModuleCall("ansible.builtin.ping", {}), tree)

    async def connect(*_arguments: str) -> Stream:
        return Stream(*await asyncio.open_unix_connection(tmp_path / "s"))

    monkeypatch.setattr(carrier, "connect", connect)
    kept_signer(tmp_path)
    outcome = asyncio.run(main())
    assert (outcome.ok, outcome.changed) == (False, False)
    assert "does not take the project's files" in str(outcome.error)
    assert len(contents) <= 2  # it is offered twice
    assert all(content["name"] == digest for content in contents)


def test_paths_that_leave_the_folder_are_not_read(tmp_path: Path) -> None:
    root = tmp_path / "project"
    good = [str(root / "file"), str(root / "a" / ".." / "b")]
    bad = [f"{root}/../secret", "/etc/passwd", "../x", f"{root}/a\0b", "", f"{root}x/y"]
    ended = {"ok": True, "looked_up": {"files": good + bad, "loaded": bad, "environ": ["HOME"]}}
    looked_up = outcome_of(ended, root).looked_up
    assert (looked_up.files, looked_up.loaded, looked_up.environ) == (good, [], [])


@pytest.mark.parametrize("flood", ["longer than it may be", "never whole", "of nothing", "beats"])
def test_a_flood_is_bounded_in_memory_and_ends(against, monkeypatch: pytest.MonkeyPatch, flood: str) -> None:
    """What is no message ends the connection; on the next one, the order is answered."""
    small = {"of nothing": {"of": "nothing"}, "beats": {"beat": True}}
    times: list[str] = []
    if flood not in small:
        monkeypatch.setattr(wire, "SILENCE", 1.0)

    async def answer(answers: Answers, told: dict[str, str]) -> None:
        times.append(flood)
        if flood in small:
            for _ in range(3):
                for _one in range(2_000):
                    answers.say(small[flood])
                await answers.writer.drain()
        elif len(times) == 1:
            answers.writer.write(struct.pack("!I", 1 << 31 if flood == "longer than it may be" else 1 << 24))
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    answers.writer.write(bytes(1 << 16))
                    await answers.writer.drain()
            return
        for order, key in told.items():
            answers.say({"ended": seal(key, order, {"ok": True}), "of": order})

    tracemalloc.start()
    try:
        outcome = against(answer, one)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outcome.ok
    assert len(times) == (1 if flood in small else 2)
    assert peak < 100_000_000


def test_a_silent_node_is_not_waited_for(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection, shows life, and says nothing of what it was asked."""
    monkeypatch.setattr(control, "PATIENCE", 0.05)
    monkeypatch.setattr(carrier, "PATIENCE", 0.1)
    monkeypatch.setattr(carrier, "_PAUSE", 0.01)

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(frames.encode({"beat": True}))
                await writer.drain()
                await asyncio.sleep(0.001)
        except ConnectionError:
            writer.close()

    async def main() -> Outcome:
        server = await asyncio.start_unix_server(serve, tmp_path / "s")
        async with server, Carrier("", "b", Signer(keys / "mine")) as b:
            return await b.run("one", Command(("true",)))

    async def connect(*_arguments: str) -> Stream:
        return Stream(*await asyncio.open_unix_connection(tmp_path / "s"))

    monkeypatch.setattr(carrier, "connect", connect)
    outcome = asyncio.run(main())
    assert (outcome.ok, outcome.changed, outcome.unreachable) == (False, False, True)
    assert "no worker has answered" in str(outcome.error)


@pytest.mark.parametrize("step", ["outcome_of", "_refusal"])
def test_what_fails_to_be_read_ends_in_one_message(against, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fails(*_arguments: object) -> None:
        raise TypeError("nobody expected this")

    async def answer(answers: Answers, told: dict[str, str]) -> None:
        for order, key in told.items():
            say = {"ended": seal(key, order, {"ok": True})} if step == "outcome_of" else {"refused": "no"}
            answers.say({**say, "of": order})

    monkeypatch.setattr(carrier, step, fails)
    monkeypatch.setattr(carrier, "PATIENCE", 0.05)
    outcome = against(answer, one)
    assert (outcome.ok, outcome.cancelled) == (False, True)
    assert outcome.error.count("nobody expected this") == 1
