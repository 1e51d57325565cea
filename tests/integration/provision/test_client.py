"""Our client with our server: certificates, objects, jobs, logs, events, and servers that go and come back."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.events import LOST
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.settings import Settings, settings_from
from ansible_ensemble.provision.objects import Machine, Param, Profile, Stage, Task, Workflow
from ansible_ensemble.provision.objects.bundle import Bundle, BundleMeta
from ansible_ensemble.provision.objects.parts import TemplateInfo
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.walk import Walk

KEY = "rocketskates:r0cketsk8ts"
#: Short, so that a server that is started again is found soon.
WAITS = (0.1,) * 600


def settings_of(server: Lasting) -> Settings:
    """Settings that trust the server's own certificate."""
    file = server.folder / "data" / "tls" / "server.crt"
    return replace(settings_from({"RS_ENDPOINT": server.endpoint, "RS_KEY": KEY}, ca_file=str(file)), waits=WAITS)


@pytest.fixture
def talk(shared: Lasting, tmp_path: Path) -> Callable[[Callable[[Client, Walk], Awaitable[None]]], None]:
    """Run steps with a client of the shared server, and names of their own."""

    def talked(steps: Callable[[Client, Walk], Awaitable[None]]) -> None:
        walk = Walk(None, tmp_path)  # type: ignore[arg-type] # for its names alone
        run(settings_of(shared), lambda client: steps(client, walk))

    return talked


def test_a_fingerprint_is_enough(shared: Lasting) -> None:
    settings = settings_of(shared)
    pem = Path(settings.ca_file).read_text()
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    assert (
        run(replace(settings, ca_file="", fingerprint=digest), lambda client: client.info())["api_port"] == shared.port
    )
    with pytest.raises(RequestFailed, match="CONNECT"):
        run(replace(settings, ca_file="", fingerprint="0" * 64), lambda client: client.info())
    with pytest.raises(RequestFailed, match="CONNECT"):
        run(replace(settings, ca_file=""), lambda client: client.info())


def test_a_wrong_password_is_one_message(shared: Lasting) -> None:
    with pytest.raises(RequestFailed, match="Access Denied") as caught:
        run(replace(settings_of(shared), password="wrong"), lambda client: client.info())
    assert caught.value.error.code == 403


def test_objects_live(talk: Callable[..., None]) -> None:
    async def steps(client: Client, walk: Walk) -> None:
        name = walk.name("p")
        made = await client.create(Profile(name=name, params={"a": 1}))
        changed = await client.change(made, made.replaced(description="mine", params={"b/c": [True]}))
        assert (changed.description, changed.params) == ("mine", {"b/c": [True]})
        with pytest.raises(RequestFailed) as stale:
            await client.change(made, made.replaced(description="other"))
        assert (stale.value.error.code, stale.value.error.type, stale.value.error.key) == (409, "PATCH", name)
        assert await client.select(Profile, {"Name": name}) == [changed]
        assert await client.put(changed.replaced(params={})) == await client.get(Profile, name)
        await client.delete(Profile, name)
        with pytest.raises(RequestFailed, match=f"GET: profiles/{name}: Not Found"):
            await client.get(Profile, name)

    talk(steps)


def test_params_are_set(talk: Callable[..., None]) -> None:
    async def steps(client: Client, walk: Walk) -> None:
        default = {"type": "string", "default": "d"}
        await client.create(Param(name=walk.name("default"), schema=default))
        machine = await client.create(Machine(name=walk.name("m"), params={"x": True}))
        assert await client.set_param(machine, "a/b", {"c": None}) == {"c": None}
        assert await client.params(machine) == {"x": True, "a/b": {"c": None}}
        assert await client.param(machine, walk.name("default")) is None
        assert await client.param(machine, walk.name("default"), aggregate=True) == "d"
        assert await client.remove_param(machine, "x") is True
        assert "x" not in await client.params(machine, aggregate=True)

    talk(steps)


def test_a_job_is_done_by_a_machine_itself(talk: Callable[..., None], shared: Lasting) -> None:
    async def steps(client: Client, walk: Walk) -> None:
        template = TemplateInfo(name="script", contents="echo {{.Machine.Name}}")
        await client.create(Task(name=walk.name("t"), templates=[template]))
        await client.create(Stage(name=walk.name("s"), tasks=[walk.name("t")]))
        await client.create(Workflow(name=walk.name("w"), stages=[walk.name("s")]))
        machine = await client.create(Machine(name=walk.name("m"), workflow=walk.name("w")))
        token = await client.machine_token(machine.uuid, "1h")
        own = replace(settings_of(shared), user="", password="", token=token)
        async with Client(own) as agent, agent.events() as stream:
            await stream.register(f"machines.save.{machine.uuid}")
            job = await agent.next_job(machine.uuid)
            assert job
            assert (await anext(stream)).object["CurrentJob"] == job.uuid
            [action] = await agent.job_actions(job.uuid, "linux")
            assert (action.name, action.content) == ("script", f"echo {machine.name}")
            await agent.append_log(job.uuid, b"done\n")
            assert b"".join([part async for part in agent.log(job.uuid)]).endswith(b"done\n")
            await agent.change(job, job.replaced(state="finished", exit_state="complete"))
            assert await agent.next_job(machine.uuid) is None
            with pytest.raises(RequestFailed) as refused:
                await stream.register("users.*.*")
            assert refused.value.error.code == 403
        assert (await client.get(Machine, f"Name:{machine.name}")).workflow_complete

    talk(steps)


def test_content_is_loaded(talk: Callable[..., None]) -> None:
    async def steps(client: Client, walk: Walk) -> None:
        for task in ("one", "two"):
            named = {walk.name(task): {"Name": walk.name(task)}}
            loaded = await client.load_content(
                Bundle(meta=BundleMeta(name=walk.name("pack")), sections={"tasks": named})
            )
            assert (loaded.meta.name, loaded.counts["tasks"]) == (walk.name("pack"), 1)
        assert [task.name for task in await client.select(Task, {"Bundle": walk.name("pack")})] == [walk.name("two")]

    talk(steps)


def test_a_server_that_comes_back_is_found(tmp_path: Path) -> None:
    server = Lasting(tmp_path)

    async def main() -> None:
        async with Client(settings_of(server)) as client, client.events() as stream:
            machine = await client.create(Machine(name="m1"))
            await stream.register("machines.*.*")
            server.kill()
            asked = asyncio.create_task(client.get(Machine, machine.uuid))
            await asyncio.to_thread(server.start)
            assert (await asked).name == "m1"
            assert await anext(stream) == LOST
            await client.delete(Machine, machine.uuid)
            assert (await anext(stream)).action == "delete"

    asyncio.run(main())
    assert server.stop() == 0
    assert server.complaints == []
