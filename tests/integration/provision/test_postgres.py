"""What a store on PostgreSQL does beside what every store does: servers share it, and it may go away."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects import Machine, Stage
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store import postgres_feed
from ansible_ensemble.provision.store.backup import back_up
from ansible_ensemble.provision.store.postgres_connection import CHANNEL
from ansible_ensemble.provision.store.transaction import Store, Transaction, Unavailable
from tests.integration.provision.postgres import Cluster, programs
from tests.unit.provision.store.contract import create, get, machine, until
from tests.unit.provision.store.kills import check_kills
from tests.unit.provision.store.opened import opener

#: Ends the connections of all stores.
END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> {pid}"
END_OTHERS = END_ALL.format(pid="pg_backend_pid()")


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A server that a test may stop."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed")
    cluster = Cluster(folder)
    yield cluster
    cluster.remove()


def count(transaction: Transaction) -> int:
    held = transaction.locked(Machine, "uuid-one")
    assert held
    transaction.update(held.replaced(current_task=held.current_task + 1))
    return held.current_task + 1


def counted(events: list[Event]) -> list[int]:
    return [event.object.current_task for event in events if event.action == "update"]


async def eventually(store: Store, stage: str) -> None:
    """Create a stage as soon as the database is there again."""
    while True:
        try:
            return await create(store, Stage(name=stage))
        except Unavailable:
            await asyncio.sleep(0.05)


def test_servers_share_objects_and_events(postgres: str) -> None:
    async def main() -> None:
        async with opener(postgres)() as one, opener(postgres)() as two:
            seen: list[list[Event]] = [[], []]
            one.subscribe(seen[0].extend)
            two.subscribe(seen[1].extend)
            await create(one, machine("one"))
            work = (store.transact(count, "user:me") for store in (one, two) * 20)
            assert sorted(await asyncio.gather(*work)) == list(range(1, 41))
            assert await get(one, "one") == await get(two, "one")
            await until(lambda: all(len(counted(events)) == 40 for events in seen))
            assert counted(seen[0]) == counted(seen[1]) == list(range(1, 41))
            assert seen[0] == seen[1]

    asyncio.run(main())


def test_events_of_transactions_at_once_come_to_all_alike(postgres: str) -> None:
    async def main() -> None:
        async with opener(postgres)() as one, opener(postgres)() as two:
            seen: list[list[str]] = [[], []]
            for store, keys in zip((one, two), seen):
                store.subscribe(lambda events, keys=keys: keys.extend(event.key for event in events))  # type: ignore[misc]
            names = [f"s{number}" for number in range(60)]
            pairs = zip((one, two) * 30, names)
            await asyncio.gather(*(create(store, Stage(name=name), machine(name)) for store, name in pairs))
            await until(lambda: all(len(keys) == 120 for keys in seen))
            assert seen[0] == seen[1]
            assert {(stage, uuid) for stage, uuid in zip(seen[0][::2], seen[0][1::2])} == {
                (name, f"uuid-{name}") for name in names
            }

    asyncio.run(main())


def test_no_event_comes_after_one_of_a_later_transaction(postgres: str) -> None:
    early = """{"Time": "", "Type": "", "Action": "", "Key": "early"}"""

    async def main() -> None:
        async with opener(postgres)() as store:
            seen: list[Event] = []
            store.subscribe(seen.extend)
            with psycopg.connect(postgres, autocommit=True) as connection:
                connection.execute(f"BEGIN; INSERT INTO events (prefix, body) VALUES ('', '{early}')")
                await create(store, machine("later"))
                for _ in range(50):  # whatever is told too early is told meanwhile
                    assert await get(store, "later")
                assert seen == []
                connection.execute("COMMIT")
            await until(lambda: len(seen) == 2)
            assert [event.key for event in seen] == ["early", "uuid-later"]

    asyncio.run(main())


def test_an_event_that_cannot_be_read_holds_up_no_other(
    postgres: str, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with opener(postgres)() as store:
            seen: list[Event] = []
            store.subscribe(seen.extend)
            await create(store, Stage(name="one"))
            await until(lambda: len(seen) == 1)
            cluster.run(postgres, "INSERT INTO events (prefix, body) VALUES ('', 'no event')")
            cluster.run(postgres, f"NOTIFY {CHANNEL}")
            await until(lambda: "cannot be read" in caplog.text)
            await create(store, Stage(name="two"))
            await until(lambda: [event.key for event in seen] == ["one", "two"])

    asyncio.run(main())


def test_what_conflicts_again_and_again_is_run_alone(postgres: str, cluster: Cluster) -> None:
    runs = []

    def disturbed(transaction: Transaction) -> None:
        held = transaction.get(Machine, "uuid-one")
        runs.append(held)
        if len(runs) <= 3:
            cluster.run(postgres, "UPDATE objects SET body = body WHERE prefix = 'machines'")
        assert held
        transaction.update(held.replaced(description="done"))

    async def main() -> None:
        async with opener(postgres)() as store:
            seen: list[Event] = []
            store.subscribe(seen.extend)
            await create(store, machine("one"))
            await store.transact(disturbed, "user:me")
            assert await get(store, "one") == machine("one", description="done")
            await until(lambda: len(seen) == 2)

    asyncio.run(main())
    assert len(runs) == 4


def test_a_failure_that_a_function_swallows_is_none_the_less_one(postgres: str, cluster: Cluster) -> None:
    runs = []

    def careless(transaction: Transaction) -> str:
        held = transaction.get(Machine, "uuid-one")
        if not runs:
            cluster.run(postgres, "UPDATE objects SET body = body WHERE prefix = 'machines'")
        runs.append(held)
        assert held
        try:
            transaction.update(held.replaced(description="done"))
        except Exception:
            return "swallowed"
        return "done"

    async def main() -> None:
        async with opener(postgres)() as store:
            await create(store, machine("one"))
            assert await store.transact(careless, "user:me") == "done"

    asyncio.run(main())
    assert len(runs) == 2


def test_a_connection_that_broke_is_replaced_and_nothing_is_done_twice(postgres: str, cluster: Cluster) -> None:
    runs = []

    def broken_once(transaction: Transaction) -> None:
        transaction.create(Stage(name="made"))
        runs.append(1)
        if len(runs) == 1:
            cluster.run(postgres, END_OTHERS)

    async def main() -> None:
        async with opener(postgres)() as store:
            seen: list[Event] = []
            store.subscribe(seen.extend)
            await create(store, machine("one"))
            for name in ("two", "three"):
                cluster.run(postgres, END_OTHERS)
                await create(store, machine(name))
                cluster.run(postgres, END_OTHERS)
                assert await get(store, name)
            await create(store, machine("four"))
            await store.transact(broken_once, "user:me")
            await until(lambda: len(seen) == 5)
            assert [event.key for event in seen] == ["uuid-one", "uuid-two", "uuid-three", "uuid-four", "made"]
            assert len(runs) == 2
            with pytest.raises(Unavailable, match="the connection to the database broke"):
                await store.transact(lambda transaction: cluster.run(postgres, END_OTHERS) and count(transaction), "me")
            assert await get(store, "one") == machine("one")

    asyncio.run(main())


def test_a_commit_that_breaks_is_not_known(postgres: str, cluster: Cluster) -> None:
    async def main() -> None:
        async with opener(postgres)() as store:
            await create(store, machine("one"))
            for statement in (
                "CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS"
                " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'",
                "CREATE CONSTRAINT TRIGGER breaks AFTER INSERT ON objects DEFERRABLE INITIALLY DEFERRED"
                " FOR EACH ROW EXECUTE FUNCTION break()",
            ):
                cluster.run(postgres, statement)
            with pytest.raises(Unavailable, match="it is not known whether the change was made"):
                await create(store, machine("two"))
            cluster.run(postgres, "DROP TRIGGER breaks ON objects")
            await create(store, machine("three"))
            assert await get(store, "two") is None

    asyncio.run(main())


@pytest.mark.slow
def test_a_server_that_crashes_and_comes_back_loses_nothing(own_cluster: Cluster) -> None:
    url = own_cluster.database()

    async def main() -> None:
        async with opener(url)() as one, opener(url)() as two:
            seen: list[Event] = []
            one.subscribe(seen.extend)
            for turn in range(2):
                names = [f"s{turn}-{number}" for number in range(10)]
                await asyncio.gather(*(create(two, Stage(name=name)) for name in names))
                own_cluster.stop(signal.SIGQUIT)
                for store in (one, two):
                    with pytest.raises(Unavailable, match="the database"):
                        await create(store, Stage(name="lost"))
                    with pytest.raises(Unavailable, match="the database"):
                        await get(store, "one")
                own_cluster.start()
                await eventually(two, f"back{turn}")
                await until(lambda: bool(seen) and seen[-1].key == f"back{turn}")  # noqa: B023
                kept = await one.read(lambda reader: {stage.name for stage in reader.all(Stage)})
                assert kept >= {*names, f"back{turn}"}
            assert sorted(event.key for event in seen) == sorted(kept), "each once"

    asyncio.run(main())


def test_what_was_answered_survives_a_kill(postgres: str) -> None:
    check_kills(postgres)


def test_old_events_are_removed(postgres: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_feed, "RETENTION", 0)

    async def main() -> None:
        async with opener(postgres)() as store:
            seen: list[Event] = []
            store.subscribe(seen.extend)
            for number in range(3):
                await create(store, Stage(name=f"s{number}"))
                await until(lambda: len(seen) == number + 1)  # noqa: B023
            await until(lambda: cluster.run(postgres, "SELECT count(*) FROM events") == [(0,)])

    asyncio.run(main())


def refusal(url: str) -> str:
    """Why a database cannot be opened."""

    async def main() -> None:
        async with opener(url)():
            pass

    with pytest.raises(EnsembleError) as caught:
        asyncio.run(main())
    return str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hid/den@host/db",
        "postgresql://me:hid@den@host/db",
        "postgresql://me:hidden@host:port/db",
        "postgresql://me:hidden@host/db?nothing=1",
        "postgresql://me:hid%zzden@host/db",
    ],
)
def test_a_wrong_url_is_refused_without_its_password(url: str) -> None:
    why = refusal(url)
    assert why.startswith("the URL of the database is wrong (postgresql://user:password@host:port/database")
    assert "hid" not in why and "den" not in why


def test_what_cannot_be_reached_is_said_without_the_password(tmp_path: Path) -> None:
    why = refusal(f"postgresql://me:hidden@/db?host={tmp_path}")
    assert why.startswith("cannot reach the database: ")
    assert "hidden" not in why and "\n" not in why


def test_a_newer_database_is_refused(postgres: str, cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="there is nothing in the database"):
        back_up(postgres, tmp_path / "backup.gz")

    async def main() -> None:
        async with opener(postgres)() as store:
            await create(store, machine("one"))

    asyncio.run(main())
    cluster.run(postgres, "UPDATE store_version SET number = 99")
    assert refusal(postgres).startswith("the database is of version 99; this program knows versions up to 1")
    with pytest.raises(EnsembleError, match="of version 99"):
        back_up(postgres, tmp_path / "backup.gz")
    assert cluster.run(postgres, "SELECT count(*) FROM objects") == [(1,)]
