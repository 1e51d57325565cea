from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked, UsageError
from ansible_ensemble.projects import lock, lock_file
from ansible_ensemble.projects.process import describe_process

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def ensemble(tmp_path: Path) -> Path:
    file = tmp_path / "ensemble.yaml"
    file.write_text("kind: Ensemble\n")
    return file


def dead_process() -> int:
    """The pid of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def stale_lock(ensemble: Path, **changes: Any) -> dict[str, Any]:
    held = lock.acquire(ensemble, "deploy")
    data = held.to_json() | {"Pid": dead_process(), "ProcessStart": "1"} | changes
    lock.lock_path(ensemble).write_text(json.dumps(data))
    return data


def test_the_file_says_who_holds_it(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    data = json.loads((ensemble.parent / "ensemble.yaml.lock").read_text())
    assert data["ID"] == held.id
    assert data["Operation"] == "deploy"
    assert data["Pid"] == os.getpid()
    assert data["Path"] == str(ensemble)
    assert data["Who"].endswith("@" + data["Host"])
    assert {"ProcessStart", "Version", "Created"} <= data.keys()
    assert lock.read_lock(ensemble) == held
    assert lock.holds(held)
    assert lock.release(held)
    assert lock.read_lock(ensemble) is None
    assert list(ensemble.parent.iterdir()) == [ensemble]


def test_a_held_lock_is_refused_with_all_one_needs_to_know(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "undeploy")
    with pytest.raises(Locked) as refused:
        lock.acquire(ensemble, "deploy")
    text = str(refused.value)
    for part in (held.who, held.created, "undeploy", str(os.getpid()), held.process.host, f"unlock {held.id}"):
        assert part in text
    assert refused.value.exit_code == 4


def test_a_symbolic_link_to_the_ensemble_has_the_same_lock(ensemble: Path, tmp_path: Path) -> None:
    link = tmp_path / "other.yaml"
    link.symlink_to(ensemble)
    lock.acquire(ensemble, "deploy")
    with pytest.raises(Locked):
        lock.acquire(link, "deploy")


def test_a_stale_lock_is_taken_over_with_a_notice(ensemble: Path) -> None:
    stale = stale_lock(ensemble)
    notices: list[str] = []
    taken = lock.acquire(ensemble, "deploy", notice=notices.append)
    assert lock.holds(taken)
    assert len(notices) == 1
    assert str(stale["Pid"]) in notices[0]


def test_a_reused_pid_does_not_keep_a_lock(ensemble: Path) -> None:
    stale_lock(ensemble, Pid=os.getpid(), ProcessStart="1")
    assert lock.holds(lock.acquire(ensemble, "deploy"))


def test_a_dead_but_unreaped_process_does_not_keep_a_lock(ensemble: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        lock.acquire(ensemble, "deploy", pid=child.pid)
        with pytest.raises(Locked):
            lock.acquire(ensemble, "deploy")
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert lock.holds(lock.acquire(ensemble, "deploy"))


@pytest.mark.parametrize("changes", [{"Host": "elsewhere"}, {"Namespace": "pid:[1]"}, {"Boot": "b", "Machine": ""}])
def test_a_lock_whose_process_cannot_be_seen_from_here_is_respected(ensemble: Path, changes: dict[str, Any]) -> None:
    stale_lock(ensemble, **changes)
    with pytest.raises(Locked):
        lock.acquire(ensemble, "deploy")


def test_a_lock_from_before_a_reboot_of_this_machine_is_stale(ensemble: Path) -> None:
    if not describe_process(os.getpid()).machine:
        pytest.skip("this machine has no machine id")
    stale_lock(ensemble, Pid=os.getpid(), Boot="an earlier boot", Namespace="pid:[1]")
    assert lock.holds(lock.acquire(ensemble, "deploy"))


def test_unfurl_lock_of_a_living_process_is_respected(ensemble: Path) -> None:
    lock.lock_path(ensemble).write_text(str(os.getpid()))
    with pytest.raises(Locked, match="Unfurl"):
        lock.acquire(ensemble, "deploy")
    assert lock.unlock(ensemble, str(os.getpid())).who == "Unfurl"


def test_unfurl_lock_of_a_dead_process_is_taken_over(ensemble: Path) -> None:
    lock.lock_path(ensemble).write_text(f"{dead_process()}\n")
    assert lock.holds(lock.acquire(ensemble, "deploy"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"ID": 1}', "\x00\xff", '{"Pid": "x", "ID": "a"}'])
def test_an_unreadable_lock_is_respected_and_can_be_freed(ensemble: Path, text: str) -> None:
    lock.lock_path(ensemble).write_text(text)
    with pytest.raises(Locked, match="unlock unreadable"):
        lock.acquire(ensemble, "deploy")
    lock.unlock(ensemble, "unreadable")
    assert lock.read_lock(ensemble) is None


def test_waiting_ends_when_the_lock_is_freed(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    told: list[str] = []

    def free_it(text: str) -> None:
        told.append(text)
        lock.release(held)

    assert lock.holds(lock.acquire(ensemble, "check", timeout=None, notice=free_it))
    assert told
    assert told[0].startswith("waiting for")


def test_waiting_ends_with_the_timeout(ensemble: Path) -> None:
    lock.acquire(ensemble, "deploy")
    with pytest.raises(Locked):
        lock.acquire(ensemble, "check", timeout=0.05)


def test_a_child_adopts_the_lock_by_its_id(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    with subprocess.Popen(["sleep", "60"]) as child:
        adopted = lock.adopt(ensemble, held.id, pid=child.pid)
        assert adopted.id == held.id
        assert [process.pid for process in adopted.adopters] == [child.pid]
        # the holder is killed, the child lives on: so does the lock
        current = lock.read_lock(ensemble)
        assert current is not None
        orphan = replace(current, process=replace(current.process, start="1"))
        lock.lock_path(ensemble).write_text(json.dumps(orphan.to_json()))
        with pytest.raises(Locked):
            lock.acquire(ensemble, "check")
        child.kill()
    assert lock.holds(lock.acquire(ensemble, "check"))


def test_who_adopts_a_lock_drops_adopters_that_ended_and_no_others(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    here = describe_process(os.getpid())
    gone, elsewhere = replace(here, pid=dead_process(), start="1"), replace(here, host="another")
    lock.lock_path(ensemble).write_text(json.dumps(replace(held, adopters=(gone, elsewhere)).to_json()))
    with subprocess.Popen(["sleep", "60"]) as child:
        adopters = lock.adopt(ensemble, held.id, pid=child.pid).adopters
        child.kill()
    assert [(one.pid, one.host) for one in adopters] == [(here.pid, "another"), (child.pid, here.host)]


def test_adopting_twice_changes_nothing(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    assert lock.adopt(ensemble, held.id) == held


def test_a_lost_lock_cannot_be_adopted(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    lock.unlock(ensemble, held.id)
    with pytest.raises(EnsembleError, match="no longer locked"):
        lock.adopt(ensemble, held.id)
    other = lock.acquire(ensemble, "check")
    with pytest.raises(Locked, match=other.id):
        lock.adopt(ensemble, held.id)


def test_a_lost_lock_is_not_released_from_under_its_new_holder(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    lock.unlock(ensemble, held.id)
    other = lock.acquire(ensemble, "check")
    assert not lock.holds(held)
    assert not lock.release(held)
    assert lock.holds(other)


def test_unlock_wants_the_right_id(ensemble: Path) -> None:
    with pytest.raises(UsageError, match="not locked"):
        lock.unlock(ensemble, "x")
    held = lock.acquire(ensemble, "deploy")
    with pytest.raises(UsageError, match=held.id):
        lock.unlock(ensemble, "x")
    assert lock.holds(held)


def test_the_block_frees_the_lock_when_it_fails(ensemble: Path) -> None:
    with pytest.raises(ZeroDivisionError), lock.locked(ensemble, "deploy"):
        assert lock.read_lock(ensemble) is not None
        raise ZeroDivisionError
    assert lock.read_lock(ensemble) is None


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        lock.acquire(tmp_path / "nowhere" / "ensemble.yaml", "deploy")


def test_a_folder_in_the_place_of_the_lock_is_an_error_for_the_user(ensemble: Path) -> None:
    lock.lock_path(ensemble).mkdir()
    with pytest.raises(EnsembleError, match="the lock cannot be used"):
        lock.acquire(ensemble, "deploy")


def test_without_hard_links_the_file_is_created_exclusively(ensemble: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    held = lock.acquire(ensemble, "deploy")
    assert lock.holds(held)
    with pytest.raises(Locked):
        lock.acquire(ensemble, "deploy")


def test_a_link_that_was_made_counts_though_the_answer_got_lost(
    ensemble: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def unanswered(*names: Any) -> None:
        link(*names)
        raise FileExistsError(17, "File exists")

    monkeypatch.setattr(os, "link", unanswered)
    assert lock.holds(lock.acquire(ensemble, "deploy"))


def test_without_os_locks_a_stale_lock_is_respected(ensemble: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = stale_lock(ensemble)

    def no_locks(*_: Any) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock_file.fcntl, "flock", no_locks)
    with pytest.raises(Locked):
        lock.acquire(ensemble, "deploy")
    lock.unlock(ensemble, stale["ID"])
    assert lock.release(lock.acquire(ensemble, "deploy"))


def test_what_a_killed_process_left_is_swept_away(ensemble: Path) -> None:
    left = ensemble.with_name("ensemble.yaml.lock.0123456789abcdef.tmp")
    left.write_text("{}")
    os.utime(left, (0, 0))
    lock.acquire(ensemble, "deploy")
    assert not left.exists()


def _take_and_count(ensemble: Path, counter: Path, rounds: int, results: Queue[str]) -> None:
    try:
        for _ in range(rounds):
            held = lock.acquire(ensemble, "deploy", timeout=None)
            counter.write_text(str(int(counter.read_text()) + 1))
            lock.release(held)
        results.put("")
    except BaseException as error:
        results.put(repr(error))
        raise


def test_eight_processes_take_turns(ensemble: Path, tmp_path: Path) -> None:
    counter, results = tmp_path / "counter", FORK.Queue()
    counter.write_text("0")
    workers = [FORK.Process(target=_take_and_count, args=(ensemble, counter, 10, results)) for _ in range(8)]
    for worker in workers:
        worker.start()
    assert [results.get() for _ in workers] == [""] * 8
    for worker in workers:
        worker.join()
    assert counter.read_text() == "80"
    assert lock.read_lock(ensemble) is None


def _take_over_once(ensemble: Path, barrier: Any, done: Any, results: Queue[bool]) -> None:
    barrier.wait()
    try:
        lock.acquire(ensemble, "deploy")
        results.put(True)
    except Locked:
        results.put(False)
    done.wait()  # a holder that ended would make its lock stale again


def test_of_eight_processes_exactly_one_takes_a_stale_lock_over(ensemble: Path) -> None:
    dead = stale_lock(ensemble)
    for _ in range(15):
        lock.lock_path(ensemble).write_text(json.dumps(dead))
        barrier, done, results = FORK.Barrier(8), FORK.Event(), FORK.Queue()
        workers = [FORK.Process(target=_take_over_once, args=(ensemble, barrier, done, results)) for _ in range(8)]
        for worker in workers:
            worker.start()
        outcomes = [results.get() for _ in workers]
        done.set()
        for worker in workers:
            worker.join()
        assert sum(outcomes) == 1


def _take_without_end(ensemble: Path, started: Any) -> None:
    started.send(1)
    while True:
        lock.release(lock.acquire(ensemble, "deploy"))


def test_a_process_killed_at_any_moment_leaves_no_lasting_lock(ensemble: Path) -> None:
    for _ in range(25):
        here, there = FORK.Pipe()
        worker = FORK.Process(target=_take_without_end, args=(ensemble, there))
        worker.start()
        here.recv()
        worker.kill()
        worker.join()
        assert lock.release(lock.acquire(ensemble, "check"))
    assert lock.read_lock(ensemble) is None
