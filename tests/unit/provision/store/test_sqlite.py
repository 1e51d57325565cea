"""The store in a file of SQLite."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects import Machine
from ansible_ensemble.provision.store import schema
from ansible_ensemble.provision.store.connection import Connection
from tests.unit.provision.store.contract import Case, create, get, machine
from tests.unit.provision.store.contract_events import CASES
from tests.unit.provision.store.kills import check_kills
from tests.unit.provision.store.opened import opener
from tests.unit.provision.store.statemachine import run_state_machine


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Case, tmp_path: Path) -> None:
    asyncio.run(case(opener(tmp_path / "data" / "store.db")))


def test_random_histories_are_as_those_of_a_model(tmp_path: Path) -> None:
    numbers = count()
    run_state_machine(lambda: opener(tmp_path / f"{next(numbers)}.db"), examples=12)


def fill(path: Path) -> None:
    async def main() -> None:
        async with opener(path)() as store:
            await create(store, machine("one"))

    asyncio.run(main())


def refusal(path: Path) -> str:
    """Why a file cannot be opened."""
    with pytest.raises(EnsembleError) as caught:
        fill(path)
    return str(caught.value)


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "deep" / "store.db"

    async def main() -> dict[str, int]:
        async with opener(path)() as store:
            await create(store, machine("one"))
            await get(store, "one")
            return {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}

    names = ("store.db", "store.db-shm", "store.db-wal", "store.db.lock")
    assert asyncio.run(main()) == dict.fromkeys(names, 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    fill(tmp_path / "store.db")
    (tmp_path / "store.db").chmod(0o644)

    async def main() -> None:
        async with opener(tmp_path / "store.db")() as store:
            assert await get(store, "one")

    asyncio.run(main())
    assert (tmp_path / "store.db").stat().st_mode & 0o777 == 0o600


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    (tmp_path / "link.db").symlink_to(path)

    async def main() -> None:
        async with opener(path)() as store:
            await create(store, machine("one"))
            for name in (path, tmp_path / "link.db"):
                with pytest.raises(EnsembleError, match=r"store.db is in use by another process \(\d+\)"):
                    async with opener(name)():
                        pass
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reader:
                reader.execute("BEGIN")
                assert reader.execute("SELECT count(*) FROM objects").fetchone() == (1,)
                await create(store, machine("two"))
                assert reader.execute("SELECT count(*) FROM objects").fetchone() == (1,)
            reader.close()
            assert await get(store, "two")

    asyncio.run(main())
    fill(tmp_path / "other.db")


def text(path: Path) -> None:
    path.write_text("no database, but a text that is long enough to be looked at" * 100)


def of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE objects (a)")
    connection.close()


def with_the_mark_of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 7")
    connection.close()


def newer(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (text, "is no database that can be used: the database failed: file is not a database"),
        (of_another_program, "is a database of another program"),
        (with_the_mark_of_another_program, "is a database of another program"),
        (newer, "the database is of version 99; this program knows versions up to 1 (use the program"),
        (Path.mkdir, "Is a directory"),
    ],
)
def test_what_it_cannot_use_is_refused_and_left_as_it_is(
    make: Callable[[Path], None], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    make(path)
    path.chmod(0o755)
    before = path.read_bytes() if path.is_file() else b""
    assert why in refusal(path)
    assert why in refusal(path), "the lock is free again"
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert make is newer or path.stat().st_mode & 0o777 == 0o755


def test_a_file_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refusal(tmp_path / "file" / "store.db").startswith("cannot open ")


def test_a_url_of_something_else_is_refused_without_its_secrets() -> None:
    assert "hidden" not in (why := refusal("mysql://me:hidden@host/db"))  # type: ignore[arg-type]
    assert why.startswith("mysql is no database that can be used (a path is a file")


def test_an_older_database_is_brought_to_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store.db"
    fill(path)

    def forget_names(connection: Connection) -> None:
        connection.run("DELETE FROM lookups")

    def fail(connection: Connection) -> None:
        connection.run("DELETE FROM objects")
        connection.run("nonsense")

    async def found() -> tuple[Machine | None, Machine | None]:
        async with opener(path)() as store:
            return await get(store, "one"), await store.read(lambda reader: reader.find(Machine, "Name", "one"))

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, forget_names])
    assert asyncio.run(found()) == (machine("one"), None)
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, fail])
    assert "nonsense" in refusal(path)
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
    assert asyncio.run(found()) == (machine("one"), None), "a migration that fails changes nothing"


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    check_kills(tmp_path / "store.db")


RUNS_FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from ansible_ensemble.provision.objects import Stage
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Unavailable

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store, events = await open_store(sys.argv[1]), []
    store.subscribe(events.extend)

    def create(number):
        stage = Stage(name=f"s{number}", description="x" * 50_000)
        return store.transact(lambda transaction: transaction.create(stage), "system")

    await create(0)
    limit(Path(sys.argv[1] + "-wal").stat().st_size + 200_000)
    answers = await asyncio.gather(*(create(number) for number in range(1, 40)), return_exceptions=True)
    failed = {number for number, answer in enumerate(answers, 1) if answer is not None}
    assert failed, "nothing was full"
    assert {type(answer) for answer in answers if answer is not None} == {Unavailable}, answers
    kept = await store.read(lambda reader: {int(stage.name[1:]) for stage in reader.all(Stage)})
    assert kept == set(range(40)) - failed
    limit(resource.RLIM_INFINITY)
    await create(100)
    assert {int(event.key[1:]) for event in events} == kept | {100}
    print(answers[max(failed) - 1])

asyncio.run(main())
"""


def test_a_full_disk_fails_what_it_cannot_keep_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNS_FULL, tmp_path / "store.db"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the database failed: ")
