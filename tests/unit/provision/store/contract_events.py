"""What every store does with events, with transactions at once, and at its end: the rest of the cases.

Whoever imports `CASES` from here has them all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from ansible_ensemble.provision.objects import Machine, Stage, User
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store.transaction import Store, Transaction, Unavailable
from tests.unit.provision.store.contract import CASES, Opener, case, create, get, machine, until

__all__ = ["CASES"]


@case
async def events_tell_of_changes_in_their_order(opened: Opener) -> None:
    seen: list[Event] = []
    before, after = User(name="bob", secret="hidden", password_hash="hidden"), User(name="bob", roles=["r"])

    def change(transaction: Transaction) -> None:
        transaction.create(before)
        transaction.update(after)
        transaction.save(before)
        transaction.delete(after)
        transaction.tell(Event(time="t", type="users", action="create", key="k", object={"any": [1]}))

    async with opened() as store:
        end = store.subscribe(seen.extend)
        await store.transact(change, "user:me")
        await until(lambda: len(seen) == 5)
        shown = before.public()
        assert "hidden" not in repr(seen)
        assert [(event.action, event.object, event.original) for event in seen] == [
            ("create", shown, None),
            ("update", after, shown),
            ("save", shown, after),
            ("delete", shown, None),
            ("create", {"any": [1]}, None),
        ]
        assert {(event.type, event.key, event.principal) for event in seen[:4]} == {("users", "bob", "user:me")}
        assert seen[0].time.endswith("Z") and seen[4].time == "t"
        end()
        end()
        await create(store, machine("one"))
        other: list[Event] = []
        store.subscribe(other.extend)
        await create(store, machine("two"))
        await until(lambda: any(event.key == "uuid-two" for event in other))
        assert len(seen) == 5


@case
async def events_come_in_the_order_of_commits(opened: Opener) -> None:
    seen: list[Event] = []

    def count(transaction: Transaction) -> None:
        held = transaction.locked(Machine, "uuid-one")
        assert held
        transaction.update(held.replaced(current_task=held.current_task + 1))

    async with opened() as store:
        await create(store, machine("one"))
        store.subscribe(seen.extend)
        await asyncio.gather(*(store.transact(count, "user:me") for _ in range(40)))
        await until(lambda: sum(event.action == "update" for event in seen) == 40)
        assert [event.object.current_task for event in seen if event.action == "update"] == list(range(1, 41))


@case
async def a_listener_that_raises_stops_no_other(opened: Opener) -> None:
    seen: list[Event] = []

    def raising(events: Sequence[Event]) -> None:
        raise ZeroDivisionError

    async with opened() as store:
        store.subscribe(raising)
        store.subscribe(seen.extend)
        await create(store, machine("one"))
        await create(store, machine("two"))
        await until(lambda: any(event.key == "uuid-two" for event in seen))


@case
async def transactions_have_the_effect_of_one_after_the_other(opened: Opener) -> None:
    """Each looks for what the other makes: but for the order, one of them finds it."""

    def one_unless_other(mine: str, other: str) -> Callable[[Transaction], bool]:
        def change(transaction: Transaction) -> bool:
            if transaction.get(Stage, other):
                return False
            transaction.create(Stage(name=mine))
            return True

        return change

    async with opened() as store:
        for number in range(15):
            a, b = f"a{number}", f"b{number}"
            work = (store.transact(one_unless_other(*names), "user:me") for names in ((a, b), (b, a)))
            assert sorted(await asyncio.gather(*work)) == [False, True]


@case
async def a_read_is_of_one_moment(opened: Opener) -> None:
    def move(transaction: Transaction) -> None:
        one, two = (transaction.locked(Machine, f"uuid-{name}") for name in ("one", "two"))
        assert one and two
        transaction.save(one.replaced(current_task=one.current_task - 1))
        transaction.save(two.replaced(current_task=two.current_task + 1))

    async def look(store: Store) -> None:
        while working:
            sums.add(await store.read(lambda reader: sum(found.current_task for found in reader.all(Machine))))

    async with opened() as store:
        await create(store, machine("one", current_task=5), machine("two", current_task=5))
        working, sums = True, set[int]()
        looking = asyncio.gather(look(store), look(store))
        for _ in range(50):
            await store.transact(move, "system")
        working = False
        await looking
        assert sums == {10}


@case
async def who_has_gone_disturbs_nobody(opened: Opener) -> None:
    async with opened() as store:
        going = asyncio.ensure_future(create(store, machine("one")))
        await asyncio.sleep(0)
        going.cancel()
        await create(store, machine("two"))
        assert await get(store, "two")


@case
async def a_closed_store_refuses(opened: Opener) -> None:
    async with opened() as store:
        await create(store, machine("one"))
        await store.close()
        with pytest.raises(Unavailable, match="closed"):
            await create(store, machine("two"))
        with pytest.raises(Unavailable, match="closed"):
            await get(store, "one")


@case
async def what_was_begun_is_finished_before_it_closes(opened: Opener) -> None:
    async with opened() as store:
        work = [asyncio.ensure_future(create(store, machine(f"m{number}"))) for number in range(20)]
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.gather(*work) == [None] * 20
    async with opened() as store:
        assert await store.read(lambda reader: reader.count(Machine)) == 20
