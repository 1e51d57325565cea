"""What all kinds of stores have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, Locked, UsageError
from ansible_ensemble.projects.lock import NotLocked
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import File
from tests.unit.state.conftest import Opener, bare, lock
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
        one.write_journal(JOURNAL, journal, "one")
        assert other.read() == {**FILES, JOURNAL: File(journal)}
    one.write(FILES, "second", "one")
    one.release("one")
    assert other.read() == FILES


def test_who_holds_the_lock_is_seen_without_taking_it(opened: Opener, location: tuple[str, object]) -> None:
    one, other = opened(), opened()
    assert other.read() is None
    assert other.holder() is None
    one.take(lock("one"))
    one.write_journal(JOURNAL, b"begun\n", "one")
    other.read()
    holder = other.holder()
    assert holder is not None
    assert holder.id == ("unknown" if location[0] == "http" else "one"), "HTTP does not say, and there is a journal"
    one.write(FILES, "", "one")
    one.release("one")
    other.read()
    assert other.holder() is None


def test_the_journal_of_a_killed_job_outlives_its_lock(opened: Opener) -> None:
    one, other = opened(), opened()
    one.take(lock("one"))
    one.write_journal(JOURNAL, b"begun\n", "one")
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
    for refused in (lambda: one.write({}, "second", "one"), lambda: one.write_journal(JOURNAL, b"begun\n", "one")):
        with pytest.raises(Locked, match=r"the lock of the state was lost: .*other@pod"):
            refused()
    assert other.read() == FILES


@pytest.mark.parametrize("location", ["s3"], indirect=True)
def test_of_two_that_write_at_once_one_is_told(opened: Opener) -> None:
    one, other = opened(), opened()
    one.take(lock("one"))
    one.write(FILES, "first", "one")
    assert other.read() == FILES
    one.write({}, "second", "one")
    with pytest.raises(Locked, match="another job changed the state"):
        other.write(FILES, "late", "one")
    assert opened().read() == {}


def test_what_a_killed_git_left_is_no_hindrance(tmp_path: Path) -> None:
    values = {"git": str(bare(tmp_path / "store.git")), "path": "", "folder": str(tmp_path / "one")}
    one, other = open_store("git", values), open_store("git", {**values, "folder": str(tmp_path / "other")})
    one.take(lock("one"))
    one.write(FILES, "first", "one")
    other.read()
    one.write({}, "second", "one")
    one.write({"jobs.tsv": File(b"B\n")}, "third", "one")
    for left in ("shallow.lock", "HEAD.lock"):
        (tmp_path / "other" / "jobs" / "state.git" / left).touch()
    assert other.read() == {"jobs.tsv": File(b"B\n")}


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = open_store("git", {"git": str(bare(tmp_path / "store.git")), "path": "", "folder": str(tmp_path / "file")})
    with pytest.raises(EnsembleError, match="no git repository can be made"):
        store.read()


def test_ensembles_share_a_branch_and_have_a_lock_each(tmp_path: Path) -> None:
    url = str(bare(tmp_path / "store.git"))
    stores = {
        name: open_store("git", {"git": url, "path": name, "folder": str(tmp_path / name)})
        for name in ("a", "b/c", "b", "")
    }
    for name, store in stores.items():
        assert store.read() is None
        assert store.take(lock(f"of {name}")) is None
    for text in ("first", "second"):
        for name, store in stores.items():
            store.write({"jobs.tsv": File(f"{text} {name}".encode())}, text, f"of {name}")
    for name, store in stores.items():
        assert store.read() == {"jobs.tsv": File(f"second {name}".encode())}
        store.release(f"of {name}")


def test_a_lock_that_git_refuses_though_nobody_has_it_is_told(tmp_path: Path) -> None:
    url = str(bare(tmp_path / "store.git"))
    values = {"git": url, "path": "", "folder": str(tmp_path / "one")}
    other = open_store("git", {**values, "branch": "ensemble-state-lock"})  # below a branch there can be none
    other.take(lock("other"))
    other.write(FILES, "first", "other")
    with pytest.raises(EnsembleError, match=r"refs/heads/ensemble-state-lock"):
        open_store("git", values).take(lock("one"))
