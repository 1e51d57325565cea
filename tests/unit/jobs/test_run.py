from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.journals import is_empty, open_journals


def test_a_job_that_cannot_begin_is_not_taken_for_killed(job, tmp_path: Path) -> None:
    made = job(jobs_per_host=-1)
    plan = plan_workflow(made.ensemble, "deploy", made.options)
    with pytest.raises(UsageError, match=r"the limit of operations \(per host\) is -1"):
        run_plan(made.ensemble, plan, made.options, lambda: None, show=print)
    [journal] = open_journals(tmp_path)
    assert is_empty(read_journal(journal))
