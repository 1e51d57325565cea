"""What viewers are told of jobs, as their journals grow."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.records.journals import close_journal, create_journal
from ansible_ensemble.state.version import Record, record_path, write_record
from ansible_ensemble.ui import feed as feeds
from ansible_ensemble.ui.command import CommandFailed
from ansible_ensemble.ui.feed import Feed

JOB = "A6BOLuUH0000"


@pytest.fixture
def ensemble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(feeds, "_INTERVAL", 0.005)
    file = tmp_path / "ensemble.yaml"
    file.write_text("")
    return file


def _feed(ensemble: Path) -> Feed:
    async def nothing() -> None:
        raise AssertionError("the state lives here")

    return Feed(ensemble, nothing)


def _told(feed: Feed, act: Callable[[], None], until: Callable[[str, Any], bool]) -> list[tuple[str, Any]]:
    """What a viewer is told after something happens, up to a message."""

    async def look() -> list[tuple[str, Any]]:
        told = []
        messages = feed.messages()
        first = asyncio.ensure_future(anext(messages))
        while not feed.watches:
            await asyncio.sleep(0)
        act()
        while True:
            text = await asyncio.wait_for(first, 60)
            event, data = (line.partition(": ")[2] for line in text.splitlines()[:2])
            told.append((event, json.loads(data)))
            if until(*told[-1]):
                await messages.aclose()
                feed.close()
                return told
            first = asyncio.ensure_future(anext(messages))

    return asyncio.run(look())


def test_entries_are_told_as_they_are_written_down(ensemble: Path) -> None:
    journal = create_journal(ensemble.parent, JOB, {})
    journal.append({"event": "job-started"})
    journal.commit()

    def go_on() -> None:
        journal.append({"event": "started", "key": "a"})
        journal.close()
        with journal.path.open("ab") as file:
            file.write(b'{"seq": 3, "cut')  # a line that is being written

    (told,) = _told(_feed(ensemble), go_on, lambda event, _data: event == "entries")
    event, data = told
    assert (event, data["job"]) == ("entries", JOB)
    assert [(entry["seq"], entry["event"]) for entry in data["entries"]] == [(2, "started")]


def test_the_last_entries_of_a_job_that_is_recorded_are_told(ensemble: Path) -> None:
    journal = create_journal(ensemble.parent, JOB, {})

    def end() -> None:
        journal.append({"event": "job-finished"})
        journal.close()
        close_journal(journal.path)

    told = _told(_feed(ensemble), end, lambda event, _data: event == "changed")
    entries = [entry for event, data in told if event == "entries" for entry in data["entries"]]
    assert [entry["event"] for entry in entries] == ["job-finished"]


def test_a_job_that_is_over_between_two_looks_is_told_whole(ensemble: Path) -> None:
    def whole_job() -> None:
        journal = create_journal(ensemble.parent, JOB, {})
        journal.append({"event": "job-finished"})
        journal.close()
        close_journal(journal.path)
        ensemble.write_text("recorded")

    told = _told(_feed(ensemble), whole_job, lambda event, _data: event == "changed")
    assert [entry["event"] for event, data in told if event == "entries" for entry in data["entries"]][
        -1
    ] == "job-finished"


def test_a_job_elsewhere_is_told_of_as_its_journal_is_fetched(ensemble: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_FETCH", 0.005)
    write_record(record_path(ensemble), Record("there"))
    elsewhere = create_journal(ensemble.parent / "elsewhere", JOB, {})
    here = ensemble.parent / elsewhere.path.relative_to(ensemble.parent / "elsewhere")
    here.parent.mkdir()
    fetches = 0

    async def fetch() -> None:
        nonlocal fetches
        fetches += 1
        if fetches == 1:
            raise CommandFailed(1, [{"text": "the location does not answer"}])
        elsewhere.append({"event": "started", "key": str(fetches)})
        elsewhere.commit()
        shutil.copy(elsewhere.path, copy := here.with_name("copy"))
        copy.replace(here)

    told = _told(Feed(ensemble, fetch), lambda: None, lambda _event, data: "4" in _keys(data))
    assert [key for _event, data in told for key in _keys(data)] == ["2", "3", "4"]


def _keys(data: Any) -> list[str]:
    return [entry["key"] for entry in data.get("entries", ()) if "key" in entry]


@pytest.mark.parametrize("name", ["ensemble.yaml", "jobs.tsv", "ensemble.yaml.lock"])
def test_that_its_files_changed_is_told(ensemble: Path, name: str) -> None:
    told = _told(_feed(ensemble), lambda: _write(ensemble.with_name(name)), lambda event, _data: event == "changed")
    assert told == [("changed", {})]


def _write(file: Path) -> None:
    file.write_text("something else")


def test_a_viewer_that_is_far_behind_is_let_go(ensemble: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_BEHIND", 3)

    async def look() -> int:
        feed = _feed(ensemble)
        messages = feed.messages()
        first = asyncio.ensure_future(anext(messages))
        while not feed.watches:
            await asyncio.sleep(0)
        for _turn in range(10):
            feed.send("event: changed\n")
        count = 1 if await first else 0
        async for _text in messages:
            count += 1
        feed.close()
        return count

    assert asyncio.run(look()) == 3, "its browser connects anew and asks for the whole"
