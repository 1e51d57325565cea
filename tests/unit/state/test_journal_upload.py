"""The upload of a running job's journal, as a process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ansible_ensemble.projects.lock import lock_text
from ansible_ensemble.state.document_store import decoded
from ansible_ensemble.state.journal_upload import JournalUpload
from tests.unit.state.conftest import lock
from tests.unit.state.servers import PASSWORD, USER, StateServer

NAME = "jobs/job2026-01-02-03-04-05-A6BKKsK5.journal"


@pytest.fixture
def journal(tmp_path: Path, server: StateServer) -> Path:
    server.locks["/state"] = lock_text(lock("one")).encode()
    path = tmp_path / "journal"
    path.write_text("begun\n")
    return path


def kept(server: StateServer) -> str:
    return decoded(server.states["/state"], "")[NAME].content.decode()


def grow(journal: Path, text: str) -> None:
    with journal.open("a") as file:
        file.write(text)


def uploading(server: StateServer, journal: Path, use: Callable[[JournalUpload], Awaitable[object]]) -> object:
    """Upload in a loop of its own, to its end."""
    values = {"http": server.url, "lock": server.url, "username": USER, "password": PASSWORD}
    upload = JournalUpload("http", values, name=NAME, journal=journal, lock_id="one", patience=0.0)

    async def run() -> object:
        upload.begin()
        return await use(upload)

    try:
        return asyncio.run(run())
    finally:
        upload.close()


def test_what_is_in_the_journal_is_there_when_it_is_said_so(server: StateServer, journal: Path) -> None:
    async def use(upload: JournalUpload) -> None:
        assert await upload.uploaded()
        assert kept(server) == "begun\n"
        grow(journal, "ended\n")
        assert await asyncio.gather(*(upload.uploaded() for _ in range(5))) == [True] * 5
        assert kept(server) == "begun\nended\n"
        assert server.asked.count("POST") == 2, "what waits is answered together"
        grow(journal, "last\n")

    uploading(server, journal, use)
    assert kept(server) == "begun\nended\nlast\n", "the end of the journal is brought at the end"


def test_a_lock_that_another_has_now_is_told(server: StateServer, journal: Path) -> None:
    async def use(upload: JournalUpload) -> None:
        assert await upload.uploaded()
        server.locks["/state"] = lock_text(lock("other")).encode()
        grow(journal, "ended\n")
        assert not await upload.uploaded()
        assert "the lock of the state was lost: /elsewhere/ensemble.yaml is locked by other@pod" in await upload.failed
        assert upload.has_lost_lock()
        assert not await upload.uploaded()

    uploading(server, journal, use)
    assert kept(server) == "begun\n"


def test_a_location_that_cannot_be_had_is_told_to_all_that_wait(server: StateServer, journal: Path) -> None:
    server.down = True

    async def use(upload: JournalUpload) -> None:
        assert await asyncio.gather(*(upload.uploaded() for _ in range(5))) == [False] * 5
        assert "cannot be uploaded to the state" in await upload.failed
        assert not upload.has_lost_lock()

    uploading(server, journal, use)
    assert server.states == {}


def test_a_journal_that_grows_is_brought_unasked(server: StateServer, journal: Path) -> None:
    async def use(upload: JournalUpload) -> None:
        while "/state" not in server.states:
            await asyncio.sleep(0.05)
        grow(journal, "ended\n")
        while kept(server) != "begun\nended\n":
            await asyncio.sleep(0.05)

    uploading(server, journal, use)
