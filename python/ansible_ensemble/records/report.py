"""The report of a job: one JSON document, from the events of its journal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.engine.outcome import JobOutcome

Event = Mapping[str, Any]

#: How an operation ended -> its status in the report.
_STATUS = {"skipped": "skipped", "blocked": "blocked", "cancelled": "cancelled"}


def job_report(
    header: Event,
    started: Mapping[str, Event],
    endings: Mapping[str, Event],
    end: Event | None,
    *,
    damage: list[str],
    outcome: JobOutcome,
) -> dict[str, Any]:
    """The report.

    Args:
        header: the job-started event.
        started: by key, the started events.
        endings: by key, the events that ended an operation.
        end: the job-finished event, None if the job was killed.
        damage: what of the journal was lost.
        outcome: how the job ended.
    """
    steps = [_task(event, started) for event in endings.values()]
    tasks = [step for step in steps if step["implementation"] or step["status"] != "ok"]
    tasks += [_interrupted(event) for key, event in started.items() if key not in endings and event["implementation"]]
    for task in tasks:
        task["excused"] = outcome.excused.get(task["key"])
    counts = {"total": len(tasks), "changed": sum(bool(task.get("changed")) for task in tasks)}
    for status in ("ok", "error", "unknown", "skipped", "blocked", "cancelled", "interrupted"):
        counts[status] = sum(task["status"] == status for task in tasks)
    last = end or (list(endings.values()) or list(started.values()) or [header])[-1]
    return {
        "job": {
            "id": header["job"],
            "workflow": header["workflow"],
            "ensemble": header["ensemble"],
            **told(outcome),
            **counts,
            "excused": sum(bool(task["excused"]) for task in tasks),
            "seconds": job_seconds(header, last),
            "summary": _summary(counts),
        },
        "summary": _done([*steps, *(task for task in tasks if task["status"] == "interrupted")]),
        "tasks": tasks,
        "outputs": {},
        "drift": [
            {"instance": event["instance"], "changes": event["drift"]}
            for event in endings.values()
            if event.get("drift")
        ],
        "warnings": damage,
    }


def told(outcome: JobOutcome) -> dict[str, Any]:
    """The outcome as the report tells it."""
    return {
        "success": outcome.ok,
        "outcome": outcome.word,
        "exitCode": outcome.exit_code,
        "stopped": outcome.stopped,
        "signal": outcome.signal,
    }


def job_seconds(header: Event, last: Event) -> float:
    """How long a job took; of one that was killed, as far as the time of day tells.

    Args:
        header: its job-started event.
        last: its job-finished event, or the last that it wrote.
    """
    measured = last.get("seconds") if last["event"] == "job-finished" else None
    between = last.get("time", header["time"]) - header["time"]
    return float(measured) if measured is not None else max(0.0, round(between, 3))


def _task(event: Event, started: Mapping[str, Event]) -> dict[str, Any]:
    described = {**started.get(event["key"], {}), **event}
    instance, _, rest = event["key"].partition(":")
    patch: dict[str, Any] = next(
        (patch for patch in event.get("patches", ()) if patch["name"] == described.get("instance")), {}
    )
    status = _STATUS.get(event["event"]) or ("ok" if event.get("ok") else "error")
    task: dict[str, Any] = {
        "key": event["key"],
        "changeId": described.get("task"),
        "instance": described.get("instance", instance),
        "template": described.get("template"),
        "operation": described.get("operation", rest.rstrip("+")),
        "relationship": described.get("relationship"),
        "reason": started.get(event["key"], {}).get("reason")
        or (described.get("reason", "") if event["event"] == "finished" else ""),
        "status": status,
        "targetStatus": patch.get("status"),
        "targetState": patch.get("state"),
        "changed": event.get("changed", False),
        "basis": event.get("basis", "real" if event["event"] == "finished" else "not-run"),
        "implementation": described.get("implementation"),
        "lane": event.get("lane"),
        "seconds": event.get("seconds"),
        "error": event.get("error") or (event.get("reason") if status in ("skipped", "cancelled") else None),
        "blockedBy": list(event.get("by", ())),
        "messages": list(event.get("messages", ())),
        "diff": list(event.get("diff", ())),
    }
    if status == "error" or task["operation"] == "run.command":
        result = event.get("result") or {}
        returned = result.get("result") or {}
        for name in ("stdout", "stderr"):
            task[name] = result.get(name) or str(returned.get(name) or "")
        task["stdout"] = task["stdout"] or str(returned.get("msg") or "") or (_data(returned) if status == "ok" else "")
    return task


def _data(returned: Mapping[str, Any]) -> str:
    """What a module returned, for one that prints nothing: without what the report says in another place."""
    told = {name: value for name, value in returned.items() if name not in _TOLD and not name.startswith("_")}
    return json.dumps(told, indent=2, ensure_ascii=False, default=str) if told else ""


def _interrupted(event: Event) -> dict[str, Any]:
    return {
        "key": event["key"],
        "changeId": event["task"],
        "instance": event["instance"],
        "template": event["template"],
        "operation": event["operation"],
        "relationship": event["relationship"],
        "reason": event["reason"],
        "status": "interrupted",
        "targetStatus": "unknown",
        "changed": None,
        "basis": "real",
        "implementation": event["implementation"],
        "seconds": None,
        "error": "it was interrupted: how far it came is not known",
        "blockedBy": [],
        "messages": [],
        "diff": [],
    }


def _summary(counts: Mapping[str, int]) -> str:
    shown = [f"{counts[name]} {name}" for name in ("ok", "error", "skipped", "blocked", "cancelled", "interrupted")]
    parts = [text for text in shown if not text.startswith("0 ")]
    changed = f"{counts['changed']} changed"
    tasks = f"{counts['total']} task{'' if counts['total'] == 1 else 's'}"
    return f"{tasks} ({', '.join([changed, *parts])})" if counts["total"] else "no tasks"


#: Of what a module returned, that which a report tells in another place, or nobody asks for.
_TOLD = ("changed", "failed", "diff", "warnings", "deprecations", "invocation", "stdout_lines", "stderr_lines")

#: What is done to an instance by operations of a reason.
_KINDS: Mapping[str, tuple[str, ...]] = {
    "add": ("add",),
    "missing": ("add",),
    "replace": ("add", "destroy"),
    "repair": ("change",),
    "reconfigure": ("change",),
    "connect": ("change",),
    "upgrade": ("change",),
    "force": ("change",),
    "prune": ("destroy",),
    "undeploy": ("destroy",),
}


def _kinds(task: Mapping[str, Any]) -> tuple[str, ...]:
    """What a task does to its instance; one on a link neither makes nor removes its source."""
    kinds = _KINDS.get(task["reason"], ())
    return kinds if task["relationship"] is None or kinds == ("change",) else ()


def _done(tasks: list[dict[str, Any]]) -> dict[str, int]:
    """How many instances the job added, changed and destroyed: those whose operations all succeeded.

    Those that went without a delete operation are forgotten.
    """
    by_instance: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        by_instance.setdefault(task["instance"], []).append(task)
    done = {"add": 0, "change": 0, "destroy": 0, "forget": 0}
    for members in by_instance.values():
        if any(task["status"] not in ("ok", "skipped") for task in members):
            continue
        for kind in {kind for task in members if task["status"] == "ok" for kind in _kinds(task)}:
            done["forget" if kind == "destroy" and not any(map(_deletes, members)) else kind] += 1
    return done


def _deletes(task: Mapping[str, Any]) -> bool:
    operation = str(task["operation"]).rpartition(".")[2]
    return operation == "delete" and bool(task["implementation"]) and task["status"] == "ok"
