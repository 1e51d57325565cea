"""What every database's backup does: cases for `opener`s of two databases, the one that is backed up and another."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects import KINDS, Job, Profile, Stage, User
from ansible_ensemble.provision.store.backup import Altered, back_up, restore
from ansible_ensemble.provision.store.transaction import Reader, Transaction
from tests.unit.provision.store.contract import create, machine
from tests.unit.provision.store.opened import opener

#: A case of: the database to back up, an empty one, and where the backup goes.
Case: TypeAlias = Callable[[str, str, Path], None]

LOG = bytes(range(256)) * 700


def fill(where: str) -> None:
    def change(transaction: Transaction) -> None:
        transaction.append_log("j", LOG)
        transaction.append_log("k", b"short")
        transaction.set_preference("defaultStage", "none")
        transaction.keep_secret("key", b"\0\xff")

    async def main() -> None:
        async with opener(where)() as store:
            made = (Job(uuid="j", machine="uuid-one"), Profile(name="p", params={"a": [1, "ü\0"]}))
            await create(store, machine("one", stage="s"), User(name="bob", password_hash="hash"), *made)
            await store.transact(change, "system")

    asyncio.run(main())


def see(where: str) -> dict[str, Any]:
    def look(reader: Reader) -> dict[str, Any]:
        return {
            "objects": [kept for kind in KINDS.values() for kept in reader.all(kind)],
            "referrers": reader.referrers("stages", "s"),
            "logs": [reader.log(job, 0, 10**9) for job in ("j", "k")],
            "settings": (reader.preferences(), reader.secret("key")),
        }

    async def main() -> dict[str, Any]:
        async with opener(where)() as store:
            return await store.read(look)

    return asyncio.run(main())


def goes_around(full: str, empty: str, file: Path) -> None:
    fill(full)
    before = see(full)
    assert back_up(full, file) == {"settings": 2, "objects": 4, "logs": 4}
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.glob(f".{file.name}*")) == []
    assert restore(empty, file) == {"settings": 2, "objects": 4, "logs": 4}
    assert see(empty) == before
    assert before["logs"] == [LOG, b"short"] and len(before["objects"]) == 4


def is_of_one_moment_while_a_server_writes(full: str, empty: str, file: Path) -> None:
    """In each moment there are as many stages as profiles."""

    async def write() -> int:
        def both(transaction: Transaction) -> None:
            transaction.create(Stage(name=f"s{number}"))
            transaction.create(Profile(name=f"p{number}"))

        async with opener(full)() as store:
            number = 0
            await store.transact(both, "system")
            backup = asyncio.ensure_future(asyncio.to_thread(back_up, full, file))
            while not backup.done():
                number += 1
                await store.transact(both, "system")
            return (await backup)["objects"]

    counted = asyncio.run(write())
    restore(empty, file)
    names = [kept.key for kept in see(empty)["objects"]]
    assert len(names) == counted >= 2
    assert sorted(name[1:] for name in names if name[0] == "s") == sorted(name[1:] for name in names if name[0] == "p")


def replaces_only_by_force(full: str, empty: str, file: Path) -> None:
    fill(full)
    back_up(full, file)
    before = see(full)

    async def change() -> None:
        async with opener(full)() as store:
            await create(store, machine("two"))

    asyncio.run(change())
    changed = see(full)
    with pytest.raises(EnsembleError, match="the database is not empty"):
        restore(full, file)
    assert see(full) == changed
    restore(full, file, force=True)
    assert see(full) == before


def refuses_what_was_altered(full: str, empty: str, file: Path) -> None:
    fill(full)
    back_up(full, file)
    packed, lines = file.read_bytes(), gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    header = json.loads(lines[0])
    newer = json.dumps(header | {"version": 2}).encode() + b"\n"
    broken: dict[str, bytes] = {
        "nothing": b"",
        "no gzip": b"text",
        "half": packed[: len(packed) // 2],
        "without its end": packed[:-4],
        "another byte": packed[:-30] + bytes([packed[-30] ^ 1]) + packed[-29:],
        "empty": gzip.compress(b""),
        "without its trailer": gzip.compress(b"".join(lines[:-1])),
        "the header alone": gzip.compress(lines[0]),
        "a line less": gzip.compress(b"".join(lines[:2] + lines[3:])),
        "another word": gzip.compress(b"".join(lines).replace(b"uuid-one", b"uuid-two")),
        "something else": gzip.compress(b'{"a": 1}\n'),
        "no text": gzip.compress(b"\xff\xfe\n" * 3),
        "a line more": gzip.compress(b"".join([*lines, lines[1]])),
        "an unknown kind": gzip.compress(b"".join(lines).replace(b'"machines"', b'"machinez"')),
        "an object twice": gzip.compress(b"".join(lines[:3] + lines[2:])),
        "newer": gzip.compress(newer + b"".join(lines[1:])),
    }
    for what, content in broken.items():
        file.write_bytes(content)
        with pytest.raises(EnsembleError) as caught:
            restore(empty, file)
        if what == "newer":
            assert str(caught.value) == "the backup is of version 2; this program knows versions up to 1"
        else:
            assert isinstance(caught.value, Altered), what
            assert f"{file} is no whole backup: " in str(caught.value), what
    file.write_bytes(packed)
    restore(empty, file)


CASES: list[Case] = [
    goes_around,
    is_of_one_moment_while_a_server_writes,
    replaces_only_by_force,
    refuses_what_was_altered,
]
