"""Backups of SQLite; those of PostgreSQL are in tests/integration/provision."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.store.backup import back_up, restore
from tests.unit.provision.store.backups import CASES, Case, fill, see
from tests.unit.provision.store.opened import opener


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_backup(case: Case, tmp_path: Path) -> None:
    case(str(tmp_path / "full.db"), str(tmp_path / "new" / "empty.db"), tmp_path / "backup.gz")


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="there is no database"):
        back_up(tmp_path / "store.db", tmp_path / "backup.gz")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    fill(str(tmp_path / "store.db"))
    (tmp_path / "backup.gz").write_text("before")
    (tmp_path / "foreign.db").write_text("text" * 1000)
    with pytest.raises(EnsembleError, match="no database that can be used"):
        back_up(tmp_path / "foreign.db", tmp_path / "backup.gz")
    assert (tmp_path / "backup.gz").read_text() == "before"


@pytest.mark.parametrize(("name", "why"), [("store.db", "the database itself"), ("queue", "no file"), ("", "no file")])
def test_a_backup_does_not_replace_what_is_none(tmp_path: Path, name: str, why: str) -> None:
    path = tmp_path / "store.db"
    fill(str(path))
    os.mkfifo(tmp_path / "queue")
    with pytest.raises(EnsembleError, match=f"is {why}: it is not replaced"):
        back_up(path, tmp_path / name)
    assert (tmp_path / "queue").is_fifo()
    assert see(str(path))["objects"]


def test_a_database_in_use_is_not_replaced(tmp_path: Path) -> None:
    path, file = str(tmp_path / "store.db"), tmp_path / "backup.gz"
    fill(path)
    back_up(path, file)

    async def main() -> None:
        async with opener(path)():
            with pytest.raises(EnsembleError, match="in use by another process"):
                restore(path, file, force=True)

    asyncio.run(main())
    assert see(path)["objects"]


def test_a_database_that_cannot_be_made_is_not_taken_for_a_backup_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnsembleError, match=r"cannot open .*/file/store\.db: "):
        restore(tmp_path / "file" / "store.db", tmp_path / "file")
