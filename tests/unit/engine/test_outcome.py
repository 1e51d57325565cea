"""How a job ended, from its events."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.engine.outcome import Endings


def finished(key: str, *, ok: bool = True, **more: Any) -> dict[str, Any]:
    return {"event": "finished", "key": key, "operation": "Standard.create", "ok": ok, **more}


def test_the_reason_names_what_failed_the_job_alone():
    endings = Endings("A")
    for event in (
        finished("fine:create"),
        finished("bad:create", ok=False),
        {"event": "blocked", "key": "needs-bad:create", "by": ["bad:create"]},
        finished("optional:create", ok=False, optional=True),
        finished("seen-to:create", ok=False),
        {"event": "blocked", "key": "needs-seen-to:create", "by": ["seen-to:create"]},
        {"event": "mended", "keys": ["seen-to:create"]},
        {"event": "started", "key": "open:create"},
    ):
        endings.take(event)
    outcome = endings.outcome({"event": "job-finished"})
    assert not outcome.ok
    assert outcome.reason == "the job failed: 1 failed, 1 blocked, 1 interrupted"
    assert outcome.counts == {"succeeded": 1, "failed": 3, "blocked": 2, "interrupted": 1}
