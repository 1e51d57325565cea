"""What no client should send: each is answered as an error of the client, and the server goes on unharmed."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import WSCloseCode, WSMsgType
from hypothesis import given
from hypothesis import strategies as st

from tests.integration.provision.conftest import Walking
from tests.integration.provision.go_objects import MODELS
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Refusal, Wire

#: Bytes of memory that the server may have at the end.
_MEMORY = 500 * 2**20

#: A method and path, the body, and the status; each of an existing machine and task.
BROKEN: list[tuple[str, str, bytes, int]] = [
    ("POST", "machines", b"", 400),
    ("POST", "machines", b"{", 400),
    ("POST", "machines", b"\xff\xfe", 400),
    ("POST", "machines", b"[]", 400),
    ("POST", "machines", b"null", 400),
    ("POST", "machines", b'{"Name": 7}', 400),
    ("POST", "machines", b'{"Name": "hostile", "Tasks": "t"}', 400),
    ("POST", "machines", b'{"Name": "hostile", "Meta": {"a": 1}}', 400),
    ("POST", "machines", b'{"Name": "hostile", "CurrentTask": 1e400}', 400),
    ("POST", "machines", b'{"Name": "hostile", "CurrentTask": 99999999999999999999}', 400),
    (
        "PATCH",
        "machines/MACHINE",
        b'[{"op": "replace", "path": "/RetryTaskAttempt", "value": 9223372036854775808}]',
        406,
    ),
    ("POST", "machines", b'{"Name": "hostile", "Uuid": "not-a-uuid"}', 422),
    ("POST", "machines", b'{"Name": "\\ud800"}', 400),
    ("POST", "machines", b"[" * 100_000, 400),
    ("POST", "machines", b'{"Params":' * 50_000 + b"1" + b"}" * 50_000, 400),
    ("POST", "jobs", b'{"Machine": 1}', 400),
    ("POST", "jobs", b"{}", 400),
    ("PATCH", "machines/MACHINE", b"{}", 400),
    ("PATCH", "machines/MACHINE", b"[1]", 400),
    ("PATCH", "machines/MACHINE", b'[{"op": "fly", "path": "/Name"}]', 400),
    ("PATCH", "machines/MACHINE", b'[{"op": "replace", "path": "Name", "value": "x"}]', 400),
    ("PATCH", "machines/MACHINE", b'[{"op": "replace", "path": "/No/Such", "value": 1}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "remove", "path": "/Params/none"}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "test", "path": "/Runnable", "value": 1}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "test", "path": "/CurrentTask", "value": false}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "replace", "path": "/Runnable", "value": "yes"}]', 406),
    ("PATCH", "machines/MACHINE", b'[{"op": "replace", "path": "", "value": []}]', 406),
    ("PATCH", "machines/MACHINE", b'[{"op": "add", "path": "/Profiles/7", "value": "x"}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "move", "path": "/Params/a", "from": "/Params"}]', 409),
    ("PATCH", "machines/MACHINE", b'[{"op": "replace", "path": "/Uuid", "value": "x"}]', 400),
    ("PUT", "jobs/none/log", b"text", 404),
    ("POST", "machines/MACHINE/params/p", b"{", 400),
    ("POST", "prefs", b"[]", 400),
    ("POST", "prefs", b'{"defaultStage": 1}', 400),
    ("POST", "contents", b'{"meta": {}, "sections": []}', 400),
    ("PUT", "users/rocketskates/password", b'{"Password": 1}', 400),
    ("POST", "events", b'{"Time": "never"}', 400),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), BROKEN)
def test_broken_bodies(walk: Walking, method: str, path: str, body: bytes, status: int) -> None:
    async def steps(walk: Walk) -> None:
        machine = await walk.machine("m")
        content = "application/octet-stream" if path.endswith("/log") else "application/json"
        with pytest.raises(Refusal) as refused:
            await _raw(walk.cli.wire, method, path.replace("MACHINE", machine["Uuid"]), body, content)
        # a value of a wrong type is a broken body to some servers, and an invalid object to others
        assert refused.value.status in ({status, 422} if status == 400 else {status}), refused.value
        assert await walk.at(machine) == machine

    walk(steps)


async def _raw(wire: Wire, method: str, path: str, body: bytes, content: str = "application/json") -> Any:
    status, headers, text = await wire.exchange(method, path, body, {"Content-Type": content})
    if status < 400:
        return text
    assert headers["Content-Type"].startswith("application/json"), (status, text)
    error = json.loads(text)
    assert error["Code"] == status
    assert error["Messages"]
    assert "Traceback" not in text.decode()
    raise Refusal(status, error)


ROUTES = [
    ("GET", "nothing", 404),
    ("GET", "machines/../users", 404),
    ("GET", "machines/%2e%2e", 404),
    ("GET", "machines/%00", 404),
    ("GET", "machines/Name:", 404),
    ("GET", "machines/Nothing:x", 404),
    ("GET", "machines/" + "x" * 5000, 404),
    ("GET", "machines/a/b/c/d", 404),
    ("GET", "jobs/%ff%fe/log", 404),
    ("DELETE", "machines", 404),
    ("PROPFIND", "machines", 404),
    ("POST", "machines/none", 404),
    ("PUT", "machines", 404),
    ("GET", "indexes/nothing", 404),
    ("GET", "meta/nothing/none", 404),
    ("GET", "users/nobody/token", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), ROUTES)
def test_unknown_routes(walk: Walking, method: str, path: str, status: int) -> None:
    async def steps(walk: Walk) -> None:
        with pytest.raises(Refusal) as refused:
            await _raw(walk.cli.wire, method, path, b"")
        assert refused.value.status in (status, 400, 405), refused.value

    walk(steps)


def test_bodies_that_are_too_big(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        wire, machine = walk.cli.wire, await walk.machine("m")
        big = json.dumps({"Name": walk.name("big"), "Params": {"text": "x" * (64 * 2**20)}}).encode()
        for method, path in (("POST", "machines"), ("PATCH", f"machines/{machine['Uuid']}"), ("PUT", "jobs/none/log")):
            try:
                await _raw(wire, method, path, big)
            except Refusal as refusal:
                assert refusal.status in (400, 404, 413, 415), refusal
            except OSError:
                pass  # the server may hang up before it has read all
            else:
                raise AssertionError("that was too big")
        assert not await walk.cli.exists("machines", f"Name:{walk.name('big')}")

    walk(steps)


def test_a_body_of_ten_megabytes_is_kept_or_refused(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        machine = await walk.machine("m")
        value = "x" * (10 * 2**20)
        try:
            await walk.cli.set_param("machines", machine["Uuid"], "big", value)
        except Refusal as refusal:
            assert refusal.status == 413
        else:
            assert await walk.cli.get_param("machines", machine["Uuid"], "big") == value

    walk(steps)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_objects_of_any_shape(shared: Lasting, data: st.DataObject) -> None:
    prefix = data.draw(st.sampled_from(sorted(MODELS)))
    fields = st.sampled_from(sorted(MODELS[prefix]))
    body = data.draw(st.dictionaries(fields, anything, max_size=5) | anything)
    patch = data.draw(st.lists(_operations(prefix), max_size=3) | anything)

    token = _token(shared)

    async def main() -> None:
        async with Wire(shared.endpoint, token=token) as wire:
            for method, path, sent in (
                ("POST", prefix, body),
                ("PATCH", f"{prefix}/local", patch),
                ("PUT", f"{prefix}/x", body),
            ):
                if prefix == "users" and isinstance(sent, dict):
                    continue  # nobody is to be locked out
                try:
                    made = await _raw(wire, method, path, json.dumps(sent).encode())
                except Refusal as refusal:
                    assert 400 <= refusal.status < 500, (method, path, sent, refusal)
                else:
                    await _remove(wire, prefix, json.loads(made or b"null"))

    asyncio.run(main())


def _operations(prefix: str) -> st.SearchStrategy[Any]:
    paths = st.builds(
        "/{}{}".format, st.sampled_from(sorted(MODELS[prefix])), st.sampled_from(["", "/0", "/-", "/a~1b"])
    )
    ops = st.sampled_from(["add", "remove", "replace", "test", "move", "copy", "else"])
    return st.fixed_dictionaries(
        {"op": ops, "path": paths | st.text(max_size=4)}, optional={"value": anything, "from": paths}
    )


async def _remove(wire: Wire, prefix: str, made: Any) -> None:
    if isinstance(made, dict) and not made.get("ReadOnly"):
        key = made.get("Uuid") or made.get("ID") or made.get("Name")
        await wire.exchange("DELETE", f"{prefix}/{key}", None, {})


_tokens: dict[str, str] = {}


def _token(shared: Lasting) -> str:
    """A token for all examples: a password costs time by design."""
    if shared.endpoint not in _tokens:

        async def main() -> str:
            async with Wire(shared.endpoint) as wire:
                return wire.token

        _tokens[shared.endpoint] = asyncio.run(main())
    return _tokens[shared.endpoint]


@given(st.sampled_from(sorted(MODELS)), st.lists(st.tuples(st.text(max_size=8), st.text(max_size=12)), max_size=3))
def test_queries_of_any_shape(shared: Lasting, prefix: str, query: list[tuple[str, str]]) -> None:
    token = _token(shared)

    async def main() -> None:
        async with Wire(shared.endpoint, token=token) as wire:
            status, _, text = await wire.exchange("GET", f"{prefix}?{urlencode(query)}", None, {})
            assert status < 500
            assert b"Traceback" not in text

    asyncio.run(main())


#: What somebody who speaks no HTTP sends through TLS.
GARBAGE = [
    b"\x00" * 100,
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /api/v3/info HTTP/1.1\r\n" + b"X: y\r\n" * 2000 + b"\r\n",
    b"GET /api/v3/info HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
    b"POST /api/v3/machines HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/v3/machines HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"PUT /api/v3/machines HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_those_who_speak_no_http(shared: Lasting, walk: Walking, garbage: bytes) -> None:
    with _tls(shared) as connection:
        connection.settimeout(60)
        try:
            connection.sendall(garbage)  # the server may close it before it has all
            answer = connection.recv(65536)
        except (OSError, ssl.SSLError):
            answer = b""
    assert b" 200 " not in answer.partition(b"\r\n")[0]
    walk(_healthy)


def test_those_who_speak_no_tls(shared: Lasting, walk: Walking) -> None:
    for text in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + b"\xff" * 500, b""):
        with socket.create_connection(("127.0.0.1", shared.port)) as connection:
            connection.sendall(text)
    old = _context()
    old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, OSError)), socket.create_connection(("127.0.0.1", shared.port)) as connection:
        old.wrap_socket(connection)
    walk(_healthy)


def test_many_who_only_connect(shared: Lasting, walk: Walking) -> None:
    """Connections that say nothing, that stop in the middle, and that never read."""
    silent = [socket.create_connection(("127.0.0.1", shared.port)) for _ in range(300)]
    halves = [_tls(shared) for _ in range(30)]
    for half in halves:
        half.sendall(b"POST /api/v3/machines HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
    walk(_healthy)
    for connection in (*silent, *halves):
        connection.close()
    walk(_healthy)


def test_a_watcher_who_never_reads(shared: Lasting, walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        wire = walk.cli.wire
        watch = await wire.watch()
        await watch.register("*.*.*")
        transport = watch._socket._conn.transport
        transport.pause_reading()
        machine = await walk.machine("m")
        for number in range(60):
            await walk.cli.set_param("machines", machine["Uuid"], "big", f"{number % 10}" * 300_000)
        assert shared.memory < _MEMORY
        transport.resume_reading()
        while (message := await watch._socket.receive()).type is WSMsgType.TEXT:
            pass
        assert message.data == WSCloseCode.POLICY_VIOLATION

    walk(steps)


#: What is said to a websocket that expects `register T.A.K`.
WORDS = [
    "",
    "register",
    "register ",
    "register a.b",
    "register " + "x" * 100_000,
    "fly machines.*.*",
    "\x00",
    "deregister a.b.c",
]


@pytest.mark.parametrize("word", WORDS, ids=range(len(WORDS)))
def test_words_that_no_websocket_knows(walk: Walking, word: str) -> None:
    async def steps(walk: Walk) -> None:
        watch = await walk.cli.wire.watch()
        await watch._socket.send_str(word)
        await watch._socket.send_bytes(b"\xff\xfe")
        await watch.close()
        await _healthy(walk)

    walk(steps)


async def _healthy(walk: Walk) -> None:
    assert (await walk.machine(f"healthy{id(walk)}"))["Runnable"] is True


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _tls(shared: Lasting) -> ssl.SSLSocket:
    return _context().wrap_socket(socket.create_connection(("127.0.0.1", shared.port)))


def test_zz_the_server_is_as_it_was(shared: Lasting) -> None:
    """The last of this file: after all that came before."""
    assert shared.is_alive
    assert shared.memory < _MEMORY
    assert shared.complaints == []
