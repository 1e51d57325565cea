"""The copy of a state in a folder: what is fetched, what is pushed, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.state.copy import StateCopy
from ansible_ensemble.state.document_store import encoded
from ansible_ensemble.state.store import File
from tests.unit.state.conftest import lock
from tests.unit.state.servers import PASSWORD, USER, StateServer

ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {}\n"
JOB, NEXT = "A6BKKsK50000", "A6BKKsK60000"

Copies = Callable[[str], tuple[Path, StateCopy]]


@pytest.fixture
def copies(tmp_path: Path, server: StateServer) -> Copies:
    """Makes the copy in a folder, or has it again."""

    def make(name: str) -> tuple[Path, StateCopy]:
        ensemble = tmp_path / name / "ensemble.yaml"
        if not ensemble.exists():
            ensemble.parent.mkdir()
            ensemble.write_text(ENSEMBLE)
        values = {"http": server.url, "lock": server.url, "username": USER, "password": PASSWORD}
        return ensemble, StateCopy(ensemble, "http", values, Vault())

    return make


def begin(ensemble: Path, copy: StateCopy) -> tuple[locks.Lock, list[str]]:
    """Begin a job in a folder, as its local lock's holder; returns what is told."""
    held, told = locks.acquire(ensemble, "deploy"), []
    try:
        copy.begin(held, timeout=0, notice=told.append)
    except BaseException:
        locks.release(held)
        raise
    return held, told


def run(ensemble: Path, copy: StateCopy, job: str) -> str | None:
    """A job that records itself; returns what is left to report."""
    held, _ = begin(ensemble, copy)
    note(ensemble, job)
    left = copy.finish()
    locks.release(held)
    return left


def note(ensemble: Path, job: str) -> None:
    with (ensemble.parent / "jobs.tsv").open("a") as file:
        file.write(f"{job}\tdeploy\n")


def jobs(ensemble: Path) -> list[str]:
    return [line.partition("\t")[0] for line in (ensemble.parent / "jobs.tsv").read_text().splitlines()]


def test_what_a_job_did_is_known_in_every_folder(copies: Copies, server: StateServer) -> None:
    one, other = copies("one"), copies("other")
    assert run(*one, JOB) is None
    assert server.locks == {}
    assert other[1].fetch() is None
    assert jobs(other[0]) == [JOB]
    assert run(*other, NEXT) is None
    assert one[1].fetch() is None
    assert jobs(one[0]) == [JOB, NEXT]
    assert not one[1].record.unpushed


def test_files_of_a_project_are_not_replaced(copies: Copies, tmp_path: Path) -> None:
    ensemble, _ = copies("one")
    theirs = tmp_path / "theirs" / "ensemble.yaml"
    theirs.parent.mkdir()
    theirs.write_text(ENSEMBLE)
    copy = StateCopy(ensemble, "path", {"path": str(theirs.parent)}, Vault())
    held = lock("one", str(ensemble))
    for act in (
        copy.fetch,
        lambda: begin(ensemble, copy),
        lambda: copy.bring(held),
        lambda: copy.bring(held, forced=True),
    ):
        with pytest.raises(EnsembleError, match="that is no state, and would be replaced"):
            act()
        assert sorted(path.name for path in theirs.parent.iterdir()) == ["ensemble.yaml"]
    assert theirs.read_text() == ENSEMBLE


def test_a_job_that_changes_nothing_writes_nothing(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    run(ensemble, copy, JOB)
    server.asked.clear()
    held, _ = begin(ensemble, copy)
    assert copy.finish() is None
    locks.release(held)
    assert server.asked == ["LOCK", "GET", "UNLOCK"]


def test_of_two_jobs_the_second_is_refused_with_who_and_since_when(copies: Copies) -> None:
    (one, _), (other, copy) = copies("one"), copies("other")
    held, _ = begin(*copies("one"))
    with pytest.raises(Locked) as refused:
        begin(other, copy)
    assert str(one) in str(refused.value)
    assert held.created in str(refused.value)
    assert f"unlock {held.id} --ensemble {other}" in str(refused.value)
    assert not copy.record.lock


def test_the_lock_of_a_process_that_is_gone_from_this_host_is_taken_over(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    gone = locks.Lock("/gone/ensemble.yaml", "gone", "deploy", "a@b", _ended(), "1", "2026-01-02T03:04:05Z")
    server.locks["/state"] = locks.lock_text(gone).encode()
    held, told = begin(ensemble, copy)
    assert "taken over from: /gone/ensemble.yaml is locked by a@b" in told[0]
    copy.finish()
    locks.release(held)


def _ended() -> locks.Process:
    from ansible_ensemble.projects.process import describe_process

    child = os.fork()
    if child == 0:
        os._exit(0)
    described = describe_process(child)
    os.waitpid(child, 0)
    return described


def test_a_lock_that_was_taken_though_its_answer_was_lost_is_ours(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    held = locks.acquire(ensemble, "deploy")
    server.locks["/state"] = locks.lock_text(held).encode()
    copy.begin(held, timeout=0, notice=lambda _: None)
    assert copy.finish() is None
    assert server.locks == {}
    locks.release(held)


def test_a_killed_job_of_this_folder_is_brought_by_the_next(copies: Copies) -> None:
    ensemble, copy = copies("one")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    locks.release(held)  # it was killed: nothing is pushed, the lock of the state stays
    assert "is not pushed" in str(copies("one")[1].fetch())
    held, told = begin(*copies("one"))
    assert [text.split(" state ")[0] for text in told] == ["reused the lock of the", "pushed the"]
    copies("one")[1].finish()
    locks.release(held)
    other, copy = copies("other")
    copy.fetch()
    assert jobs(other) == [JOB]


def test_what_cannot_be_pushed_stays_and_the_next_job_brings_it(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    server.down = True
    left = copy.finish()
    locks.release(held)
    assert left is not None
    assert f"it is kept in {ensemble.parent}: `ansible-ensemble state push {ensemble}`" in left
    with pytest.raises(EnsembleError, match="503"):
        run(ensemble, copy, NEXT)
    server.down = False
    assert run(*copies("one"), NEXT) is None
    other, copy = copies("other")
    copy.fetch()
    assert jobs(other) == [JOB, NEXT]
    assert server.locks == {}


def test_push_brings_it_by_hand_and_once(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    server.down = True
    copy.finish()
    server.down = False
    assert copy.bring(held)
    assert not copy.bring(held)
    locks.release(held)
    assert server.locks == {}
    assert JOB in server.states["/state"].decode()


def test_two_ways_are_not_mixed(copies: Copies, server: StateServer) -> None:
    (one, copy), other = copies("one"), copies("other")
    held, _ = begin(one, copy)
    note(one, JOB)
    locks.release(held)
    copies("other")[1].free(held.id)
    run(*other, NEXT)
    for refused in (lambda: begin(one, copy), lambda: copy.bring(held)):
        with pytest.raises(EnsembleError, match=r"different ways.*pull --force.*push --force"):
            refused()
    assert server.locks == {}
    with pytest.raises(EnsembleError, match=r"different ways|not pushed"):
        copy.replace()
    copy.replace(forced=True)
    assert jobs(one) == [NEXT]
    assert run(one, copy, JOB) is None


def test_by_force_this_one_wins(copies: Copies) -> None:
    (one, copy), (other, theirs) = copies("one"), copies("other")
    held, _ = begin(one, copy)
    note(one, JOB)
    locks.release(held)
    theirs.free(held.id)
    run(other, theirs, NEXT)
    assert copy.bring(held, forced=True)
    assert theirs.fetch() is None
    assert jobs(other) == [JOB]


def test_a_folder_that_has_jobs_which_the_location_lacks_is_not_overwritten(copies: Copies) -> None:
    run(*copies("other"), NEXT)
    ensemble, copy = copies("one")
    note(ensemble, JOB)
    for use in (lambda: begin(ensemble, copy), copy.fetch, copy.replace):
        with pytest.raises(EnsembleError, match="different ways"):
            use()
        assert jobs(ensemble) == [JOB]


def test_a_journal_that_was_left_is_not_pushed_away_by_a_folder_that_does_not_know_it(
    copies: Copies, server: StateServer
) -> None:
    ensemble, copy = copies("one")
    note(ensemble, JOB)
    server.states["/state"] = encoded({"jobs/job2026-01-02-03-04-06-A6BKKsK6.journal": File(b"{}")})
    with pytest.raises(EnsembleError, match="different ways"):
        copy.bring(lock("one"))
    assert "K6.journal" in server.states["/state"].decode()
    assert server.locks == {}


def test_nobody_fetches_while_a_job_is_at_work_here(copies: Copies) -> None:
    ensemble, copy = copies("one")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    assert copy.fetch() is None
    assert jobs(ensemble) == [JOB]
    copy.finish()
    locks.release(held)


def test_a_lock_that_was_taken_by_force_is_told_and_nothing_is_pushed(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    server.locks["/state"] = locks.lock_text(lock("other")).encode()
    left = copy.finish()
    locks.release(held)
    assert left is not None
    assert "the lock of the state was lost: " in left
    assert "other@pod" in left
    assert JOB not in server.states.get("/state", b"").decode()
