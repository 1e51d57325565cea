from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from ansible_ensemble.jobs.execute import JobExecution
from ansible_ensemble.planning.plan import Plan


class Defect:
    """A configurator that divides by zero."""

    name = "defect"

    def can_dry_run(self, task: Any) -> bool:
        return True

    def run(self, task: Any) -> Iterator[Any]:
        yield 1 / 0


def test_a_defect_of_a_configurator_fails_its_operation_alone(job) -> None:
    made = job()
    task = made.task("app:Standard.create")
    execution = JobExecution(
        made.ensemble,
        Plan("deploy", "e"),
        made.options,
        job="A0",
        journal=None,
        workers=None,
        renderer=made.renderer,
    )
    result = asyncio.run(execution._carry_out(task, Defect()))
    assert (result.success, result.modified) == (False, None)
    assert result.error == "defect failed by ZeroDivisionError: division by zero"
