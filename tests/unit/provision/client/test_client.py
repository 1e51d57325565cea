"""What is asked of a server, and what is read of its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects import Job, Machine, Task, Template
from ansible_ensemble.provision.objects.bundle import Bundle, BundleMeta

from .conftest import answering

Ask = Callable[[Client], Awaitable[Any]]
M1 = Machine(uuid="m1", name="one", runnable=True)
TEMPLATE = Template(id="t", contents="x")

#: What is asked, the request, the answer, and what is read of it.
ASKED: list[tuple[str, Ask, str, tuple[int, Any], Any]] = [
    (
        "select",
        lambda c: c.select(Machine, {"Name": "Re(o)", "limit": "1"}),
        "GET machines?Name=Re%28o%29&limit=1",
        (200, [{"Uuid": "m1", "name": "one", "Runnable": True, "Profiles": None, "Newer": 1}]),
        [M1],
    ),
    ("get", lambda c: c.get(Machine, "Name:one"), "GET machines/Name:one", (200, {"Uuid": "m1"}), Machine(uuid="m1")),
    ("create", lambda c: c.create(TEMPLATE), "POST templates", (201, {"ID": "t", "Contents": "x"}), TEMPLATE),
    ("create, forced", lambda c: c.create(M1, True), "POST machines?force=true", (201, {"Uuid": "m1"}), None),
    ("put", lambda c: c.put(TEMPLATE), "PUT templates/t", (200, {"ID": "t", "Contents": "x"}), TEMPLATE),
    ("delete", lambda c: c.delete(Task, "t1"), "DELETE tasks/t1", (200, {"Name": "t1"}), Task(name="t1")),
    ("params", lambda c: c.params(M1, True), "GET machines/m1/params?aggregate=true", (200, {"a": 1}), {"a": 1}),
    ("param", lambda c: c.param(M1, "a/b"), "GET machines/m1/params/a/b", (200, None), None),
    ("set a param", lambda c: c.set_param(M1, "a/b", [1]), "POST machines/m1/params/a/b", (200, [1]), [1]),
    ("remove a param", lambda c: c.remove_param(M1, "a"), "DELETE machines/m1/params/a", (200, "old"), "old"),
    ("a job", lambda c: c.next_job("m1"), "POST jobs", (201, {"Uuid": "j", "State": "created"}), None),
    ("no job", lambda c: c.next_job("m1"), "POST jobs", (204, None), None),
    ("log", lambda c: c.append_log("j", b"\xff"), "PUT jobs/j/log", (204, None), None),
    ("token", lambda c: c.machine_token("m1", "1h"), "GET machines/m1/token?ttl=1h", (200, {"Token": "T"}), "T"),
    ("info", lambda c: c.info(), "GET info", (200, {"version": "v4"}), {"version": "v4"}),
]


@pytest.mark.parametrize(
    ("ask", "request_line", "answer", "expected"), [case[1:] for case in ASKED], ids=[c[0] for c in ASKED]
)
def test_a_request_and_what_is_read(serving: Any, ask: Ask, request_line: str, answer: Any, expected: Any) -> None:
    async def main() -> None:
        handler = _null if answer == (200, None) else answering(answer)
        async with serving(handler) as server, Client(server.settings) as client:
            got = await ask(client)
            assert server.seen == [request_line]
            assert expected is None or got == expected

    asyncio.run(main())


async def _null(request: web.Request) -> web.StreamResponse:
    return web.json_response(None)


def test_a_new_job_says_what_it_is(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((202, {"Uuid": "j", "State": "incomplete"}))) as server:
            async with Client(server.settings) as client:
                job = await client.next_job("m1", "container")
            assert job == Job(uuid="j", state="incomplete")
            assert json.loads(server.requests[-1][3])["Machine"] == "m1"
            assert json.loads(server.requests[-1][3])["Context"] == "container"

    asyncio.run(main())


def test_a_change_sends_what_differs(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, {"Uuid": "m1"}))) as server, Client(server.settings) as client:
            await client.change(M1, M1.replaced(runnable=False))
            assert server.seen == ["PATCH machines/m1"]
            assert json.loads(server.requests[-1][3]) == [
                {"op": "test", "path": "/Runnable", "value": True},
                {"op": "replace", "path": "/Runnable", "value": False},
            ]

    asyncio.run(main())


def test_content_is_created_where_it_is_not_there(serving: Any) -> None:
    bundle = Bundle(meta=BundleMeta(name="pack"))
    refused = (404, {"Type": "PUT", "Model": "contents", "Key": "pack", "Messages": ["Not Found"]})
    loaded = (201, {"meta": {"Name": "pack"}, "Counts": {"tasks": 1}, "Warnings": []})

    async def main() -> None:
        async with serving(answering(refused, loaded)) as server, Client(server.settings) as client:
            assert (await client.load_content(bundle)).counts == {"tasks": 1}
            assert server.seen == ["PUT contents/pack", "POST contents"]

    asyncio.run(main())


UNREADABLE: list[tuple[Ask, Any]] = [
    (lambda c: c.get(Machine, "m1"), []),
    (lambda c: c.get(Machine, "m1"), {"Runnable": "yes"}),
    (lambda c: c.select(Task), {"Name": "t"}),
    (lambda c: c.info(), 1),
]


@pytest.mark.parametrize(("ask", "body"), UNREADABLE)
def test_an_answer_that_makes_no_sense_is_an_error(serving: Any, ask: Ask, body: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, body))) as server, Client(server.settings) as client:
            with pytest.raises(RequestFailed, match="the answer cannot be read"):
                await ask(client)

    asyncio.run(main())


def test_callers_without_a_loop_have_a_client_too(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, {"version": "v4"}))) as server:
            assert await asyncio.to_thread(run, server.settings, lambda client: client.info()) == {"version": "v4"}

    asyncio.run(main())
