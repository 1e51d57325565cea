"""What all kinds of stores have in common."""

from __future__ import annotations

import pytest

from ansible_ensemble.core.errors import Locked, UsageError
from ansible_ensemble.projects.lock import NotLocked
from ansible_ensemble.state.store import File
from tests.unit.state.conftest import Opener, lock
from tests.unit.state.servers import PASSWORD

FILES = {
    "jobs.tsv": File(b"A\t1\n"),
    "changes/job1.yaml": File("kind: \u00fc\r\n".encode()),
    "active/artifacts/run.sh": File(b"#!/bin/sh\n", executable=True),
    "active/secrets/key": File(b"\x00\xff\n"),
}
JOURNAL = "jobs/job2026-01-02-03-04-05-A6BKKsK5.journal"


def test_a_state_is_read_as_it_was_written_and_replaced_as_a_whole(opened: Opener) -> None:
    one, other = opened(), opened()
    assert one.read() is None
    assert one.take(lock("one")) is None
    one.write(FILES, "first", "one")
    assert other.read() == FILES
    fewer = {"jobs.tsv": File(b"A\t1\nB\t2\n")}
    one.write(fewer, "second", "one")
    one.release("one")
    assert other.read() == fewer
    assert PASSWORD not in one.where


def test_of_two_one_has_the_lock(opened: Opener) -> None:
    one, other = opened(), opened()
    assert one.take(lock("one")) is None
    holder = other.take(lock("other"))
    assert holder is not None
    assert (holder.id, holder.who, holder.created) == ("one", "one@pod", "2026-01-02T03:04:05Z")
    with pytest.raises(UsageError, match=r"id is one|locked by one@pod"):
        other.release("another")
    one.release("one")
    assert other.take(lock("other")) is None
    other.release("other")
    with pytest.raises(NotLocked):
        other.release("other")


def test_the_journal_of_a_job_is_kept_until_the_job_is_written(opened: Opener) -> None:
    one, other = opened(), opened()
    one.take(lock("one"))
    one.write(FILES, "first", "one")
    for journal in (b"begun\n", b"begun\nended\n"):
        one.keep(JOURNAL, journal, "one")
        assert other.read() == {**FILES, JOURNAL: File(journal)}
    one.write(FILES, "second", "one")
    one.release("one")
    assert other.read() == FILES


def test_the_journal_of_a_killed_job_outlives_its_lock(opened: Opener) -> None:
    one, other = opened(), opened()
    one.take(lock("one"))
    one.keep(JOURNAL, b"begun\n", "one")
    other.release("one", forced=True)
    assert other.read() == {JOURNAL: File(b"begun\n")}
    assert other.take(lock("other")) is None
    assert other.read() == {JOURNAL: File(b"begun\n")}


def test_nothing_is_written_without_the_lock(opened: Opener) -> None:
    one, other = opened(), opened()
    one.take(lock("one"))
    one.write(FILES, "first", "one")
    other.release("one", forced=True)
    other.take(lock("other"))
    for refused in (lambda: one.write({}, "second", "one"), lambda: one.keep(JOURNAL, b"begun\n", "one")):
        with pytest.raises(Locked, match=r"the lock of the state was lost: .*other@pod"):
            refused()
    assert other.read() == FILES
