"""The history of an ensemble as text, from its JSON documents alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_ensemble.reports.names import short_operation
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import table
from ansible_ensemble.reports.values import block, clean, is_short, one_line

_HEADS = ("JOB", "STARTED (UTC)", "WORKFLOW", "RESULT", "STATUS", "RAN", "SECONDS", "")
_TASK_HEADS = ("TASK", "TARGET", "OPERATION", "REASON", "RESULT", "STATUS", "CHANGED", "STARTED", "SECONDS")


def history_text(jobs: list[dict[str, Any]], style: Style | None = None) -> str:
    """A table of jobs, in the order given.

    Args:
        jobs: of each, what is known of `change_id`, `start_time`, `workflow`, `outcome`, `status` or `ready_state`,
            `tasks` (their number), `seconds`, `summary` and `start_commit`.
        style: how to emphasise; plain when left out.
    """
    style = style or Style()
    if not jobs:
        return "There are no jobs yet.\n"
    rows = [[style.strong(head) for head in _HEADS]]
    rows += [
        [
            job["change_id"],
            _time(job.get("start_time")),
            clean(job.get("workflow") or ""),
            style.status(_outcome(job)),
            style.status(_status(job)),
            str(job.get("tasks", "")),
            _seconds(job),
            clean(job.get("summary") or ""),
        ]
        for job in jobs
    ]
    return "\n".join(table(rows, right={5, 6}, columns=style.columns, spare=(7,))) + "\n"


def job_record_text(record: dict[str, Any], style: Style | None = None) -> str:
    """The record of a job: what it was, then a table of its tasks."""
    style = style or Style()
    job, tasks = record["job"], record["tasks"]
    lines = [style.strong(f"Job {job['change_id']}"), *_facts(job, _JOB_FACTS, style)]
    if not tasks:
        return "\n".join([*lines, "", "It ran no task."]) + "\n"
    rows = [[style.strong(head) for head in _TASK_HEADS]]
    rows += [
        [
            task["change_id"],
            clean(_target(task)),
            clean(_operation(task)),
            task.get("reason") or "",
            style.status(_outcome(task)),
            style.status(_status(task)),
            style.changed("yes") if task.get("changed") else "",
            _time(task.get("start_time"))[11:],
            _seconds(task),
        ]
        for task in tasks
    ]
    return (
        "\n".join(
            [
                *lines,
                "",
                *table(rows, right={8}, columns=style.columns, spare=(3, 5, 7), empty=(3, 6)),
                *_errors(tasks, style),
            ]
        )
        + "\n"
    )


def _errors(tasks: list[dict[str, Any]], style: Style) -> Iterator[str]:
    """Why tasks failed, and where all of it is."""
    failed = [task for task in tasks if task.get("error")]
    for task in failed:
        yield ""
        yield style.bad(f"{clean(_target(task))}: {clean(_operation(task))}")
        yield from (f"  {line}" for line in clean(str(task["error"])).strip().split("\n"))
    if failed:
        yield from ("", "`ansible-ensemble show TASK` shows all that is known of one.")


def task_record_text(record: dict[str, Any], style: Style | None = None) -> str:
    """The record of a task, with all that is known of it."""
    style = style or Style()
    task = record["task"]
    head = f"Task {task['change_id']}: {clean(_operation(task))} of {clean(_target(task))}"
    facts = dict(task, outcome=_outcome(task))
    return "\n".join([style.strong(head), *_facts(facts, _TASK_FACTS, style)]) + "\n"


_JOB_FACTS = {
    "workflow": "workflow",
    "approved_by": "approved by",
    "start_time": "started",
    "end_time": "ended",
    "seconds": "seconds",
    "outcome": "result",
    "ready_state": "status",
    "status": "status",
    "summary": "summary",
    "options": "options",
    "start_commit": "from commit",
    "previous_id": "job before",
    "error": "error",
    "outputs": "outputs",
}
_TASK_FACTS = {
    "reason": "reason",
    "outcome": "result",
    "start_time": "started",
    "end_time": "ended",
    "seconds": "seconds",
    "ready_state": "status",
    "changed": "changed",
    "implementation": "by",
    "previous_id": "task before",
    "error": "error",
    "inputs": "inputs",
    "changes": "changes",
    "outputs": "outputs",
    "messages": "messages",
    "dependencies": "it read",
    "result": "returned",
}


def _facts(record: dict[str, Any], names: dict[str, str], style: Style) -> Iterator[str]:
    known = {key: name for key, name in names.items() if record.get(key) not in (None, "", [], {})}
    longest = max(map(len, known.values()), default=0) + 1
    for key, name in known.items():
        value = _fact(record, key)
        head = style.faint(f"{name}:".ljust(longest))
        if is_short(value):
            yield f"  {head} {value if isinstance(value, str) else one_line(value)}"
        else:
            yield f"  {head.rstrip()}"
            yield from (
                f"    {line}" for line in (clean(value).split("\n") if isinstance(value, str) else block(value))
            )


def _fact(record: dict[str, Any], key: str) -> Any:
    value = record[key]
    if key in ("start_time", "end_time"):
        return f"{_time(value)} UTC"
    if key == "ready_state":
        state = value.get("state")
        return _status(record) + (f" ({state})" if state else "")
    if key == "implementation":
        return value.get("class_name") or ""
    return clean(value) if isinstance(value, str) else value


def _time(text: str | None) -> str:
    """`2024-01-31 23:33:37` of a job time, which has a dash between all its parts."""
    parts = str(text or "").split("-")
    return f"{'-'.join(parts[:3])} {':'.join(parts[3:6])}" if len(parts) >= 6 else clean(str(text or ""))


def _seconds(record: dict[str, Any]) -> str:
    seconds = record.get("seconds")
    return "" if seconds is None else f"{float(seconds):.1f}"


def _status(record: dict[str, Any]) -> str:
    ready = record.get("ready_state")
    return str(ready.get("local") or "") if isinstance(ready, dict) else str(record.get("status") or "")


def _outcome(record: dict[str, Any]) -> str:
    return str(record.get("outcome") or "ok")


def _target(task: dict[str, Any]) -> str:
    """`app` of the target `::app`, `app (db#0)` of the relationship `::app::.requirements::db#0`."""
    name, _separator, relationship = str(task.get("target") or "").removeprefix("::").partition("::.requirements::")
    return f"{name} ({relationship})" if relationship else name


def _operation(task: dict[str, Any]) -> str:
    implementation = task.get("implementation")
    name = implementation.get("operation") if isinstance(implementation, dict) else task.get("operation")
    return short_operation(str(name or ""))
