"""How a job ended, from its entries."""

from __future__ import annotations

from ansible_ensemble.engine.journal_entries import Blocked, Mended
from ansible_ensemble.engine.outcome import Endings
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
