from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import width
from ansible_ensemble.reports.tasks_text import task_lines


def task(instance: str, operation: str, status: str = "ok", **told: Any) -> dict[str, Any]:
    return {"instance": instance, "operation": f"Standard.{operation}", "status": status, **told}


def two_hundred() -> list[dict[str, Any]]:
    """Two operations of each of a hundred instances; one failed, and one waited for it in vain."""
    tasks = [
        task(f"node{number}", name, seconds=0.5, changed=name == "create", target_status="ok")
        for number in range(100)
        for name in ("create", "configure")
    ]
    tasks[141] |= {"status": "error", "target_status": "error"}
    tasks[151] |= {"status": "blocked", "target_status": None, "seconds": None}
    return tasks


def test_of_many_operations_those_that_did_not_end_well_come_first() -> None:
    lines = task_lines(two_hundred(), Style(), verbose=False, dry=False)
    assert lines[0].split() == ["INSTANCE", "OPERATIONS", "STATUS", "STATE", "CHANGED", "SECONDS"]
    assert lines[1].split() == ["node70", "configure", "error", "error", "yes", "1.0"]
    assert lines[2].split() == ["node75", "configure", "blocked", "yes", "0.5"]
    assert lines[3].split() == ["node0", "create,", "configure", "ok", "ok", "yes", "1.0"]
    assert lines[-1] == "... (78 more instances ok, 78 of them changed; -v shows each operation)"
    assert len(lines) == 24


def test_each_operation_has_a_line_where_all_are_asked_for() -> None:
    assert len(task_lines(two_hundred(), Style(), verbose=True, dry=False)) == 201


def test_every_failure_has_a_line_however_many_there_are() -> None:
    tasks = [task(f"node{number}", "create", "error" if number % 2 else "ok") for number in range(200)]
    lines = task_lines(tasks, Style(), verbose=False, dry=False)
    assert [line.split()[0] for line in lines[1:101]] == [f"node{number}" for number in range(1, 200, 2)]
    assert len(lines) == 122


@pytest.mark.parametrize("columns", [40, 80, 140])
@pytest.mark.parametrize("verbose", [False, True])
def test_the_table_fits_the_terminal(columns: int, verbose: bool) -> None:
    tasks = two_hundred()
    tasks[0]["instance"] = "a_database_with_a_quite_long_name_of_its_own"
    tasks[0] |= {"target_state": "configured", "lane": "fast", "reason": "reconfigure"}
    lines = task_lines(tasks, Style(colour=True, columns=columns), verbose=verbose, dry=False)
    lines = [line for line in lines if not line.startswith("...")]
    assert max(map(width, lines)) <= max(columns, 76 if verbose else 58), "columns do not become narrower than words"


def test_a_status_of_another_version_is_shown_first() -> None:
    tasks = two_hundred()
    tasks[60]["status"] = "postponed"
    assert task_lines(tasks, Style(), verbose=False, dry=False)[1].split()[:3] == ["node30", "create", "postponed"]


def test_columns_without_anything_in_them_are_left_out() -> None:
    lines = task_lines([task("app", "configure")], Style(), verbose=False, dry=False)
    assert [line.split() for line in lines] == [
        ["TASK", "INSTANCE", "OPERATION", "STATUS"],
        ["1", "app", "configure", "ok"],
    ]


def test_a_failure_that_leaves_an_instance_as_it_was_says_so() -> None:
    lines = task_lines([task("app", "configure", "error", target_status="ok")], Style(), verbose=False, dry=False)
    assert lines[1].split()[3:] == ["error", "still", "ok"]
