"""What the tasks of a play came to: a line for people, a summary for records, and why the play failed.

A task is plain data: its `name`, `action`, `path` with its line, `host`, `status`, `result`, and whether it is
`unseen`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from ansible_ensemble.core.orders import did_not_look
from ansible_ensemble.core.regex import regex
from ansible_ensemble.lanes.outcomes import diffs_of, error_of, failures_of, item_title, items_of

#: Keys of what `debug` returns that are about the task, not what it says.
_ABOUT = frozenset(
    {"changed", "failed", "item", "ansible_loop_var", "_ansible_item_label", "_ansible_no_log"}
    | {"warnings", "deprecations", "exception"}
)


#: The variable by which tasks leave themselves out of check mode.
_CHECK_MODE = "ansible_check_mode"


def was_left_out(result: dict[str, Any], conditional: bool) -> bool:
    """Whether a task did not even look, which check mode has many do; one with a condition may hide that it was that.

    A condition that was not met, or a loop over nothing, says so: then there was nothing to look at, unless check mode
    itself is what the condition asks for.
    """
    if items := items_of(result):
        return any(was_left_out(item, conditional) for item in items)
    if _CHECK_MODE in str(result.get("false_condition")):
        return True
    if "skip_reason" in result or "false_condition" in result or ("censored" in result and conditional):
        return False
    return did_not_look(result)


def mark_unseen(tasks: list[dict[str, Any]], reads: Mapping[str, Collection[str]]) -> None:
    """Mark what nobody knows of tasks in check mode: those that read what a task would have told that was left out.

    So are the handlers that only such tasks notified. What they set is not known either.

    Args:
        tasks: in the order in which they ended.
        reads: names of the variables that tasks read, by their `uuid`.
    """
    unknown: dict[str, set[str]] = {}
    notified: dict[str, set[str]] = {}
    for task in tasks:
        host, names = task["host"], unknown.setdefault(task["host"], set())
        changed = bool(task["result"].get("changed"))
        heard = notified.setdefault(host, set())
        rests = not names.isdisjoint(reads.get(task["uuid"], ()))
        rests |= bool(task["answers_to"]) and heard.isdisjoint(task["answers_to"])
        if rests and (changed or task["status"] == "skipped"):
            task["unseen"] = True
        if task["left_out"] or rests:
            names.update(task["sets"])
        else:
            names.difference_update(task["sets"])
        if changed and not task["unseen"]:
            heard.update(task["notifies"])


#: What the name of a backup has after that of its file.
_OF_BACKUP = regex(r"\.\d+\.\d{4}-\d\d-\d\d@\d\d:\d\d:\d\d~$")


def backups_of(result: dict[str, Any]) -> list[tuple[str, str]]:
    """The files that a task replaced, each with where it kept what that was, in the order of its items."""
    found = []
    for part in items_of(result) or [result]:
        backup = part.get("backup_file") or part.get("backup")
        if part.get("changed") and isinstance(backup, str) and _OF_BACKUP.search(backup):
            found.append((_OF_BACKUP.sub("", backup), backup))
    return found


def line_of(task: dict[str, Any]) -> str:
    """A task that ended in a line; what `debug` says is in it."""
    result, status = task["result"], task["status"]
    word = "changed" if status == "ok" and result.get("changed") else status
    items = items_of(result)
    if status in ("failed", "unreachable", "ignored"):
        text = f" => {error_of(result)}"
    elif task["action"].endswith("debug"):
        text = "".join(f" => {item_title(part)}{_said(part)}" for part in items or [result])
    else:
        text = f" ({len(items)} items)" if items else ""
    return f"TASK [{task['name']}] {word}: [{task['host']}]{text}"


def _said(result: dict[str, Any]) -> str:
    """What `debug` says: its message, or a variable with its value."""
    if "censored" in result or "msg" in result:
        return _json(result.get("censored") or result["msg"])
    return ", ".join(f"{name}: {_json(value)}" for name, value in result.items() if name not in _ABOUT)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def reason_of(bad: list[dict[str, Any]], unmatched: bool, base: str) -> str:
    """Why a play failed: its last failure, since those before it may have been rescued."""
    if bad:
        path = bad[-1]["path"].removeprefix(f"{base}/")
        where = f" ({path})" if path else ""
        return f"TASK [{bad[-1]['name']}]{where}: {error_of(bad[-1]['result'])}"
    return "no host matched the playbook's plays" if unmatched else "the play failed before any task did"


def summary_of(task: dict[str, Any]) -> dict[str, Any]:
    """What is recorded of a task: of one that failed, all that it said."""
    result = task["result"]
    summary = {key: task[key] for key in ("name", "action", "path", "host", "status")}
    summary["changed"] = bool(result.get("changed"))
    summary |= {key: True for key in ("left_out", "unseen", "dropped") if task.get(key)}
    if task["status"] in ("failed", "ignored", "rescued", "unreachable"):
        summary["msg"] = error_of(result)
        summary["failures"] = failures_of(result)
    elif result.get("msg") is not None and "censored" not in result:
        summary["msg"] = result["msg"]
    if result.get("diff"):
        summary["diff"] = diffs_of(result)
    return summary
