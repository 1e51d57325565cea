"""The copy of a state in a folder: what is fetched, what is pushed, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.controller import ControllerJob
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.state.copy import StateCopy
from ansible_ensemble.state.document_store import decoded, encoded
from ansible_ensemble.state.files import MARK
from ansible_ensemble.state.store import File
from ansible_ensemble.state.version import mark
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
    assert copy._renewal is None, "nothing renews a lock that was given back"


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


def test_the_lock_of_a_job_of_awx_that_has_ended_is_taken_over(
    copies: Copies, server: StateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensemble, copy = copies("one")
    job = ControllerJob(42, "web deploy", "ann", "https://awx.example/#/jobs/playbook/42")
    server.locks["/state"] = locks.lock_text(replace(lock("pod"), job=job)).encode()
    monkeypatch.setattr("ansible_ensemble.state.copy.has_ended", lambda _job, _environ: False)
    with pytest.raises(Locked) as refused:
        begin(ensemble, copy)
    assert "job 42 of AWX, template web deploy, launched by ann" in str(refused.value)
    assert f"{job.url} (lock id pod)" in str(refused.value)
    monkeypatch.setattr("ansible_ensemble.state.copy.has_ended", lambda job, _environ: job.id == 42)
    held, told = begin(ensemble, copy)
    assert told[0].startswith("job 42 of AWX, template web deploy, launched by ann has ended; taken over from: ")
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
        with pytest.raises(EnsembleError, match=r"diverged.*pull --force.*push --force"):
            refused()
    assert server.locks == {}
    with pytest.raises(EnsembleError, match=r"diverged|not pushed"):
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
        with pytest.raises(EnsembleError, match="diverged"):
            use()
        assert jobs(ensemble) == [JOB]


def test_a_journal_that_was_left_is_not_pushed_away_by_a_folder_that_does_not_know_it(
    copies: Copies, server: StateServer
) -> None:
    ensemble, copy = copies("one")
    note(ensemble, JOB)
    server.states["/state"] = encoded({"jobs/job2026-01-02-03-04-06-A6BKKsK6.journal": File(b"{}")})
    with pytest.raises(EnsembleError, match="diverged"):
        copy.bring(lock("one"))
    assert "K6.journal" in server.states["/state"].decode()
    assert server.locks == {}


LEFT = "jobs/job2026-01-02-03-04-06-A6BKKsK6.journal"


def leave(server: StateServer, name: str = LEFT) -> None:
    """Have the location hold a journal more, as that of a job which was killed."""
    files = decoded(server.states["/state"], "")
    server.states["/state"] = encoded({**files, name: File(b"{}")})


def test_a_journal_that_another_folders_killed_job_left_is_not_pushed_away(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    run(ensemble, copy, "A6BKKsK40000")
    held, _ = begin(ensemble, copy)
    note(ensemble, JOB)
    server.down = True
    assert copy.finish() is not None
    locks.release(held)
    server.down = False
    server.locks.clear()  # by hand; then another job was killed, and its lock was released by hand as well
    leave(server)
    for use in (lambda: begin(*copies("one")), lambda: copies("one")[1].bring(held)):
        with pytest.raises(EnsembleError, match="diverged"):
            use()
        assert LEFT in decoded(server.states["/state"], "")
    assert copies("one")[1].bring(held, forced=True)
    assert LEFT not in decoded(server.states["/state"], "")


@pytest.mark.parametrize("known", ["journal", "record", "log"])
def test_the_journal_of_a_job_that_is_known_here_is_no_news(copies: Copies, server: StateServer, known: str) -> None:
    ensemble, copy = copies("one")
    run(ensemble, copy, JOB)
    held, _ = begin(ensemble, copy)
    leave(server)
    if known == "record":
        note(ensemble, NEXT)
    else:
        (ensemble.parent / "jobs").mkdir()
        (ensemble.parent / LEFT).with_suffix(".journal" if known == "journal" else ".torn").touch()
    locks.release(held)  # killed
    held, told = begin(*copies("one"))
    assert "pushed the state" in told[-1]
    copies("one")[1].finish()
    locks.release(held)


def older(server: StateServer, serial: int) -> None:
    """Have the location hold an older version, as one that was restored from a backup."""
    files = decoded(server.states["/state"], "")
    server.states["/state"] = encoded({**files, MARK: mark(serial, "before")})


def test_an_older_version_and_none_are_not_taken_silently(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    run(ensemble, copy, JOB)
    run(ensemble, copy, NEXT)
    older(server, 1)
    for use in (lambda: begin(ensemble, copy), copy.fetch, copy.replace):
        with pytest.raises(EnsembleError, match=r"older than the one here: version 1, here 2.*pull --force"):
            use()
    server.states.clear()
    for use in (lambda: begin(ensemble, copy), copy.fetch, copy.replace, lambda: copy.replace(forced=True)):
        with pytest.raises(EnsembleError, match=r"there is no state in .*state push"):
            use()
    assert jobs(ensemble) == [JOB, NEXT]
    assert copy.bring(lock("one"))
    assert server.locks == {}
    assert run(ensemble, copy, "A6BKKsK70000") is None


def test_an_equal_version_that_lacks_the_last_job_is_not_taken(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    run(ensemble, copy, JOB)
    server.states["/state"] = encoded({MARK: mark(1, "other"), "jobs.tsv": File(f"{NEXT}\tdeploy\n".encode())})
    with pytest.raises(EnsembleError, match="diverged"):
        begin(ensemble, copy)
    assert jobs(ensemble) == [JOB]


def test_nothing_is_pulled_where_nothing_is(copies: Copies) -> None:
    with pytest.raises(EnsembleError, match=r"there is no state in http.*`ansible-ensemble state push"):
        copies("one")[1].replace()


def test_a_lock_whose_answer_was_lost_is_reused_by_the_next_job(copies: Copies, server: StateServer) -> None:
    ensemble, copy = copies("one")
    server.silent = "LOCK"
    with pytest.raises(EnsembleError, match="cannot be reached"):
        begin(ensemble, copy)
    assert server.locks
    server.silent = ""
    held, told = begin(*copies("one"))
    assert "reused the lock of the state" in told[0]
    assert copies("one")[1].finish() is None
    locks.release(held)
    assert server.locks == {}


def test_without_a_lock_a_job_compares_before_it_writes(tmp_path: Path, server: StateServer) -> None:
    def make(name: str) -> tuple[Path, StateCopy]:
        ensemble = tmp_path / name / "ensemble.yaml"
        ensemble.parent.mkdir(exist_ok=True)
        ensemble.write_text(ENSEMBLE)
        values = {"http": server.url, "lock": "", "username": USER, "password": PASSWORD}
        return ensemble, StateCopy(ensemble, "http", values, Vault())

    (one, copy), (other, theirs) = make("one"), make("other")
    held = [begin(one, copy)[0], begin(other, theirs)[0]]
    note(one, JOB)
    note(other, NEXT)
    assert theirs.finish() is None
    left = copy.finish()
    assert left is not None
    assert "another job changed the state" in left
    assert "what the job did is kept here" in left
    assert NEXT in server.states["/state"].decode()
    assert JOB not in server.states["/state"].decode()
    for one_held in held:
        locks.release(one_held)


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
