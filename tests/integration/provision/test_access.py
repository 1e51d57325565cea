"""Who may do what: passwords, tokens of users and of machines, and of jobs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.integration.provision.conftest import Walking
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Refusal, Wire

#: What is sent as Authorization, and the statuses that it may come to.
STRANGERS = {
    "nothing": (None, 401),
    "an unknown scheme": ("Digest abc", 401),
    "no scheme": ("abc", 401),
    "no base64": ("Basic %%%", 401),
    "no colon": ("Basic YWJj", 401),
    "a wrong password": ("Basic cm9ja2V0c2thdGVzOndyb25n", 403),
    "an unknown user": ("Basic bm9ib2R5OndoYXRldmVy", 403),
    "no token": ("Bearer", 401),
    "a made-up token": ("Bearer abc.def", 401),
    "a token of zeros": ("Bearer " + "0" * 40, 401),
    "letters of other alphabets": ("Bearer абв", 401),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_strangers_are_turned_away(shared: Lasting, name: str) -> None:
    sent, status = STRANGERS[name]

    async def main() -> None:
        async with Wire(shared.endpoint, token="unused") as wire:
            wire.token = ""
            for path in ("info", "machines", "users/rocketskates/token", "ws"):
                headers = {} if sent is None else {"Authorization": sent}
                with pytest.raises(Refusal) as refused:
                    await wire.call("GET", path, headers=headers)
                assert refused.value.status in (status, 403 if status == 401 and sent else status), path

    asyncio.run(main())


def test_a_password_serves_everywhere(shared: Lasting) -> None:
    async def main() -> None:
        async with Wire(shared.endpoint) as wire:
            assert (await wire.call("GET", "info", headers={"Authorization": wire.basic}))["api_port"] == shared.port

    asyncio.run(main())


def test_a_token_expires(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        wire = walk.cli.wire
        token = (await wire.call("GET", "users/rocketskates/token?ttl=1"))["Token"]
        bearer = {"Authorization": f"Bearer {token}"}
        while True:
            try:
                await wire.call("GET", "info", headers=bearer)
            except Refusal as refusal:
                assert refusal.status == 403
                return
            await asyncio.sleep(0.1)

    walk(steps)


def test_another_password_ends_tokens(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        name = walk.name("user")
        wire = walk.cli.wire
        await walk.cli.create("users", {"Name": name, "Roles": ["superuser"]})
        await wire.call("PUT", f"users/{name}/password", {"Password": "first"})
        async with Wire(wire.endpoint, key=f"{name}:first") as own:
            shown = await own.call("GET", f"users/{name}")
            assert (shown["PasswordHash"], shown["Secret"]) == ("", "")
            await wire.call("PUT", f"users/{name}/password", {"Password": "second"})
            with pytest.raises(Refusal):
                await own.call("GET", "info")
        with pytest.raises(Refusal):
            await Wire(wire.endpoint, key=f"{name}:first").__aenter__()

    walk(steps)


def test_what_the_token_of_a_machine_may(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli = walk.cli
        await walk.task("t1", "exit 0")
        await walk.workflow("flow", {"s1": ["t1"]})
        own, other = await walk.machine("own", "flow"), await walk.machine("other", "flow")
        foreign = await cli.create_job(other["Uuid"])
        assert foreign
        body = json.dumps({"Machine": other["Uuid"], "Context": ""})
        patch = [{"op": "replace", "path": "/Runnable", "value": False}]
        forbidden: list[tuple[str, str, Any]] = [
            ("GET", f"machines/{other['Uuid']}", ...),
            ("PATCH", f"machines/{other['Uuid']}", patch),
            ("DELETE", f"machines/{other['Uuid']}", ...),
            ("POST", f"machines/{other['Uuid']}/params/p", 1),
            ("GET", f"machines/{other['Uuid']}/params", ...),
            ("GET", f"machines/{other['Uuid']}/token", ...),
            ("POST", "jobs", json.loads(body)),
            ("GET", f"jobs/{foreign['Uuid']}", ...),
            ("GET", f"jobs/{foreign['Uuid']}/actions", ...),
            ("GET", f"jobs/{foreign['Uuid']}/log", ...),
            ("PATCH", f"jobs/{foreign['Uuid']}", [{"op": "replace", "path": "/State", "value": "failed"}]),
            ("POST", "tasks", {"Name": walk.name("evil")}),
            ("PATCH", f"tasks/{walk.name('t1')}", []),
            ("POST", "machines", {"Name": walk.name("evil")}),
            ("GET", "users", ...),
            ("GET", "users/rocketskates/token", ...),
            ("PUT", "users/rocketskates/password", {"Password": "x"}),
            ("POST", "prefs", {"defaultStage": "local"}),
            ("POST", "contents", {"meta": {"Name": "evil"}}),
        ]
        async with Wire(cli.wire.endpoint, token=await cli.machine_token(own["Uuid"])) as wire:
            for method, path, sent in forbidden:
                with pytest.raises(Refusal) as refused:
                    await wire.call(method, path, sent)
                assert refused.value.status in (403, 404), (method, path)
            assert (await wire.call("GET", f"machines/{own['Uuid']}"))["Name"] == own["Name"]
            assert await wire.call("POST", f"machines/{own['Uuid']}/params/p", 1) == 1
            assert [machine["Uuid"] for machine in await wire.call("GET", "machines")] in ([], [own["Uuid"]])
            watch = await wire.watch()
            for pattern in ("*.*.*", "machines.*.*", f"machines.*.{other['Uuid']}", f"machines.*.{own['Uuid']}"):
                await watch.register(pattern)
            await cli.update("machines", other["Uuid"], {"Description": "secret"})
            await cli.update("machines", own["Uuid"], {"Description": "own"})
            told = await watch.next(30.0)
            assert told is not None
            assert (told["Key"], told["Object"]["Description"]) == (own["Uuid"], "own")
            await watch.close()

    walk(steps)


def test_the_token_of_a_machine_dies_with_its_secret(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        machine = await walk.machine("m")
        token = await walk.cli.machine_token(machine["Uuid"], "3y")
        async with Wire(walk.cli.wire.endpoint, token=token) as wire:
            await wire.call("GET", f"machines/{machine['Uuid']}")
            await walk.cli.machine_field(machine["Uuid"], Secret="another-secret-of-it")
            with pytest.raises(Refusal) as refused:
                await wire.call("GET", f"machines/{machine['Uuid']}")
            assert refused.value.status == 403

    walk(steps)


def test_the_token_of_a_job_is_shown_once_and_dies_with_it(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli = walk.cli
        claim = {"scope": "profiles", "action": "create,delete", "specific": "*"}
        await walk.task("t1", "exit 0", ExtraClaims=[claim])
        await walk.workflow("flow", {"s1": ["t1"]})
        machine = await walk.machine("m", "flow")
        job = await cli.create_job(machine["Uuid"])
        assert job
        assert job["Token"]
        assert (await cli.show("jobs", job["Uuid"]))["Token"] == ""
        async with Wire(cli.wire.endpoint, token=job["Token"]) as wire:
            await wire.call("POST", "profiles", {"Name": walk.name("by-job")})
            await cli.set_job(job["Uuid"], State="finished")
            with pytest.raises(Refusal) as refused:
                await wire.call("POST", "profiles", {"Name": walk.name("late")})
            assert refused.value.status == 403

    walk(steps)
