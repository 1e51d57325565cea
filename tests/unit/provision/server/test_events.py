"""Events on websockets: who hears what, in which order, and who may."""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from ansible_ensemble.provision.server import backlog
from ansible_ensemble.provision.server import socket as sockets


async def heard(socket):
    return json.loads((await asyncio.wait_for(socket.receive(), 60)).data)


async def ask(socket, text):
    """Send a message; what is heard until its ack, and the ack."""
    await socket.send_str(text)
    before = []
    while (event := await heard(socket))["Type"] != "websocket":
        before.append(event)
    return before, event


def test_each_message_has_its_ack(live):
    async def scenario():
        async with live.socket() as socket:
            asked = [f"{word} *.*.*" for word in ("register", "register", "deregister", "deregister")]
            return [(await ask(socket, text))[1] for text in (*asked, "deregister x.y.z")]

    acks = live.run(scenario())
    assert [(ack["Action"], ack["Key"]) for ack in acks] == [
        ("register", "*.*.*"), ("register", "*.*.*"), ("deregister", "*.*.*"), ("deregister", "*.*.*"),
        ("deregister", "x.y.z"),
    ]  # fmt: skip
    assert acks[0].keys() == {"Time", "Type", "Action", "Key", "Principal", "Object", "Original"}
    assert (acks[0]["Principal"], acks[0]["Object"], acks[0]["Original"]) == ("", None, None)


@pytest.mark.parametrize("text", ["hello", "register", "register a.b", "register ..", "register a..c", ""])
def test_what_is_no_filter_is_refused_and_the_client_told(live, text):
    async def scenario():
        async with live.socket() as socket:
            return (await ask(socket, text))[1], (await ask(socket, "register *.*.*"))[1]

    refused, after = live.run(scenario())
    assert (refused["Action"], refused["Object"]["Code"]) == ("refused", 400)
    assert after["Action"] == "register"


FILTERS = [
    ("*.*.*", True), ("machines.*.*", True), ("machines.update.*", True), ("*.update.*", True), ("*.*.{key}", True),
    ("machines.update.{key}", True), ("machines.save.{key}", False), ("jobs.*.*", False), ("machines.create.*", False),
    ("machines.create,update.{key}", True), ("jobs,machines.update.x,{key}", True), ("machines.\\3.*", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "matches"), FILTERS)
def test_an_event_goes_to_those_who_asked_for_it(live, text, matches):
    name = f"f{FILTERS.index((text, matches))}"
    key = live.machine(name)["Uuid"]
    patch = [{"op": "replace", "path": "/Description", "value": "new"}]

    async def scenario():
        async with live.socket() as socket:
            await ask(socket, f"register {text.format(key=key)}")
            await live.call("PATCH", f"/machines/{key}", patch)
            return (await ask(socket, "register marker.*.*"))[0]

    events = live.run(scenario())
    assert [(event["Type"], event["Action"], event["Key"]) for event in events] == (
        [("machines", "update", key)] if matches else []
    )
    if matches:
        (event,) = events
        assert event["Principal"] == "user:rocketskates"
        assert (event["Original"]["Description"], event["Object"]["Description"]) == ("", "new")


def test_events_come_in_the_order_of_commits_and_each_once(live):
    async def scenario():
        async with live.socket() as socket:
            for text in ("register stages.*.*", "register stages.create.*", "register *.*.*"):
                await ask(socket, text)
            await asyncio.gather(*(live.call("POST", "/stages", {"Name": f"st{n}"}) for n in range(50)))
            for n in range(50):
                await live.call("DELETE", f"/stages/st{n}")
            return (await ask(socket, "deregister *.*.*"))[0]

    events = live.run(scenario())
    assert len(events) == 100
    assert {event["Action"] for event in events[:50]} == {"create"}
    assert [event["Key"] for event in events[50:]] == [f"st{n}" for n in range(50)]


def test_who_deregisters_one_filter_keeps_the_others(live):
    async def scenario():
        async with live.socket() as socket:
            for text in ("register stages.create.*", "register stages.create,delete.*", "deregister stages.create.*"):
                await ask(socket, text)
            await live.call("POST", "/stages", {"Name": "kept"})
            before = (await ask(socket, "deregister stages.create,delete.*"))[0]
            await live.call("DELETE", "/stages/kept")
            return before, (await ask(socket, "register x.y.z"))[0]

    before, after = live.run(scenario())
    assert [event["Key"] for event in before] == ["kept"]
    assert after == []


def test_a_machine_hears_of_itself_alone(live):
    own, other = live.machine("own")["Uuid"], live.machine("other")["Uuid"]
    token = live.get(f"/machines/{own}/token").json["Token"]
    allowed = (f"machines.update.{own}", f"machines.*.{own}", "tasks.*.*")
    refused = (f"machines.update.{other}", f"machines.update.{own},{other}", "machines.*.*", "*.*.*", f"*.*.{own}",
               "jobs.*.nothing", "users.*.*")  # fmt: skip
    texts = dict.fromkeys(allowed, "register") | dict.fromkeys(refused, "refused")

    async def scenario():
        async with live.socket(token) as socket:
            return {text: (await ask(socket, f"register {text}"))[1]["Action"] for text in texts}

    assert live.run(scenario()) == texts


@pytest.mark.parametrize("query", ["", "?token=x", "?token=rocketskates:wrong", "?token=e30.AAAA"])
def test_nobody_hears_without_a_proof(live, query):
    async def scenario():
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await live.session.ws_connect(f"{live.base}/api/v3/ws{query}")
        return refused.value.status

    assert live.run(scenario()) in (401, 403)


def test_a_token_in_the_query_is_a_proof(live):
    async def scenario():
        async with live.socket(params={"token": live.token}) as socket:
            return (await ask(socket, "register *.*.*"))[1]["Action"]

    assert live.run(scenario()) == "register"


def test_an_event_of_a_user_reaches_who_asked(live):
    async def scenario():
        async with live.socket() as socket:
            await ask(socket, "register mine.*.*")
            said = {"Type": "mine", "Action": "done", "Key": "a.b", "Object": {"x": 1}, "Principal": "forged"}
            answer = await live.call("POST", "/events", said)
            return answer, await heard(socket)

    answer, event = live.run(scenario())
    assert (answer.status, answer.json) == (200, event)
    assert (event["Key"], event["Object"], event["Principal"]) == ("a.b", {"x": 1}, "user:rocketskates")


@pytest.mark.parametrize(
    ("event", "message"),
    [({"Action": "a", "Key": "k"}, "Type is missing"), ({"Type": "t", "Action": "a"}, "Key is missing"),
     ({"Type": "machines", "Action": "a", "Key": "k"}, "Events of machines are the server's own"),
     ({"Type": "websocket", "Action": "a", "Key": "k"}, "Events of websocket are the server's own")],
)  # fmt: skip
def test_an_event_that_is_none_of_a_users_is_refused(live, event, message):
    answer = live("POST", "/events", event)
    assert (answer.status, answer.json["Messages"]) == (422, [message])


def test_who_does_not_read_is_disconnected_and_told_why(live, monkeypatch):
    monkeypatch.setattr(backlog, "MOST", 20)

    async def scenario():
        async with live.socket() as socket:
            await ask(socket, "register slow.*.*")
            (listener,) = live.server.sockets
            for _ in range(50):  # in one turn of the loop: nothing is sent meanwhile
                listener.hear(b"{}")
            while (message := await asyncio.wait_for(socket.receive(), 60)).type is aiohttp.WSMsgType.TEXT:
                pass
            return message

    message = live.run(scenario())
    assert (message.type, message.data, message.extra) == (
        aiohttp.WSMsgType.CLOSE, 1008, "too slow: events were waiting",
    )  # fmt: skip
    assert not live.server.sockets


async def _told_until_closed(socket):
    """The keys of the events that a socket hears until it is closed, and the message that closes it."""
    keys = []
    while (message := await asyncio.wait_for(socket.receive(), 60)).type is aiohttp.WSMsgType.TEXT:
        keys.append(json.loads(message.data)["Key"])
    return keys, message


MACHINE_LOSES = {
    "its secret": ("PATCH", "", [{"op": "replace", "path": "/Secret", "value": "another secret"}]),
    "itself": ("DELETE", "", None),
}


@pytest.mark.parametrize("lost", MACHINE_LOSES)
@pytest.mark.parametrize("wanted", ["machines.*.{}", "", "stages.*.*"])
def test_a_machine_that_may_not_hear_any_more_is_disconnected(live, lost, wanted):
    key = live.machine(f"loses-{lost}-{wanted}".encode().hex())["Uuid"]
    token = live.get(f"/machines/{key}/token").json["Token"]
    method, path, body = MACHINE_LOSES[lost]

    async def scenario():
        async with live.socket() as allowed, live.socket(token) as socket:
            await ask(socket, f"register {wanted.format(key)}")
            await live.call(method, f"/machines/{key}{path}", body)
            return await _told_until_closed(socket), (await ask(allowed, "register *.*.*"))[1]

    (_keys, message), ack = live.run(scenario())
    assert (message.type, message.data, message.extra) == (
        aiohttp.WSMsgType.CLOSE, 1008, "not allowed any more",
    )  # fmt: skip
    assert ack["Action"] == "register"


SEE = {"scope": "stages", "action": "get", "specific": "*"}
USER_LOSES = {
    "the role": ("PATCH", "/users/{}", [{"op": "replace", "path": "/Roles", "value": []}]),
    "its claims": ("PATCH", "/roles/{}", [{"op": "replace", "path": "/Claims", "value": []}]),
    "the password": ("PUT", "/users/{}/password", {"Password": "another"}),
    "the user": ("DELETE", "/users/{}", None),
    "the freedom": ("POST", "/tenants", {"Name": "{}", "Users": ["{}"], "Members": {"stages": ["none"]}}),
}


@pytest.mark.parametrize("proof", ["password", "token"])
@pytest.mark.parametrize("lost", USER_LOSES)
def test_a_user_hears_nothing_of_what_happens_after_rights_are_lost(live, lost, proof):
    name = f"{lost.replace(' ', '-')}-{proof}"
    assert live("POST", "/roles", {"Name": name, "Claims": [SEE]}).status == 201
    assert live("POST", "/users", {"Name": name, "Roles": [name]}).status == 201
    assert live("PUT", f"/users/{name}/password", {"Password": "of it"}).status == 200
    token = live.get(f"/users/{name}/token", auth=(name, "of it")).json["Token"]
    said = {"params": {"token": f"{name}:of it"}} if proof == "password" else {"token": token}
    method, path, body = USER_LOSES[lost]
    body = json.loads(json.dumps(body).replace("{}", name))

    async def scenario():
        async with live.socket(**said) as socket:
            assert (await ask(socket, "register stages.*.*"))[1]["Action"] == "register"
            await live.call("POST", "/stages", {"Name": f"{name}-before"})
            assert (await live.call(method, path.format(name), body)).status in (200, 201)
            await live.call("POST", "/stages", {"Name": f"{name}-after"})
            return await _told_until_closed(socket)

    keys, message = live.run(scenario())
    assert keys == [f"{name}-before"]
    assert (message.data, message.extra) == (1008, "not allowed any more")


def test_who_keeps_the_right_to_hear_goes_on_when_rights_change(live):
    async def scenario():
        async with live.socket() as socket:
            await ask(socket, "register stages.*.*")
            for number in range(20):
                await live.call("POST", "/roles", {"Name": f"other{number}"})
                await live.call("POST", "/stages", {"Name": f"kept{number}"})
            return (await ask(socket, "register x.y.z"))[0]

    assert [event["Key"] for event in live.run(scenario())] == [f"kept{number}" for number in range(20)]


def test_rights_that_no_event_told_of_are_looked_at_from_time_to_time(live, monkeypatch):
    monkeypatch.setattr(sockets, "LOOK", 0.01)
    monkeypatch.setattr(sockets._Doubt, "hear", lambda _self, _message: None)
    key = live.machine("missed")["Uuid"]
    token = live.get(f"/machines/{key}/token").json["Token"]

    async def scenario():
        async with live.socket(token) as socket:
            await ask(socket, f"register machines.*.{key}")
            await live.call("DELETE", f"/machines/{key}")
            return (await _told_until_closed(socket))[1]

    assert live.run(scenario()).data == 1008


def test_a_token_that_expires_does_not_end_what_it_began(live, monkeypatch):
    monkeypatch.setattr(sockets, "LOOK", 0.01)
    key = live.machine("outlived")["Uuid"]
    token = live.get(f"/machines/{key}/token?ttl=1s").json["Token"]

    async def scenario():
        async with live.socket(token) as socket:
            await ask(socket, f"register machines.*.{key}")
            while (await live.call("GET", f"/machines/{key}", token=token)).status == 200:
                await asyncio.sleep(0.05)
            return (await ask(socket, f"register machines.update.{key}"))[1]

    assert live.run(scenario())["Action"] == "register"


def test_nothing_is_left_of_those_who_went(live):
    async def scenario():
        async with live.socket() as socket:
            await ask(socket, "register *.*.*")
        while live.server.sockets:
            await asyncio.sleep(0)

    live.run(scenario())
    assert not live.server.hub._listeners
