"""Who works on an ensemble, here or where its state lives."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ansible_ensemble.projects import lock as locks
from ansible_ensemble.state.holder import holder, is_copied, is_held
from ansible_ensemble.state.version import Record, record_path, write_record
from tests.unit.state.conftest import lock

ELSEWHERE = replace(lock("one"), lease=30.0, renewed="2026-01-02T03:04:05Z")
COPY = Record("there")
RENEWED = replace(ELSEWHERE, renewed="2026-01-02T03:04:15Z")


@pytest.fixture
def ensemble(tmp_path: Path) -> Path:
    return tmp_path / "ensemble.yaml"


def note(ensemble: Path, *fetches: tuple[locks.Lock | None, float], record: Record = COPY) -> None:
    """Note what fetches found at their times."""
    for found, now in fetches:
        record = record.held_by(found, now)
    write_record(record_path(ensemble), record)


def test_nobody_does(ensemble: Path) -> None:
    assert holder(ensemble) is None
    assert not is_held(ensemble)
    assert not is_copied(ensemble)


def test_the_lock_here_goes_first(ensemble: Path) -> None:
    note(ensemble, (ELSEWHERE, 0.0))
    mine = locks.acquire(ensemble, "deploy")
    found = holder(ensemble)
    assert found is not None
    assert (found.lock.id, found.left) == (mine.id, False)
    locks.release(mine)
    found = holder(ensemble)
    assert found is not None
    assert found.lock == ELSEWHERE
    assert is_copied(ensemble)


@pytest.mark.parametrize(
    ("fetches", "held"),
    [
        ([(ELSEWHERE, 0.0)], True),
        ([(ELSEWHERE, 0.0), (ELSEWHERE, 29.0)], True),
        ([(ELSEWHERE, 0.0), (ELSEWHERE, 31.0)], False),
        ([(ELSEWHERE, 0.0), (RENEWED, 31.0)], True),
        ([(ELSEWHERE, 0.0), (RENEWED, 31.0), (RENEWED, 62.0)], False),
        ([(ELSEWHERE, 0.0), (None, 5.0)], False),
        ([(lock("one"), 0.0), (lock("one"), 9e9)], True),
    ],
)
def test_a_lease_that_is_not_renewed_runs_out(ensemble: Path, fetches: list, held: bool) -> None:
    note(ensemble, *fetches)
    assert is_held(ensemble) is held


@pytest.mark.parametrize(("there", "guessed"), [(ELSEWHERE, False), (lock("one"), True)])
def test_without_a_lease_that_there_is_a_holder_is_guessed(ensemble: Path, there: locks.Lock, guessed: bool) -> None:
    note(ensemble, (there, 0.0))
    found = holder(ensemble)
    assert found is not None
    assert found.guessed is guessed


def test_a_lock_of_this_copy_is_none_of_another(ensemble: Path) -> None:
    note(ensemble, (ELSEWHERE, 0.0), record=Record("there", lock="one"))
    assert holder(ensemble) is None


def test_a_damaged_record_tells_of_nobody(ensemble: Path) -> None:
    record_path(ensemble).write_text("{")
    assert not is_held(ensemble)
    assert not is_copied(ensemble)
