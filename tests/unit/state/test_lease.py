"""Leases of the lock of a state: renewed by a process, watched by others, taken over once they have run out."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.state import git_remote, lease
from ansible_ensemble.state.copy import StateCopy
from ansible_ensemble.state.git_store import GitStore
from ansible_ensemble.state.lease import start_renewal
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import File, Store
from ansible_ensemble.state.version import mark, marked
from tests.unit.state.conftest import Opener, bare, lock

ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {}\n"
JOURNAL = "jobs/job2026-01-02-03-04-05-A6BKKsK5.journal"
LEASED = pytest.mark.parametrize("location", ["path", "git", "s3"], indirect=True)


def leased(name: str, seconds: float) -> locks.Lock:
    """A lock of a process of another host, with a lease."""
    return locks.renewal(replace(lock(name), lease=seconds))


def holder(store: Store) -> locks.Lock:
    found = store.take(lock("looks"))
    assert found is not None
    return found


@LEASED
def test_a_lease_is_renewed_while_the_journal_is_kept(opened: Opener) -> None:
    one, beside, other = opened(), opened(), opened()
    assert one.take(leased("one", 30)) is None
    first = holder(other)
    one.write_journal(JOURNAL, b"begun\n", "one")
    beside.renew("one")
    assert (holder(other).lease, holder(other).renewed > first.renewed) == (30, True)
    one.write_journal(JOURNAL, b"begun\nended\n", "one")
    assert other.read() == {JOURNAL: File(b"begun\nended\n")}
    beside.renew("one")
    one.release("one")
    with pytest.raises(Locked, match="the lock of the state was lost: it was removed"):
        beside.renew("one")
    assert other.take(lock("other")) is None
    with pytest.raises(Locked, match="other@pod"):
        beside.renew("one")


@pytest.fixture
def copy(location: tuple[str, Mapping[str, str]], tmp_path: Path) -> Iterator[tuple[Path, StateCopy]]:
    """The copy of the state in another folder, whose leases are short."""
    ensemble = tmp_path / "other" / "ensemble.yaml"
    ensemble.parent.mkdir()
    ensemble.write_text(ENSEMBLE)
    kind, values = location
    folder = {"folder": str(ensemble.parent)} if "folder" in values else {}
    made = StateCopy(ensemble, kind, {**values, **folder, "lease": "1"}, Vault())
    yield ensemble, made
    if made.record.lock:
        made.release()


def begin(ensemble: Path, copy: StateCopy, timeout: float = 0) -> list[str]:
    told: list[str] = []
    held = locks.acquire(ensemble, "deploy")
    try:
        copy.begin(held, timeout=timeout, notice=told.append)
    except BaseException:
        locks.release(held)
        raise
    return told


@LEASED
def test_a_lease_that_has_run_out_is_taken_over_and_its_holder_writes_nothing_more(
    opened: Opener, copy: tuple[Path, StateCopy]
) -> None:
    one = opened()
    assert one.take(leased("one", 0.5)) is None
    one.write({"jobs.tsv": File(b""), "state.json": mark(3, "one")}, "first", "one")
    one.write_journal(JOURNAL, b"begun\n", "one")
    told = begin(*copy)
    assert "the lock was not renewed for 0.5 s; taken over from: /elsewhere/ensemble.yaml is locked by one@" in told[-1]
    assert (copy[0].parent / JOURNAL).read_bytes() == b"begun\n", "what the job did is known to the next one"
    for late in (
        lambda: one.write({}, "late", "one"),
        lambda: one.write_journal(JOURNAL, b"late\n", "one"),
        lambda: one.renew("one"),
    ):
        with pytest.raises(Locked):
            late()
    assert copy[1].finish() is None
    assert opened().take(lock("next")) is None


@LEASED
def test_a_write_that_was_held_up_in_the_middle_is_refused(
    opened: Opener, copy: tuple[Path, StateCopy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder has seen that the lock is its own, is then paused, and goes on once another has taken over."""
    one = opened()
    one.take(leased("one", 0.5))
    one.write({"jobs.tsv": File(b"")}, "first", "one")
    told: list[str] = []

    def pause_in(holder: object, name: str) -> None:
        meant = getattr(holder, name)

        def paused(*arguments: object, **named: object) -> object:
            monkeypatch.setattr(holder, name, meant)
            told.extend(begin(*copy))
            return meant(*arguments, **named)

        monkeypatch.setattr(holder, name, paused)

    if isinstance(one, GitStore):
        pause_in(one._remote, "push")
    elif hasattr(one, "_client"):
        pause_in(one._client, "put_object")
    else:
        pytest.skip("a folder is guarded while it is written to: nobody takes over meanwhile")
    with pytest.raises(Locked):
        one.write({"jobs.tsv": File(b"late\n")}, "late", "one")
    assert "taken over" in told[-1]
    assert (opened().read() or {})["jobs.tsv"] == File(b"")
    assert marked(opened().read())[1] == copy[1].record.lock


@LEASED
def test_who_renews_is_respected(opened: Opener, copy: tuple[Path, StateCopy], monkeypatch: pytest.MonkeyPatch) -> None:
    one = opened()
    one.take(leased("one", 0.8))
    looks: list[str] = []
    take = copy[1]._store.take

    def renewed(lock: locks.Lock) -> locks.Lock | None:
        if looks:
            one.renew("one")
        looks.append(lock.id)
        return take(lock)

    monkeypatch.setattr(copy[1]._store, "take", renewed)
    with pytest.raises(Locked, match=r"it is free 0\.8 s after its job was killed"):
        begin(*copy)
    assert len(looks) == 2, "one renewal is enough to see that it is at work"


@pytest.mark.parametrize("location", ["path"], indirect=True)
def test_a_holder_that_is_seen_here_is_not_waited_for(opened: Opener, copy: tuple[Path, StateCopy]) -> None:
    here = replace(leased("one", 30), process=locks.describe_process(os.getpid()))
    assert opened().take(here) is None
    with pytest.raises(Locked, match="the state is locked"):
        begin(*copy)


@pytest.mark.parametrize("location", ["http"], indirect=True)
def test_a_server_of_terraform_has_no_leases(opened: Opener, copy: tuple[Path, StateCopy]) -> None:
    begin(*copy)
    assert holder(opened()).lease == 0
    assert copy[1]._renewal is None
    assert copy[1].finish() is None


def _job() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)


@pytest.mark.parametrize("ends", ["released", "killed"])
def test_a_process_renews_until_its_job_is_over(tmp_path: Path, ends: str) -> None:
    values = {"git": str(bare(tmp_path / "store.git")), "path": "", "folder": str(tmp_path)}
    store = open_store("git", values)
    job = _job()
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy", pid=job.pid)
    leased = locks.renewal(replace(held, lease=0.6))
    assert store.take(leased) is None
    renewing = start_renewal("git", values, held.id, leased)
    _until(lambda: holder(store).renewed > leased.renewed)
    if ends == "released":
        locks.release(held)
    else:
        job.kill()
        job.wait()
    assert renewing.wait() == 0
    assert holder(store).id == held.id, "who releases it is the job, or the next one"
    with contextlib.suppress(ProcessLookupError):
        job.kill()
    job.wait()


def test_a_process_ends_when_its_lock_is_anothers(tmp_path: Path) -> None:
    values = {"path": str(tmp_path / "store")}
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy")
    store = open_store("path", values)
    store.take(leased("other", 30))
    renewing = start_renewal("path", values, held.id, replace(held, lease=0.3))
    assert renewing.wait() == 0
    locks.release(held)


def test_a_paused_process_renews_again_when_it_goes_on(tmp_path: Path) -> None:
    values = {"path": str(tmp_path / "store")}
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy")
    store = open_store("path", values)
    leased = locks.renewal(replace(held, lease=0.6))
    store.take(leased)
    renewing = start_renewal("path", values, held.id, leased)
    renewing.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, renewing.pid, os.WSTOPPED)
    before = holder(store).renewed
    renewing.send_signal(signal.SIGCONT)
    _until(lambda: holder(store).renewed > before)
    renewing.terminate()
    renewing.wait()
    locks.release(held)


def test_a_location_that_cannot_be_had_for_a_while_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy")
    tried: list[str] = []

    class Away:
        def renew(self, lock_id: str) -> None:
            tried.append(lock_id)
            if len(tried) == 3:
                locks.release(held)
            raise git_remote.Unreachable("away")

    monkeypatch.setattr(lease, "open_store", lambda _kind, _values: Away())
    monkeypatch.setattr(lease.time, "sleep", lambda _seconds: None)
    order = {"kind": "git", "values": {}, "held": "there", "ensemble": held.path, "lock": held.id, "lease": 0.0}
    lease._renew(order)
    assert tried == ["there"] * 3


def test_a_lock_that_is_lost_is_renewed_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy")

    class Lost:
        def renew(self, _lock_id: str) -> None:
            raise Locked("lost")

    monkeypatch.setattr(lease, "open_store", lambda _kind, _values: Lost())
    monkeypatch.setattr(lease.time, "sleep", lambda _seconds: None)
    order = {"kind": "git", "values": {}, "held": "there", "ensemble": held.path, "lock": held.id, "lease": 0.0}
    with pytest.raises(EnsembleError, match="lost"):
        lease._renew(order)
    locks.release(held)


def _until(is_so: Callable[[], bool]) -> None:
    """Ask again and again; the test's own time limit ends it."""
    while not is_so():
        pass
