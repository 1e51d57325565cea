"""Failures of a job and what to do next, as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.names import event_title, key_title
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import prose, table
from ansible_ensemble.reports.values import clean, few, one_line

_FAILED = {"error": "failed", "interrupted": "was interrupted"}
_NOT_RUN = ("blocked", "cancelled")
_EXCUSES = {"priority": ", which does not count: it is optional", "on_failure": ", handled by its workflow"}
#: Workflows that the command of their name runs again without further arguments.
_COMMANDS = ("deploy", "undeploy", "check", "discover", "start", "stop")
#: How many lines of what an operation printed are shown.
_PRINTED = 8


def not_run_lines(report: dict[str, Any], style: Style, *, verbose: bool) -> Iterator[str]:
    """Operations that did not run because of failures or a stop."""
    not_run = [task for task in report["tasks"] if task["status"] in _NOT_RUN]
    if not_run:
        yield style.strong("Not run:")
        rows = [[clean(event_title(task)), _why_not(task)] for task in not_run]
        yield from (f"  {line}" for line in few(table(rows, columns=style.room(2)), every=verbose, limit=20))


def failure_lines(report: dict[str, Any], style: Style, *, verbose: bool) -> Iterator[str]:
    """What failed, and why."""
    for task in report["tasks"]:
        if task["status"] in _FAILED:
            excuse = _EXCUSES.get(task.get("excused") or "", "")
            yield style.bad(f"{clean(event_title(task))} {_FAILED[task['status']]}") + excuse
            yield from (f"  {line}" for line in few(why(task), every=verbose))


def next_steps(
    report: dict[str, Any], style: Style, options: Sequence[str] | None, template: str = ""
) -> Iterator[str]:
    """What to do about it; `options` are to be typed again; None for who runs playbooks, not commands.

    `template` is what to launch again in AWX, where nobody types and the job's files are gone.
    """
    job = report["job"]
    if job["success"] or not any(task["status"] in (*_FAILED, *_NOT_RUN) for task in report["tasks"]):
        return
    stopped = bool(job.get("stopped"))
    goes_on = job["workflow"] in ("deploy", "undeploy") and not job.get("check")
    again = "it continues from there" if stopped else "only what is left will run"
    mend = "" if stopped else "Fix the cause, then "
    run = f"launch {clean(template)}" if template else f"{'run ' if goes_on else ''}{job['workflow']}"
    run += f" again{f': {again}' if goes_on else ''}."
    recorded = "" if job.get("check") or report.get("problems") else "What succeeded is recorded. "
    yield from prose(f"{recorded}{mend}{run if mend else run[0].upper() + run[1:]}", style.columns)
    if template:
        return
    if job.get("record"):
        yield f"Details are in {clean(shown_path(str(job['record'])))}."
    if job.get("check"):
        return
    path = shown_path(str(job["ensemble"]))
    where = "" if path == "ensemble.yaml" else shlex.quote(clean(path))
    yield "Type next:"
    yield f"  ansible-ensemble show {job['id']}{where and f' --ensemble {where}'}"
    if options is not None and job["workflow"] in _COMMANDS:
        yield " ".join(filter(None, ["  ansible-ensemble", job["workflow"], where, clean(shlex.join(options))]))


def why(task: dict[str, Any]) -> list[str]:
    """The error, and of what failed that which the error does not hold: its item, command, code and printed lines."""
    error = clean(str(task.get("error") or "")).strip()
    lines = error.split("\n") if error else []
    failures = task.get("failures") or []
    in_error = next((failure for failure in failures if all(part in error for part in _head(failure))), None)
    for failure in failures or [task]:
        is_in_error = len(failures) < 2 or failure is in_error
        if not is_in_error:
            lines.append(" ".join(_head(failure)))
        if "cmd" in failure:
            lines.append(f"cmd: {clean(_command(failure['cmd']))}")
            lines += [f"rc: {failure['rc']}"] if "rc" in failure else []
        for name in ("stdout", "stderr"):
            printed = clean(str(failure.get(name) or "")).strip()
            if printed and not (is_in_error and printed in error):
                lines += [f"{name}: {line}" for line in printed.split("\n")[-_PRINTED:]]
    return lines


def _head(failure: dict[str, Any]) -> list[str]:
    """The task, item and message of a failure."""
    item, message = failure.get("item"), clean(str(failure.get("msg") or "")).strip()
    task = f"TASK [{clean(failure['task'])}]" if "task" in failure else ""
    return [part for part in (task, f"(item={clean(str(item))})" if item else "", message) if part]


def _command(value: Any) -> str:
    return shlex.join(map(str, value)) if isinstance(value, list) else one_line(value)


def _why_not(task: dict[str, Any]) -> str:
    causes = task.get("blocked_by") or []
    if causes:
        return f"needs {', '.join(clean(key_title(key)) for key in causes)}"
    return clean(str(task.get("error") or ""))
