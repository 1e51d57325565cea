"""What every store does: cases that run on each database.

A case is a function of an opener, which opens the store of the test again each time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from operator import methodcaller
from typing import Any, TypeAlias

import pytest

from ansible_ensemble.provision.objects import Job, Machine, Object, Stage, User
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store.transaction import AlreadyExists, NotKept, Reader, Store, Transaction

#: The limit of a log in these tests.
LOG_LIMIT = 200_000

Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Store]]
Case: TypeAlias = Callable[[Opener], Awaitable[None]]

CASES: list[Case] = []


def case(function: Case) -> Case:
    CASES.append(function)
    return function


def machine(name: str, **fields: Any) -> Machine:
    return Machine(uuid=f"uuid-{name}", name=name, **fields)


async def create(store: Store, *made: Object) -> None:
    def change(transaction: Transaction) -> None:
        for one in made:
            transaction.create(one)

    await store.transact(change, "user:me")


async def get(store: Store, name: str) -> Machine | None:
    return await store.read(lambda reader: reader.get(Machine, f"uuid-{name}"))


async def append(store: Store, job: str, data: bytes) -> None:
    await store.transact(lambda transaction: transaction.append_log(job, data), "runner:m")


async def log(store: Store, job: str, offset: int = 0, size: int = 10**9) -> bytes:
    return await store.read(lambda reader: reader.log(job, offset, size))


async def referrers(store: Store, prefix: str, key: str) -> list[str]:
    return [found.key for found in await store.read(lambda reader: reader.referrers(prefix, key))]


async def until(condition: Callable[[], bool]) -> None:
    """Events of other servers come when they come; the time limit of the test ends what never comes."""
    while not condition():
        await asyncio.sleep(0.01)


@case
async def what_is_created_is_there_and_stays(opened: Opener) -> None:
    kept = machine("one", params={"a": [1, None, "ü"]}, tasks=["x"])
    async with opened() as store:
        assert await get(store, "one") is None
        await create(store, kept)
        assert await get(store, "one") == kept
    async with opened() as store:
        assert await get(store, "one") == kept


@case
async def lists_are_in_the_order_of_keys(opened: Opener) -> None:
    names = ["b", "a", "B", "ä", "a-1", "a/1", "z", "𐀀", "\uffff"]
    async with opened() as store:
        await create(store, machine("m"), *(Stage(name=name) for name in names))
        listed = await store.read(lambda reader: [stage.name for stage in reader.all(Stage)])
        assert listed == sorted(names)
        bodies = await store.read(lambda reader: list(reader.bodies(Stage)))
        assert [json.loads(body)["Name"] for body in bodies] == listed
        assert bodies[0] == encode(Stage(name="B"))
        assert await store.read(lambda reader: [reader.count(kind) for kind in (Stage, Machine, User)]) == [9, 1, 0]


@case
async def long_lists_are_whole(opened: Opener) -> None:
    jobs = [Job(uuid=f"{number:05}", machine=str(number % 2)) for number in range(2500)]
    async with opened() as store:
        await create(store, *jobs)
        assert await store.read(lambda reader: list(reader.all(Job))) == jobs
        assert await store.read(lambda reader: list(reader.where(Job, "Machine", "1"))) == jobs[1::2]


@case
async def a_list_may_be_changed_while_it_is_read(opened: Opener) -> None:
    def mark(transaction: Transaction) -> int:
        return sum(transaction.save(found.replaced(task="seen")) is None for found in transaction.all(Job))

    async with opened() as store:
        await create(store, *(Job(uuid=f"{number:05}", machine="m") for number in range(1200)))
        assert await store.transact(mark, "system") == 1200
        assert await store.read(lambda reader: {job.task for job in reader.all(Job)}) == {"seen"}


@case
async def a_transaction_sees_its_own_changes(opened: Opener) -> None:
    def change(transaction: Transaction) -> None:
        transaction.create(machine("one"))
        assert transaction.get(Machine, "uuid-one") == transaction.locked(Machine, "uuid-one") == machine("one")
        assert transaction.find(Machine, "Name", "one") == machine("one")
        transaction.update(machine("one", stage="s").replaced(name="two"))
        assert transaction.find(Machine, "Name", "one") is None
        assert transaction.find(Machine, "Name", "two") is not None
        assert [found.key for found in transaction.referrers("stages", "s")] == ["uuid-one"]
        transaction.delete(machine("one"))
        assert transaction.get(Machine, "uuid-one") is None
        assert transaction.referrers("stages", "s") == []
        assert list(transaction.all(Machine)) == []

    async with opened() as store:
        await store.transact(change, "user:me")


@case
async def a_function_that_raises_changes_nothing(opened: Opener) -> None:
    seen: list[Event] = []

    def change(transaction: Transaction) -> None:
        transaction.create(machine("two"))
        transaction.update(machine("one", description="changed"))
        transaction.set_preference("a", "b")
        transaction.append_log("j", b"text")
        raise ZeroDivisionError("mine")

    async with opened() as store:
        await create(store, machine("one"))
        store.subscribe(seen.extend)
        with pytest.raises(ZeroDivisionError, match="mine"):
            await store.transact(change, "user:me")
        assert await store.read(lambda reader: list(reader.all(Machine))) == [machine("one")]
        assert await store.read(lambda reader: (reader.preferences(), reader.log("j", 0, 9))) == ({}, b"")
        await create(store, machine("three"))
        await until(lambda: any(event.key == "uuid-three" for event in seen))
        assert {event.key for event in seen} <= {"uuid-one", "uuid-three"}
        assert {event.action for event in seen} == {"create"}


@case
async def among_many_at_once_each_fails_alone(opened: Opener) -> None:
    def change(number: int) -> Callable[[Transaction], int]:
        def create_or_fail(transaction: Transaction) -> int:
            transaction.create(Stage(name=f"s{number}"))
            if number % 3 == 0:
                raise ValueError(number)
            return number

        return create_or_fail

    async with opened() as store:
        work = (store.transact(change(number), "user:me") for number in range(30))
        answers = await asyncio.gather(*work, return_exceptions=True)
        for number, answer in enumerate(answers):
            assert isinstance(answer, ValueError) if number % 3 == 0 else answer == number
        kept = await store.read(lambda reader: {stage.name for stage in reader.all(Stage)})
        assert kept == {f"s{number}" for number in range(30) if number % 3}


@case
async def a_function_that_stops_an_iteration_is_an_error(opened: Opener) -> None:
    async with opened() as store:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await store.transact(lambda transaction: next(transaction.all(Machine)), "user:me")
        with pytest.raises(RuntimeError, match="StopIteration"):
            await store.read(lambda reader: next(reader.all(Machine)))


@case
async def a_key_and_a_unique_value_belong_to_one(opened: Opener) -> None:
    async with opened() as store:
        await create(store, machine("one"), machine("two"), Stage(name="one"))
        cases: list[tuple[Object, str, str]] = [
            (machine("one").replaced(name="other"), "Uuid", "uuid-one"),
            (machine("other").replaced(name="two"), "Name", "two"),
            (Stage(name="one"), "Name", "one"),
        ]
        for made, index, value in cases:
            with pytest.raises(AlreadyExists) as caught:
                await create(store, made)
            assert (caught.value.kind, caught.value.index, caught.value.value) == (made.PREFIX, index, value)
        with pytest.raises(AlreadyExists, match="machines with Name one already exists"):
            await store.transact(lambda transaction: transaction.update(machine("two").replaced(name="one")), "user:me")
        await store.transact(lambda transaction: transaction.update(machine("two", description="d")), "user:me")
        await store.transact(lambda transaction: transaction.delete(machine("one")), "user:me")
        await create(store, machine("other").replaced(name="one"))


@case
async def who_catches_a_refusal_may_go_on(opened: Opener) -> None:
    def change(transaction: Transaction) -> None:
        with pytest.raises(AlreadyExists):
            transaction.create(machine("new").replaced(name="one"))
        with pytest.raises(NotKept):
            transaction.save(machine("gone"))
        transaction.create(Stage(name="after"))

    async with opened() as store:
        await create(store, machine("one"))
        await store.transact(change, "user:me")
        assert await store.read(lambda reader: [found.name for found in reader.all(Machine)]) == ["one"]
        assert await store.read(lambda reader: reader.get(Stage, "after")) is not None


@case
async def of_two_creations_with_one_name_one_wins(opened: Opener) -> None:
    async with opened() as store:
        for number in range(10):
            name = f"m{number}"
            work = (create(store, machine(name).replaced(uuid=f"{name}-{other}")) for other in range(4))
            answers = await asyncio.gather(*work, return_exceptions=True)
            assert sorted(map(str, answers)) == ["None"] + [f"machines with Name {name} already exists"] * 3
        assert await store.read(lambda reader: reader.count(Machine)) == 10


@case
async def what_is_not_kept_cannot_be_changed(opened: Opener) -> None:
    async with opened() as store:
        for action in ("update", "save", "delete"):
            with pytest.raises(NotKept, match="uuid-one"):
                await store.transact(methodcaller(action, machine("one")), "user:me")


@case
async def indexes_find(opened: Opener) -> None:
    async with opened() as store:
        jobs = [Job(uuid=f"j{number}", machine=owner) for number, owner in enumerate("abab")]
        await create(store, *jobs, machine("one"), machine("two"), Job(uuid="none"))
        assert await store.read(lambda reader: list(reader.where(Job, "Machine", "b"))) == [jobs[1], jobs[3]]
        assert await store.read(lambda reader: list(reader.where(Job, "Machine", ""))) == []
        assert await store.read(lambda reader: reader.find(Machine, "Name", "two")) == machine("two")
        assert await store.read(lambda reader: reader.find(Machine, "Name", "")) is None
        assert await store.read(lambda reader: reader.find(Machine, "Uuid", "uuid-one")) == machine("one")
        for index in ("Machine", "Task"):
            with pytest.raises(ValueError, match=index):
                await store.read(methodcaller("find", Job, index, "a"))
        with pytest.raises(ValueError, match="no index Task"):
            await store.read(lambda reader: list(reader.where(Job, "Task", "a")))


@case
async def referrers_are_those_that_name_it_now(opened: Opener) -> None:
    async with opened() as store:
        await create(store, machine("one", tasks=["t", "u", "t"]), Stage(name="s", tasks=["t"]), Stage(name="t"))
        assert await referrers(store, "tasks", "t") == ["uuid-one", "s"]
        await store.transact(lambda transaction: transaction.save(machine("one", tasks=["u"])), "system")
        assert await referrers(store, "tasks", "t") == ["s"]
        await store.transact(lambda transaction: transaction.delete(Stage(name="s")), "user:me")
        assert await referrers(store, "tasks", "t") == []


@case
async def any_text_may_be_looked_for_and_named(opened: Opener) -> None:
    strange = ("\0", "a\0b", "\udc80", "'", "%", "?", "x" * 2000)

    def look(reader: Reader) -> list[object]:
        return [
            look
            for text in strange
            for look in (reader.get(Machine, text), reader.find(Machine, "Name", text), reader.log(text, 0, 1))
        ]

    async with opened() as store:
        assert set(await store.read(look)) == {None, b""}
        named = [text for text in strange if text != "\udc80"]
        await create(store, machine("one", profiles=named, params={"\0": "\0"}, description="\0"))
        for text in named:
            assert await referrers(store, "profiles", text) == ["uuid-one"]


@case
async def preferences_and_secrets_are_kept(opened: Opener) -> None:
    def change(transaction: Transaction) -> None:
        transaction.set_preference("b", "1")
        transaction.set_preference("a", "ü")
        transaction.set_preference("b", "2")
        transaction.keep_secret("key", b"\0\xff")
        transaction.keep_secret("old", b"1")
        transaction.keep_secret("old", None)
        transaction.keep_secret("never", None)

    async with opened() as store:
        await store.transact(change, "system")
    async with opened() as store:
        assert await store.read(lambda reader: list(reader.preferences().items())) == [("a", "ü"), ("b", "2")]
        secrets = await store.read(lambda reader: [reader.secret(name) for name in ("key", "old", "never", "b")])
        assert secrets == [b"\0\xff", None, None, None]
        assert await store.read(lambda reader: reader.secrets("ke")) == {"key": b"\0\xff"}
        assert await store.read(lambda reader: reader.secrets("key/")) == {}


@case
async def logs_grow_and_are_read_in_parts(opened: Opener) -> None:
    pieces = [b"first\n", b"", bytes(range(256)) * 300, b"last"]
    whole = b"".join(pieces)

    async with opened() as store:
        for piece in pieces:
            await append(store, "j", piece)
        await append(store, "other", b"else")
        for offset, size in ((0, 10**9), (0, 0), (3, 5), (65_530, 20), (70_000, 1), (len(whole) - 1, 5)):
            assert await log(store, "j", offset, size) == whole[offset : offset + size]
        for offset in (len(whole), len(whole) + 1):
            assert await log(store, "j", offset, 10) == b""
        assert await log(store, "none", 0, 10) == b""


@case
async def a_log_goes_with_its_job(opened: Opener) -> None:
    jobs = [Job(uuid=name, machine="m") for name in "abc"]

    def fill(transaction: Transaction) -> None:
        for job in jobs:
            transaction.create(job)
            transaction.append_log(job.uuid, b"text")

    def change(transaction: Transaction) -> None:
        transaction.delete(jobs[0])

    async with opened() as store:
        await store.transact(fill, "system")
        await store.transact(change, "system")
        logs = await store.read(lambda reader: [reader.log(name, 0, 9) for name in "abc"])
        assert logs == [b"", b"text", b"text"]


@case
async def a_log_is_cut_at_its_limit_and_says_so(opened: Opener) -> None:
    says = b"\nThe log is cut here: it has reached its limit of 200000 bytes.\n"

    async with opened() as store:
        for piece in (b"x" * (LOG_LIMIT - 3), b"yyy"):
            await append(store, "j", piece)
        full = b"x" * (LOG_LIMIT - 3) + b"yyy"
        assert await log(store, "j") == full
        for _ in range(3):
            await append(store, "j", b"more")
            assert await log(store, "j") == full + says
        await append(store, "k", b"z" * LOG_LIMIT * 2)
        assert await log(store, "k") == b"z" * LOG_LIMIT + says
