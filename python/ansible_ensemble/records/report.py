"""The report of a job: one JSON document, from the entries of its journal."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.actions import Kind, Reason
from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.engine.journal_entries import Blocked, Cancelled, Ending, Finished, Skipped, Started
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.ensembles.secret_codec import masked_json
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.lanes.outcomes import failures_of
from ansible_ensemble.planning.adopt import ADOPT
from ansible_ensemble.records.adoption import adoption
from ansible_ensemble.records.job_journal import Folded

#: What is recorded of a task of a play that failed; a module may return `tasks` of its own.
_FAILED = {"name", "path", "host", "status", "failures"}


def failures(entry: Finished) -> list[dict[str, Any]]:
    """What failed: `task`, `path` (with its line) and `host` of a play's task, `item`, and what it said.

    That is as Ansible names it: `msg`, `cmd`, `rc`, `stdout`, `stderr`.
    """
    returned = entry.result.get("result") or {}
    if "stats" not in returned or not isinstance(returned.get("tasks"), list):
        return [one for one in failures_of({**entry.result, **returned}) if one]
    return [
        {"task": task["name"], "path": task["path"], "host": task["host"], **failure}
        for task in returned["tasks"]
        if isinstance(task, dict) and task.keys() >= _FAILED and task["status"] in ("failed", "unreachable")
        for failure in task["failures"]
    ]


def job_report(folded: Folded) -> dict[str, Any]:
    """The report, as far as the journal has it."""
    header, outcome = folded.header, folded.outcome
    steps = [_task(entry, folded.started.get(key)) for key, entry in folded.endings.items()]
    tasks = [step for step in steps if step["implementation"] or step["status"] != "ok"]
    tasks += [_interrupted(entry) for entry in folded.interrupted if entry.implementation]
    staying = {key for key, entry in folded.endings.items() if isinstance(entry, Finished) and entry.stays}
    for task in tasks:
        task["excused"] = outcome.excused.get(task["key"])
    counts = {"total": len(tasks), "changed": sum(bool(task.get("changed")) for task in tasks)}
    counts["not_checked"] = sum(map(_is_not_checked, tasks))
    for status in ("ok", "error", "unknown", "skipped", "blocked", "cancelled", "interrupted"):
        counts[status] = sum(task["status"] == status for task in tasks)
    return {
        "job": {
            "id": header.job,
            "workflow": header.workflow,
            "ensemble": header.ensemble,
            "approved_by": header.approved_by,
            **outcome_fields(outcome),
            **counts,
            "excused": sum(bool(task["excused"]) for task in tasks),
            "seconds": folded.seconds,
            "summary": _summary(counts),
        },
        "changed": outcome.changed,
        "summary": _done([*steps, *(task for task in tasks if task["status"] == "interrupted")], staying),
        "tasks": tasks,
        "hosts": _hosts(tasks),
        "outputs": {},
        "drift": [
            {"instance": entry.instance, "changes": list(entry.drift)}
            for entry in folded.endings.values()
            if isinstance(entry, Finished) and entry.drift
        ],
        "warnings": folded.damage,
        **({"adoption": adoption(tasks, {})} if header.workflow == ADOPT else {}),
    }


def outcome_fields(outcome: JobOutcome) -> dict[str, Any]:
    """The outcome in the form of the report."""
    return {
        "success": outcome.ok,
        "outcome": outcome.word,
        "exit_code": outcome.exit_code,
        "stopped": outcome.stopped,
        "signal": outcome.signal,
    }


def _task(entry: Ending, begun: Started | None) -> dict[str, Any]:
    """A task of the report: how its operation ended, and how it was started if it was."""
    task = _operation(entry, begun) | {
        "status": entry.kind.value,
        "target_status": None,
        "target_state": None,
        "changed": False,
        "basis": Basis.NOT_RUN.value,
        "host": None,
        "node": None,
        "lane": None,
        "seconds": None,
        "error": None,
        "blocked_by": [],
        "messages": [],
        "diff": [],
        "failures": [],
        "attributes": {},
        "unreachable": False,
    }
    match entry:
        case Finished():
            task |= _result(entry)
        case Blocked(by=by):
            task["blocked_by"] = list(by)
        case Skipped(reason=reason, basis=basis):
            task |= {"error": reason, "basis": basis.value}
        case Cancelled(reason=reason):
            task["error"] = reason
    return task


def _operation(entry: Ending | Started, begun: Started | None) -> dict[str, Any]:
    """The operation and instance of a task; its start knows more than the end of one that could not begin."""
    tell = [one for one in (entry, begun) if isinstance(one, (Started, Finished))]
    instance, _separator, operation = entry.key.partition(":")
    return {
        "key": entry.key,
        "change_id": tell[0].task if tell else None,
        "instance": tell[0].instance if tell else instance,
        "template": next((one.template for one in tell if one.template is not None), None),
        "operation": tell[0].operation if tell else operation.rstrip("+"),
        "relationship": tell[0].relationship if tell else None,
        "reason": tell[-1].reason.value if tell else "",
        "implementation": next((one.implementation for one in tell if one.implementation is not None), None),
    }


def _result(entry: Finished) -> dict[str, Any]:
    result = {
        "status": "ok" if entry.ok else "error",
        "target_status": entry.own_patch.get("status"),
        "target_state": entry.own_patch.get("state"),
        "changed": entry.changed,
        "basis": entry.basis.value,
        "host": entry.host,
        "node": entry.node,
        "lane": entry.lane,
        "seconds": entry.seconds,
        "error": entry.error,
        "messages": list(entry.messages),
        "diff": list(entry.diff),
        "attributes": {
            patch["name"]: masked_json(patch["attributes"]) for patch in entry.patches if patch.get("attributes")
        },
        "unreachable": bool(entry.result.get("unreachable")),
        "ignored": _ignored(entry),
    }
    if not entry.ok:
        result["failures"] = failures(entry)
    if not entry.ok or entry.operation == "run.command":
        returned = entry.result.get("result") or {}
        for name in ("stdout", "stderr"):
            result[name] = entry.result.get(name) or str(returned.get(name) or "")
        result["stdout"] = result["stdout"] or str(returned.get("msg") or "") or (_data(returned) if entry.ok else "")
    return result


def _ignored(entry: Finished) -> int:
    """How many tasks of its play failed and were ignored."""
    returned = entry.result.get("result") or {}
    tasks = returned.get("tasks") if "stats" in returned else None  # a module may return `tasks` of its own
    return sum(one.get("status") == "ignored" for one in tasks) if isinstance(tasks, list) else 0


def _data(returned: Mapping[str, Any]) -> str:
    """The result of a module that prints nothing, without what the report has elsewhere."""
    fields = {name: value for name, value in returned.items() if name not in _LEFT_OUT and not name.startswith("_")}
    return json_text(fields, indent=2, ensure_ascii=False) if fields else ""


def _is_not_checked(task: Mapping[str, Any]) -> bool:
    """Whether a check did nothing, as its tool has no check mode."""
    not_run = task["status"] == "ok" and task["basis"] == Basis.NOT_RUN.value
    return not_run and only_looks(str(task["operation"]))


def _interrupted(entry: Started) -> dict[str, Any]:
    return _operation(entry, entry) | {
        "status": "interrupted",
        "target_status": "unknown",
        "changed": None,
        "basis": Basis.REAL.value,
        "host": None,
        "node": entry.node,
        "lane": None,
        "seconds": None,
        "error": "started, outcome unknown",
        "blocked_by": [],
        "messages": [],
        "diff": [],
        "failures": [],
        "attributes": {},
        "unreachable": False,
    }


def _hosts(tasks: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Counts of operations by host, as in Ansible's recap: changed ones are also ok."""
    recap: dict[str, dict[str, int]] = {}
    for task in tasks:
        if task["host"] is None:
            continue
        counts = recap.setdefault(task["host"], {"ok": 0, "changed": 0, "unreachable": 0, "failed": 0})
        ended = "ok" if task["status"] == "ok" else "unreachable" if task["unreachable"] else "failed"
        counts[ended] += 1
        counts["changed"] += ended == "ok" and bool(task["changed"])
        if task.get("ignored"):
            counts["ignored"] = counts.get("ignored", 0) + task["ignored"]
    return dict(sorted(recap.items()))


def _summary(counts: Mapping[str, int]) -> str:
    shown = [f"{counts[name]} {name}" for name in ("ok", "error", "skipped", "blocked", "cancelled", "interrupted")]
    parts = [text for text in shown if not text.startswith("0 ")]
    changed = f"{counts['changed']} changed"
    tasks = f"{counts['total']} task{'' if counts['total'] == 1 else 's'}"
    return f"{tasks} ({', '.join([changed, *parts])})" if counts["total"] else "no tasks"


#: Keys of a module's result that the report has elsewhere, or does not need.
_LEFT_OUT = ("changed", "failed", "diff", "warnings", "deprecations", "invocation", "stdout_lines", "stderr_lines")

#: What a job counts its instances as, by what follows from the reason.
_COUNTED = {Kind.MAKES: "add", Kind.CHANGES: "change", Kind.REMOVES: "destroy"}


def _kinds(task: Mapping[str, Any]) -> tuple[str, ...]:
    """What a task does to its instance; one on a link neither makes nor removes its source."""
    follows = Reason(task["reason"]).kinds if task["reason"] else ()
    kinds = tuple(_COUNTED[kind] for kind in follows if kind in _COUNTED)
    return kinds if task["relationship"] is None or kinds == ("change",) else ()


def _done(tasks: list[dict[str, Any]], staying: Container[str]) -> dict[str, int]:
    """How many instances the job added, changed and destroyed: those whose operations all succeeded.

    Those that were only touched, by operations that changed nothing, are not counted as changed; those that went
    without a delete operation, or all of which stays, are forgotten.
    """
    by_instance: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        by_instance.setdefault(task["instance"], []).append(task)
    done = {"add": 0, "change": 0, "destroy": 0, "forget": 0}
    for members in by_instance.values():
        if any(task["status"] not in ("ok", "skipped") for task in members):
            continue
        kinds = {kind for task in members if task["status"] == "ok" for kind in _kinds(task)}
        if all(task["changed"] is False for task in members):
            kinds.discard("change")
        for kind in kinds:
            gone = any(map(_deletes, members)) and not any(task["key"] in staying for task in members)
            done["forget" if kind == "destroy" and not gone else kind] += 1
    return done


def _deletes(task: Mapping[str, Any]) -> bool:
    operation = str(task["operation"]).rpartition(".")[2]
    return operation == "delete" and bool(task["implementation"]) and task["status"] == "ok"
