"""What the service keeps true while many requests come at once, on every database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.objects.job import NO_JOB, Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import built_ins, crud, params
from ansible_ensemble.provision.service.jobs import NextJob, next_job
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Store, Transaction

UUID = "3e7031fe-3062-45f1-835c-92541bc9cbd3"
TASKS = [f"task{number}" for number in range(5)]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the store is."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    url: str = request.getfixturevalue("postgres")
    return url


@asynccontextmanager
async def begun(address: str) -> AsyncIterator[Store]:
    """A store with a machine that has tasks to run."""
    store = await open_store(address)
    try:
        await store.transact(_begin, "system")
        yield store
    finally:
        await store.close()


def _begin(tx: Transaction) -> None:
    built_ins.install(tx)
    for task in TASKS:
        _create(tx, "tasks", Name=task)
    _create(tx, "stages", Name="stage1", Tasks=TASKS)
    _create(tx, "workflows", Name="wf1", Stages=["stage1"])
    _create(tx, "machines", Name="m1", Uuid=UUID, Workflow="wf1")


def _create(tx: Transaction, prefix: str, **fields: Any) -> None:
    crud.create(tx, prefix, json.dumps(fields).encode())


async def _together(store: Store, *functions: Callable[[Transaction], Any]) -> list[Any]:
    return await asyncio.gather(
        *(store.transact(function, "user:one") for function in functions), return_exceptions=True
    )


def _ask(tx: Transaction) -> NextJob:
    return next_job(tx, json.dumps({"Machine": UUID}).encode())


def _finish(uuid: str, tx: Transaction) -> None:
    crud.patch(tx, "jobs", uuid, b'[{"op": "replace", "path": "/State", "value": "finished"}]')


def test_agents_that_ask_at_once_get_one_job(address: str) -> None:
    async def run() -> list[Job]:
        async with begun(address) as store:
            for _ in TASKS:
                answers = await _together(store, *[_ask] * 8)
                [given] = [answer.job for answer in answers if isinstance(answer, NextJob)]
                refusals = [answer.error.code for answer in answers if isinstance(answer, Refused)]
                assert refusals == [409] * 7
                await store.transact(partial(_finish, given.uuid), "user:one")
            assert (await store.transact(_ask, "user:one")).status == 204
            return await store.read(lambda reader: [*reader.all(Job)])

    jobs = {job.previous: job for job in asyncio.run(run())}
    chain, last = [], NO_JOB
    while last in jobs:
        chain.append(jobs[last].task)
        last = jobs[last].uuid
    assert chain == TASKS
    assert [job.task for job in jobs.values() if job.current] == [TASKS[-1]]


def test_params_that_are_set_at_once_are_all_kept(address: str) -> None:
    async def run() -> Machine | None:
        async with begun(address) as store:
            names = [f"param{number}" for number in range(20)]
            answers = await _together(
                store, *(partial(_set, name) for name in names), *(partial(_finish, "none") for _ in range(3))
            )
            assert sum(isinstance(answer, Refused) for answer in answers) == 3
            return await store.read(lambda reader: reader.get(Machine, UUID))

    machine = asyncio.run(run())
    assert machine
    assert len(machine.params) == 20


def _set(name: str, tx: Transaction) -> None:
    params.set_param(tx, "machines", UUID, name, b"1")


def test_the_key_of_an_object_is_one_however_many_ask(address: str) -> None:
    async def run() -> list[Any]:
        async with begun(address) as store:
            ask = partial(params.public_key, prefix="machines", name=UUID)
            return [*await _together(store, *[ask] * 8), await store.transact(ask, "user:one")]

    assert len(set(asyncio.run(run()))) == 1


def test_a_dependency_that_appears_while_what_needs_it_is_made(address: str) -> None:
    async def run() -> list[tuple[bool, list[str]]]:
        async with begun(address) as store:
            makers = [
                partial(_create, prefix=prefix, **fields)
                for number in range(6)
                for prefix, fields in (
                    ("bootenvs", {"Name": f"env{number}"}),
                    ("stages", {"Name": f"late{number}", "BootEnv": f"env{number}"}),
                    ("workflows", {"Name": f"wf-{number}", "Stages": [f"late{number}"]}),
                )
            ]
            assert await _together(store, *makers) == [None] * len(makers)
            found = await store.read(
                lambda reader: [crud.show(reader, "workflows", f"wf-{number}") for number in range(6)]
            )
            return [(one.available, one.errors) for one in found]

    assert asyncio.run(run()) == [(True, [])] * 6
