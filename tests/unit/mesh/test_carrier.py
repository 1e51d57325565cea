"""Orders come back however often the connection breaks; of what may have run, nobody says that it did not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh import carrier, messages
from ansible_ensemble.mesh.carrier import Carrier
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.known_nodes import KnownNodes
from ansible_ensemble.mesh.messages import Begin, to_text
from ansible_ensemble.mesh.signing import KnownKeys, Seal, Signer, seal
from ansible_ensemble.mesh.wire import unsealed_message
from tests.unit.mesh.conftest import Working, met, pass_for


class Link:
    """The way to the worker, which can be broken."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self.is_there = True
        self.times = 0
        self.now: Stream | None = None

    async def connect(self, path: str, node: str, service: str) -> Stream:
        self.times += 1
        if not self.is_there:
            raise MeshError("there is no way to b")
        self.now = Stream(*await self._working.connected())
        return self.now

    def cut(self) -> None:
        assert self.now is not None
        self.now.writer.transport.abort()


@pytest.fixture
def link(working: Working, keys: Path, monkeypatch: pytest.MonkeyPatch) -> Link:
    working.keys = KnownKeys(keys / "mine.pub")
    made = Link(working)
    monkeypatch.setattr(carrier, "connect", made.connect)
    monkeypatch.setattr(carrier, "_PAUSE", 0.01)
    return made


@pytest.fixture
def during(working: Working, link: Link, keys: Path):
    """What comes of working with a carrier, by whose key it may be."""

    def run(work: Callable[[Carrier], Awaitable[Any]], key: str = "mine") -> Any:
        async def talk() -> Any:
            async with Carrier("socket", "b", Signer(keys / key)) as one:
                return await work(one)

        return working.during(talk)

    return run


def shell(line: str) -> Command:
    return Command((line,), shell="/bin/sh")


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_a_command_is_carried_out_as_here(during) -> None:
    command = Command(
        ("echo $who; cat; echo $HOME >&2; exit 4",),
        shell="/bin/sh",
        environment={"who": "me", "HOME": None},
        stdin="in\udcff",
    )
    outcome = during(lambda carrier: carrier.run("one", command))
    assert (outcome.ok, outcome.rc, outcome.stdout, outcome.stderr) == (False, 4, "me\nin�", "\n")
    assert outcome.error == "exit code 4"


def test_a_timeout_is_the_worker_s(during) -> None:
    outcome = during(lambda carrier: carrier.run("one", Command(("sleep", "600"), timeout=0.05)))
    assert (outcome.ok, outcome.timed_out) == (False, True)


def test_many_go_at_once(during) -> None:
    async def many(carrier: Carrier) -> list[str]:
        done = await asyncio.gather(*(carrier.run(f"order-{one}", shell(f"echo {one}")) for one in range(20)))
        return [outcome.stdout for outcome in done]

    assert during(many) == [f"{one}\n" for one in range(20)]


def test_what_runs_when_the_connection_breaks_comes_back_and_runs_once(during, link: Link, tmp_path: Path) -> None:
    line = f"echo x >> {tmp_path}/ran; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo done"

    async def broken(carrier: Carrier) -> Outcome:
        running = asyncio.create_task(carrier.run("one", shell(line)))
        await until((tmp_path / "ran").exists)
        for times in range(1, 4):
            link.cut()
            await until(lambda times=times: link.times > times)
        (tmp_path / "go").touch()
        return await running

    assert during(broken).stdout == "done\n"
    assert (tmp_path / "ran").read_text() == "x\n"


def test_what_ended_while_nobody_listened_comes_back(during, link: Link, tmp_path: Path) -> None:
    async def broken(carrier: Carrier) -> Outcome:
        running = asyncio.create_task(carrier.run("one", shell(f"touch {tmp_path}/ran; sleep 0.1; echo done")))
        await until((tmp_path / "ran").exists)
        link.is_there = False
        link.cut()
        await until(lambda: any(file.stat().st_size for file in (tmp_path / "kept" / "orders").glob("*/one")))
        link.is_there = True
        return await running

    assert during(broken).stdout == "done\n"


def test_what_left_and_is_not_heard_of_is_unknown(
    during, link: Link, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier, "PATIENCE", 0.05)

    async def broken(carrier: Carrier) -> Outcome:
        running = asyncio.create_task(carrier.run("one", shell(f"touch {tmp_path}/ran; sleep 600")))
        await until((tmp_path / "ran").exists)
        link.is_there = False
        link.cut()
        return await running

    outcome = during(broken)
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, True, None)
    assert outcome.error.startswith("b is away: ")


def test_what_never_left_has_done_nothing(during, link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrier, "PATIENCE", 0.05)
    link.is_there = False
    outcome = during(lambda carrier: carrier.run("one", shell(":")))
    assert (outcome.ok, outcome.cancelled, outcome.unreachable, outcome.changed) == (False, False, True, False)


def test_a_key_that_is_not_known_does_nothing(during, tmp_path: Path) -> None:
    outcome = during(lambda carrier: carrier.run("one", shell(f"touch {tmp_path}/ran")), "yours")
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, False, False)
    assert "refused it: it was not signed by a key that is known here" in outcome.error
    assert not (tmp_path / "ran").exists()


def test_a_worker_without_keys_does_nothing(during, working: Working) -> None:
    working.keys = None
    outcome = during(lambda carrier: carrier.run("one", shell(":")))
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, False, False)
    assert "it executes nothing, for it was given no keys" in outcome.error


def test_a_worker_that_always_hangs_up_is_left(during, working: Working, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang_up(*_arguments: object) -> None:
        raise frames.BadFrame("it hangs up")

    monkeypatch.setattr(carrier, "PATIENCE", 0.05)
    monkeypatch.setattr("ansible_ensemble.mesh.worker._signed", hang_up)
    outcome = during(lambda carrier: carrier.run("one", shell(":")))
    assert (outcome.ok, outcome.cancelled) == (False, True)
    assert outcome.error == "b is away: it has hung up"


def test_what_is_refused_at_once_has_done_nothing(during) -> None:
    outcome = during(lambda carrier: carrier.run("../one", shell(":")))
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, False, False)
    assert "no name of an order" in outcome.error


def test_what_is_refused_when_it_is_sent_again_may_have_run(during, link: Link, working: Working, keys: Path) -> None:
    async def broken(one: Carrier) -> Outcome:
        running = asyncio.create_task(one.run("one", shell("sleep 600")))
        await until(lambda: any((working.path.parent / "kept" / "orders").glob("*/one")))
        assert working.keys is not None
        working.keys._keys = KnownKeys(keys / "yours.pub")._keys
        link.cut()
        return await running

    outcome = during(broken)
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, True, None)


def test_cancelling_ends_it_there(during, tmp_path: Path) -> None:
    async def cancel(carrier: Carrier) -> None:
        running = asyncio.create_task(
            carrier.run(
                "one",
                shell(f"trap 'touch {tmp_path}/ended; exit' TERM; touch {tmp_path}/ran; while :; do sleep 0.02; done"),
            )
        )
        await until((tmp_path / "ran").exists)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert (tmp_path / "ended").exists()

    during(cancel)


def test_what_is_cancelled_at_once_is_ended_there(during, link: Link, tmp_path: Path) -> None:
    async def cancel(carrier: Carrier) -> list[Any]:
        await carrier.run("zero", shell(":"))
        assert link.now is not None
        hold = asyncio.Event()
        link.now.writer.drain = hold.wait  # type: ignore[method-assign]  # the order is written, and waits there
        running = asyncio.create_task(carrier.run("one", shell(f"touch {tmp_path}/ran; sleep 600")))
        await until((tmp_path / "ran").exists)
        running.cancel()
        await asyncio.sleep(0)
        hold.set()
        await asyncio.gather(running, return_exceptions=True)
        return [await carrier.run("one", shell(":"))]

    [outcome] = during(cancel)
    assert outcome.cancelled


def test_what_is_cancelled_while_there_is_no_connection_is_ended_once_there_is_one(
    during, link: Link, tmp_path: Path
) -> None:
    async def cancel(carrier: Carrier) -> None:
        running = asyncio.create_task(carrier.run("one", shell(f"touch {tmp_path}/ran; sleep 600")))
        await until((tmp_path / "ran").exists)
        link.is_there = False
        link.cut()
        await until(lambda: link.times > 1)
        running.cancel()
        await asyncio.sleep(0)
        link.is_there = True
        await asyncio.gather(running, return_exceptions=True)
        assert (await carrier.run("one", shell(":"))).cancelled

    during(cancel)


def test_what_is_acknowledged_is_forgotten(during, tmp_path: Path) -> None:
    async def acknowledge(carrier: Carrier) -> list[bool]:
        await carrier.run("one", shell(":"))
        [file] = (tmp_path / "kept" / "orders").glob("*/one")
        before = file.exists()
        await carrier.acknowledge("one")
        await until(lambda: not file.exists())
        return [before]

    assert during(acknowledge) == [True]


def test_an_order_that_is_too_long_is_not_sent(during, monkeypatch: pytest.MonkeyPatch) -> None:
    async def long(carrier: Carrier) -> Outcome:
        await carrier.run("one", shell(":"))
        monkeypatch.setattr(messages, "LONGEST", 1000)
        with pytest.raises(EnsembleError, match="too long for the mesh"):
            await carrier.run("two", shell("x" * 1000))
        return await carrier.run("three", shell("echo on"))

    assert during(long).stdout == "on\n"


def test_a_worker_that_never_answers_is_not_waited_for_longer_than_the_timeout(
    during, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_arguments: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr("ansible_ensemble.mesh.worker._do", nothing)
    monkeypatch.setattr(carrier, "PATIENCE", 0.01)
    monkeypatch.setattr(carrier, "GRACE", 0.01)
    outcome = during(lambda carrier: carrier.run("one", Command(("true",), timeout=0.05)))
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, True, None)
    assert outcome.error == "b has not told how it ended"


@pytest.mark.parametrize("case", ["replayed", "elsewhere", "altered", "rubbish"])
def test_a_signature_is_of_one_message_on_one_connection(
    working: Working, keys: Path, tmp_path: Path, case: str
) -> None:
    working.keys = KnownKeys(keys / "mine.pub")
    text = to_text(Begin.of("one", Signer(keys / "mine").key_for("one", "x"), shell(f"echo x >> {tmp_path}/ran")))

    async def talk() -> list[dict[str, Any]]:
        stream = Stream(*await working.connected())
        connection = last = await met(stream)
        if case == "elsewhere":
            stream = Stream(*await working.connected())
            last = await met(stream)
        message = connection.tell(Signer(keys / "mine"), json.dumps({"type": "begin"}) if case == "rubbish" else text)
        if case == "altered":
            message["told"] = message["told"][:-8] + "AAAAAAA="
        for _ in range(2 if case == "replayed" else 1):
            stream.writer.write(frames.encode(message))
        found, seal = [], Seal(last.answers)
        while (answer := await frames.read(stream.reader)) is not None:
            found.append(unsealed_message(seal, answer))
        return found

    answers = working.during(talk)
    problem = "this cannot be done here" if case == "rubbish" else "it was not sealed for this connection"
    assert [one["refused"].startswith(problem) for one in answers if "refused" in one] == [True]
    ran = (tmp_path / "ran").read_text() if (tmp_path / "ran").exists() else ""
    assert ran in (("", "x\n") if case == "replayed" else ("",))


@pytest.mark.parametrize("case", ["rubbish", "nothing", "of another key", "of another order", "no outcome"])
def test_a_worker_that_does_not_say_how_it_ended(
    tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    signer = Signer(keys / "mine")
    answer = {
        "rubbish": {"ended": 5},
        "nothing": {},
        "of another key": {"ended": seal(Signer(keys / "yours").key_for("one", "x"), "one", {"ok": True})},
        "of another order": {"ended": seal(signer.key_for("two", "x"), "two", {"ok": True})},
        "no outcome": {"ended": seal(signer.key_for("one", "x"), "one", {})},
    }[case]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers = await pass_for("b", Signer(keys / "yours"), reader, writer)
        told = await frames.read(reader)
        assert told is not None
        begin = json.loads(answers.connection.heard(told["told"])[0])
        for name in ("another", begin["name"]):  # of another one, nobody asked
            answers.say({**answer, "of": name})
        await reader.read()
        writer.close()

    async def main() -> Outcome:
        async def connect(*_arguments: str) -> Stream:
            return Stream(*await asyncio.open_unix_connection(tmp_path / "s"))

        monkeypatch.setattr(carrier, "connect", connect)
        server = await asyncio.start_unix_server(serve, tmp_path / "s")
        async with server, Carrier("socket", "b", Signer(keys / "mine")) as one:
            return await one.run("one", shell(":"))

    outcome = asyncio.run(main())
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, True, None)
    assert "the worker of b does not say how it ended" in str(outcome.error)


def test_who_passes_for_a_node_does_not_end_what_runs_there(
    working: Working, link: Link, keys: Path, tmp_path: Path
) -> None:
    (tmp_path / "known").write_text(f"b {working.key.public.line}\n")
    line = f"touch {tmp_path}/ran; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo done"

    async def impostor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await pass_for("b", Signer(keys / "yours"), reader, writer)
        heard.append(await frames.read(reader))
        writer.close()

    async def talk() -> tuple[Outcome, Outcome]:
        async with Carrier("socket", "b", Signer(keys / "mine"), known=KnownNodes(tmp_path / "known")) as one:
            running = asyncio.create_task(one.run("one", shell(line)))
            await until((tmp_path / "ran").exists)
            async with await asyncio.start_unix_server(impostor, tmp_path / "i"):
                real, working.path = working.path, tmp_path / "i"
                link.cut()
                await until(lambda: link.times > 1)
                refused = await one.run("two", shell(":"))
                assert not running.done(), running.result()
                working.path = real
            (tmp_path / "go").touch()
            return await running, refused

    heard: list[Any] = []
    done, refused = working.during(talk)
    assert (done.ok, done.stdout) == (True, "done\n")
    assert (refused.ok, refused.changed, refused.cancelled) == (False, False, False)
    assert "is known by" in str(refused.error)
    assert set(heard) == {None}


@pytest.mark.parametrize("answer", [{"refused": "no"}, {"refused": "no", "of": "one"}, {"ended": "", "of": "one"}])
def test_nobody_on_the_way_answers_for_a_worker(
    working: Working, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    """Who passes on what both say puts something in when the order has left; it ends the connection, and no more."""
    working.keys = KnownKeys(keys / "mine.pub")
    forged: list[dict[str, Any]] = []

    async def carry(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, back: asyncio.StreamWriter | None = None
    ) -> None:
        while (frame := await frames.read(reader)) is not None:
            writer.write(frames.encode(frame))
            if back is not None and "told" in frame and not forged:
                forged.append(answer)
                back.write(frames.encode(answer))
        writer.close()

    async def between(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_there = await working.connected()
        await asyncio.gather(carry(reader, to_there, writer), carry(there, writer), return_exceptions=True)

    async def connect(*_arguments: str) -> Stream:
        return Stream(*await asyncio.open_unix_connection(tmp_path / "between"))

    async def talk() -> Outcome:
        server = await asyncio.start_unix_server(between, tmp_path / "between")
        async with server, Carrier("socket", "b", Signer(keys / "mine")) as one:
            return await one.run("one", shell(f"echo x >> {tmp_path}/ran; echo done"))

    monkeypatch.setattr(carrier, "connect", connect)
    monkeypatch.setattr(carrier, "_PAUSE", 0.01)
    outcome = working.during(talk)
    assert (outcome.ok, outcome.stdout, forged) == (True, "done\n", [answer])
    assert (tmp_path / "ran").read_text() == "x\n"
