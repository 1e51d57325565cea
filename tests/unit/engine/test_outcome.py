"""How a job ended, from its entries."""

from __future__ import annotations

from ansible_ensemble.engine.journal_entries import Blocked, Finished, Mended
from ansible_ensemble.engine.outcome import REPORTED, Endings
from tests.unit.engine.entries import finished, started


def test_the_reason_names_what_failed_the_job_alone():
    endings = Endings("A")
    for entry in (
        finished("fine:create"),
        finished("bad:create", ok=False),
        Blocked(key="needs-bad:create", by=("bad:create",)),
        finished("optional:create", ok=False, optional=True),
        finished("seen-to:create", ok=False),
        Blocked(key="needs-seen-to:create", by=("seen-to:create",)),
        Mended(keys=("seen-to:create",)),
        started("open:create"),
    ):
        endings.take(entry)
    outcome = endings.outcome()
    assert not outcome.ok
    assert outcome.reason == "the job failed: 1 failed, 1 blocked, 1 interrupted"
    assert outcome.counts == {"succeeded": 1, "failed": 3, "blocked": 2, "interrupted": 1}


def failed_plan(key: str) -> Finished:
    """What the engine writes of an operation that ran and whose reported instances cannot be planned."""
    return finished(key + REPORTED, ok=False, implementation=None)


def test_what_was_reported_and_cannot_be_planned_is_excused_with_its_operation():
    endings = Endings("A")
    for entry in (
        started("maker:create"),
        finished("maker:create"),
        failed_plan("maker:create"),
        Blocked(key="needs:create", by=("maker:create",)),
    ):
        endings.take(entry)
    assert not endings.outcome().ok
    endings.take(Mended(keys=("maker:create",)))
    outcome = endings.outcome()
    assert outcome.ok
    assert outcome.excused == {"maker:create>plan": "on_failure", "needs:create": "on_failure"}


def test_what_was_reported_and_cannot_be_planned_is_past_once_the_operation_runs_again():
    endings = Endings("A")
    for entry in (started("maker:create"), finished("maker:create"), failed_plan("maker:create")):
        endings.take(entry)
    for entry in (started("maker:create"), finished("maker:create")):
        endings.take(entry)
    assert endings.outcome().ok
