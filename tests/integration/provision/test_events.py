"""The stream of events: who is told what, in which order."""

from __future__ import annotations

from typing import Any

from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk

_PATIENCE = 10.0


def test_changes_of_machines_are_told(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        watch = await walk.cli.wire.watch()
        await watch.register("machines.*.*")
        await watch.register("machines.*.*")
        machine = await walk.machine("m")
        changed = await walk.cli.update("machines", machine["Uuid"], {"Description": "other"})
        await walk.cli.destroy("machines", machine["Uuid"])
        events: list[dict[str, Any]] = []
        while len(events) < 3 and (event := await watch.next(_PATIENCE)):
            if event["Key"] == machine["Uuid"]:
                events.append(event)
        assert [event["Action"] for event in events] == ["create", "update", "delete"]
        assert {event["Type"] for event in events} == {"machines"}
        assert {event["Principal"] for event in events} == {"user:rocketskates"}
        assert events[1]["Object"] == changed
        assert events[1]["Original"] == machine
        await watch.close()

    walk(steps)


def test_filters_hold_until_they_are_withdrawn(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        first, second = await walk.machine("m1"), await walk.machine("m2")
        watch = await walk.cli.wire.watch()
        await watch.register(f"machines.update.{second['Uuid']}")
        await walk.cli.update("machines", first["Uuid"], {"Description": "1"})
        await walk.cli.update("machines", second["Uuid"], {"Description": "2"})
        told = await watch.next(_PATIENCE)
        assert told is not None
        assert told["Key"] == second["Uuid"]
        await watch.deregister(f"machines.update.{second['Uuid']}")
        await watch.register(f"machines.update.{first['Uuid']}")
        await walk.cli.update("machines", second["Uuid"], {"Description": "3"})
        await walk.cli.update("machines", first["Uuid"], {"Description": "4"})
        told = await watch.next(_PATIENCE)
        assert told is not None
        assert (told["Key"], told["Object"]["Description"]) == (first["Uuid"], "4")
        await watch.close()

    walk(steps)


def test_a_job_of_a_machine_is_told_of_both(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("one")
        await walk.workflow("flow", {"stage": ["one"]})
        machine = await walk.machine("m", "flow")
        watch = await walk.cli.wire.watch()
        await watch.register("jobs.*.*")
        await watch.register(f"machines.*.{machine['Uuid']}")
        job = await walk.cli.create_job(machine["Uuid"])
        assert job
        told = [event async for event in _until(watch, 2)]
        assert sorted((event["Type"], event["Action"]) for event in told) == [("jobs", "create"), ("machines", "save")]
        await walk.cli.set_job(job["Uuid"], State="failed")
        told = [event async for event in _until(watch, 2)]
        assert sorted((event["Type"], event["Action"]) for event in told) == [("jobs", "update"), ("machines", "save")]
        assert not [event for event in told if "Token" in event["Object"] and event["Object"]["Token"]]
        await watch.close()

    walk(steps)


def test_an_event_is_posted(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        watch = await walk.cli.wire.watch()
        await watch.register(f"mine.*.{walk.name('key')}")
        event = {
            "Time": "2026-01-01T00:00:00Z",
            "Type": "mine",
            "Action": "done",
            "Key": walk.name("key"),
            "Object": {},
        }
        await walk.cli.wire.call("POST", "events", event)
        told = await watch.next(_PATIENCE)
        assert told is not None
        assert (told["Type"], told["Action"]) == ("mine", "done")
        await watch.close()

    walk(steps)


async def _until(watch: Any, number: int) -> Any:
    for _ in range(number):
        event = await watch.next(_PATIENCE)
        assert event is not None
        yield event
