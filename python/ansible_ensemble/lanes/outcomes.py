"""From the result of a task to an outcome; plain data in, plain data out."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.orders import LookedUp, Outcome
from ansible_ensemble.core.sensitive import SensitiveMap
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.core.texts import MAX_NESTING, deeper_than
from ansible_ensemble.lanes.returned import LIMIT, cut, weight

_TIMED_OUT = "timedout"
_LAST = 8  #: lines of what a failed tool printed


def outcome_of_task(result: dict[str, Any], hidden: dict[str, Any] | None, lane: str) -> Outcome:
    """The outcome of a task: its result as callbacks see it, and as `register` would where that is another one."""
    unreachable = bool(result.get("unreachable"))
    failed = bool(result.get("failed")) or unreachable
    changed = result.get("changed")
    code = result.get("rc")
    return Outcome(
        ok=not failed,
        changed=None if changed is None else bool(changed),
        rc=code if isinstance(code, int) and not isinstance(code, bool) else None,
        stdout=_text(result.get("stdout")),
        stderr=_text(result.get("stderr")),
        result=result,
        hidden=SensitiveMap(hidden or {}),
        diff=diffs_of(result),
        error=error_of(result) if failed else None,
        timed_out=failed and _TIMED_OUT in result,
        unreachable=unreachable,
        lane=lane,
        warnings=warnings_of(result),
    )


def error_of(result: dict[str, Any]) -> str:
    """Why a task failed, in words: its message, else that of the first item that failed, else its error output."""
    if result.get("censored"):
        return str(result["censored"])
    message = result.get("msg") or result.get("reason")  # the latter of includes
    items = _failed_items(result)
    if items and (not message or result.get("results")):
        return f"{item_title(items[0])}{error_of(items[0])}"
    text = _text(message).strip() if message else ""
    if isinstance(result.get("message"), str) and result["message"] not in text:
        # include_vars has it there
        text = f"{text} {result['message']}".strip()
    printed = _text(result.get("stderr") or result.get("module_stderr")).strip()
    if not printed and result.get("rc"):
        printed = "\n".join(_text(result.get("stdout")).strip().split("\n")[-_LAST:])  # many tools print it there
    if not text:
        return printed or "the task failed and gave no message"
    return f"{text}: {printed}" if printed and printed not in text else text


def failures_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What a failed task said, or each failed item of its loop: `item`, `msg`, `cmd`, `rc`, `stdout`, `stderr`."""
    return [_failure(part) for part in _failed_items(result) or [result]]


def _failure(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("censored"):
        return {"msg": part["censored"]}
    said = {name: part.get(name) for name in ("msg", "cmd", "rc", "stdout", "stderr")}
    said["stdout"] = said["stdout"] or part.get("module_stdout")
    said["stderr"] = said["stderr"] or part.get("module_stderr")
    item = {"item": _label(part)} if "ansible_loop_var" in part else {}
    return item | {name: value for name, value in said.items() if value not in (None, "")}


def _failed_items(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in items_of(result) if item.get("failed") or item.get("unreachable")]


def item_title(part: dict[str, Any]) -> str:
    """Which item of a loop it was, if it was one, as Ansible shows it; the result of a secret one has no names."""
    return f"(item={_label(part)}) " if "ansible_loop_var" in part else ""


def _label(part: dict[str, Any]) -> str:
    return _text(part.get("_ansible_item_label", part.get(str(part["ansible_loop_var"]))))


def diffs_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The diffs of a result and of its items, in order."""
    found: list[dict[str, Any]] = []
    for part in (result, *items_of(result)):
        diff = part.get("diff")
        for one in diff if isinstance(diff, list) else [diff]:
            if isinstance(one, dict) and one:
                found.append(one)
    return found


def warnings_of(result: dict[str, Any]) -> list[str]:
    """The warnings and deprecations of a result and of its items, as texts."""
    found: list[str] = []
    for part in (result, *items_of(result)):
        for key in ("warnings", "deprecations"):
            for one in part.get(key) or ():
                found.append(str(one.get("msg", one)) if isinstance(one, dict) else str(one))
    return found


def failure(error: str, lane: str = "stock") -> Outcome:
    """The outcome of an order that could not be executed."""
    return Outcome(ok=False, error=error, lane=lane)


def to_message(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data. What is too large is cut; what is too large even so, or too deep, is a failure."""
    if deeper_than((outcome.result, outcome.hidden, outcome.diff), MAX_NESTING + 1):
        failed = failure(f"the result is nested deeper than {MAX_NESTING}: it is left out", outcome.lane)
        outcome = replace(failed, changed=outcome.changed, rc=outcome.rc)
    message = as_map(outcome)
    if weight(message) > LIMIT:
        message = cut(message)
        if weight(message) > LIMIT:
            error = f"the result is larger than {LIMIT // 1_000_000} MB: it is left out"
            message.update(as_map(failure(error, outcome.lane)), changed=outcome.changed, rc=outcome.rc)
    return message


def from_message(message: dict[str, Any]) -> Outcome:
    """The outcome from plain data."""
    outcome = Outcome(**{key: value for key, value in message.items() if key in Outcome.__struct_fields__})
    outcome.hidden = SensitiveMap(outcome.hidden)
    outcome.looked_up = LookedUp(**message.get("looked_up") or {})
    return outcome


def items_of(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the items of a loop; none if there was no loop."""
    items = result.get("results")
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _text(value: object) -> str:
    return "" if value is None else str(value)
