"""Who notices that a lock is lost while the job runs."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.engine import lock_watch
from ansible_ensemble.engine.lock_watch import LockWatch
from ansible_ensemble.projects import lock
from ansible_ensemble.projects.lfs_lock import GlobalLock


@pytest.fixture
def ensemble(tmp_path: Path) -> Path:
    return tmp_path / "ensemble.yaml"


def told(watch: LockWatch, happens: Callable[[], object], seconds: float = 5.0) -> str | None:
    """What the watch tells after something happened; None if it tells nothing."""

    async def run() -> str | None:
        watching = asyncio.create_task(watch.lost())
        await asyncio.sleep(0.05)
        assert not watching.done()
        happens()
        await asyncio.wait([watching], timeout=seconds)
        watching.cancel()
        return watching.result() if watching.done() else None

    return asyncio.run(run())


def test_a_lock_that_was_removed(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    reason = told(LockWatch(held, pause=0.01), lambda: lock.unlock(ensemble, held.id))
    assert reason == "the lock was lost while the job ran: it was removed"


def test_a_lock_that_another_has_now(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")

    def take() -> None:
        lock.unlock(ensemble, held.id)
        lock.acquire(ensemble, "undeploy")

    reason = told(LockWatch(held, pause=0.01), take)
    assert reason is not None
    assert f"{ensemble} is locked by" in reason
    assert "for undeploy since" in reason


def test_a_lock_that_one_more_process_works_under_is_not_lost(ensemble: Path) -> None:
    held = lock.acquire(ensemble, "deploy")
    assert told(LockWatch(held, pause=0.01), lambda: lock.adopt(ensemble, held.id, pid=os.getppid()), 0.1) is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"ours": [{"id": "1"}], "theirs": []}, None),
        ({"ours": [], "theirs": []}, "it was removed"),
        (
            {"ours": [], "theirs": [{"id": "2", "path": "all", "owner": {"name": "bob"}, "locked_at": "noon"}]},
            "bob has held it since noon",
        ),
        (None, None),
    ],
)
def test_the_global_lock(ensemble: Path, monkeypatch: pytest.MonkeyPatch, answer: object, reason: str | None) -> None:
    said = ensemble.with_name("said")
    said.write_text(json.dumps({"ours": [{"id": "1"}]}))
    monkeypatch.setattr(lock_watch, "verification", lambda _: (("cat", str(said)), {}))
    shared = GlobalLock(ensemble.parent, "all", "1", "alice", "", ensemble)
    watch = LockWatch(lock.acquire(ensemble, "deploy"), shared, pause=0.01, server_pause=0.0)
    change = said.unlink if answer is None else lambda: said.write_text(json.dumps(answer))
    expected = reason and f"the global lock all was lost while the job ran: {reason}"
    assert told(watch, change, 5.0 if reason else 0.2) == expected
