from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from ansible_ensemble.engine.driver import Driver


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
    result = asyncio.run(Driver(workers=None, run_sub_task=None, tell=None, note=None).carry_out(task, Defect()))
    assert (result.success, result.modified) == (False, None)
    assert result.error == "defect raised ZeroDivisionError: division by zero"
