"""The events of a job's journal: what they hold, free of secrets and bounded."""

from __future__ import annotations

import os
import time
from typing import Any

from ansible_ensemble import __version__
from ansible_ensemble.configurators.protocol import Result
from ansible_ensemble.core.texts import cut
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.engine.settle import Settled
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.planning.plan import Plan, PlannedOperation
from ansible_ensemble.projects.process import describe_process

#: Characters of one text that go into the journal; the middle of a longer one is left out.
_TEXT_LIMIT = 20_000


def job_started_event(plan: Plan, job: str, options: dict[str, Any], start: dict[str, Any]) -> dict[str, Any]:
    """The first event of a job that this process carries out; `start` is what it starts from in git."""
    return {
        **start,
        "event": "job-started",
        "job": job,
        "workflow": plan.workflow,
        "ensemble": plan.ensemble,
        "options": options,
        "base": plan.base,
        "summary": plan.summary,
        "total": sum(bool(operation.implementation) for operation in plan.operations),
        "time": time.time(),
        "process": describe_process(os.getpid()).to_json(),
        "version": __version__,
    }


def started_event(
    planned: PlannedOperation, task: str, attempt: int, started: float, patch: dict[str, Any]
) -> dict[str, Any]:
    """An operation goes to its worker."""
    return {
        "event": "started",
        **_identity(planned, task),
        "attempt": attempt,
        "time": started,
        "patches": [patch] if patch else [],
    }


def _identity(planned: PlannedOperation, task: str) -> dict[str, Any]:
    return {
        "key": planned.key,
        "task": task,
        "instance": planned.instance,
        "template": planned.template,
        "operation": planned.full_name,
        "relationship": planned.relationship,
        "reason": planned.reason.value,
        "implementation": planned.implementation,
        **({"optional": True} if planned.optional else {}),
    }


def finished_event(
    task: JobTask, result: Result, settled: Settled, *, since: float, codec: SecretCodec
) -> dict[str, Any]:
    """An operation ended: its result, what it read, and the patches that make it count.

    Args:
        task: the operation's task.
        result: what came of it.
        settled: what that changes.
        since: the monotonic clock's seconds when it began: the time of day may jump meanwhile.
        codec: hides secrets.
    """
    redactor = task.scope.evaluator.environment.redactor
    outcome = result.outcome
    event: dict[str, Any] = {
        "event": "finished",
        **_identity(task.planned, task.id),
        "ok": result.success,
        "basis": result.basis.value,
        "changed": has_changed(task, result, settled),
        "error": redactor.text(result.error) if result.error else None,
        "time": time.time(),
        "seconds": round(time.monotonic() - since, 3),
        "patches": [codec.for_json(patch) for patch in settled.patches],
        "reads": _reads(task, settled.wrote),
        "inputs": bounded(redactor.data(task.read_inputs())),
        "wrote": settled.wrote,
        "outputs": redactor.data(codec.for_json(result.outputs)),
    }
    if settled.drift:
        event["drift"] = redactor.data(settled.drift)
    if result.messages:
        event["messages"] = [redactor.text(message) for message in result.messages]
    if outcome is not None:
        event["lane"] = outcome.lane
        event["result"] = bounded(
            redactor.data(
                {
                    "rc": outcome.rc,
                    "stdout": outcome.stdout,
                    "stderr": outcome.stderr,
                    "timed_out": outcome.timed_out,
                    "cancelled": outcome.cancelled,
                    "unreachable": outcome.unreachable,
                    "warnings": outcome.warnings,
                    **({"result": outcome.result} if outcome.result else {}),
                }
            )
        )
        if outcome.diff:
            event["diff"] = bounded(redactor.data(outcome.diff))
    return event


def failed_event(planned: PlannedOperation, key: str, task: str, message: str) -> dict[str, Any]:
    """A step of an operation failed without touching anything: it could not be rendered, or its result not planned.

    Args:
        planned: the operation.
        key: the step's key.
        task: the change id.
        message: why, free of secrets.
    """
    return {
        "event": "finished",
        "key": key,
        "task": task,
        "instance": planned.instance,
        "operation": planned.full_name,
        "relationship": planned.relationship,
        "reason": planned.reason.value,
        **({"optional": True} if planned.optional else {}),
        "ok": False,
        "changed": False,
        "error": message,
        "time": time.time(),
        "seconds": 0.0,
        "patches": [],
    }


def has_changed(task: JobTask, result: Result, settled: Settled) -> bool:
    """Whether an operation changed something, or would; one that only looks never has."""
    if only_looks(task.planned.operation):
        return False
    return bool((result.outcome and result.outcome.changed) or result.modified or settled.wrote)


def _reads(task: JobTask, wrote: list[str]) -> dict[str, str]:
    """Digests of what decides whether the operation has to run again: of what it is made of, and of what it read.

    What it wrote itself is left out, for that is its own doing; so are its inputs, for they are made of the rest.
    """
    out = {*wrote, *task.inputs}
    reads = {read.ref: read.digest for read in task.scope.reads if read.direct and read.ref not in out}
    return {**task.own_digests, **reads}


def job_finished_event(outcome: JobOutcome, *, since: float) -> dict[str, Any]:
    """The last event of a job; `since` is the monotonic clock's seconds when it began."""
    return {
        "event": "job-finished",
        "ok": outcome.ok,
        "counts": dict(outcome.counts),
        "stopped": outcome.stopped,
        "signal": outcome.signal,
        "lostLock": outcome.lost_lock,
        "seconds": round(time.monotonic() - since, 3),
        "time": time.time(),
    }


def bounded(value: Any) -> Any:
    """The data with long texts cut in the middle."""
    if isinstance(value, str):
        return cut(value, _TEXT_LIMIT)
    if isinstance(value, dict):
        return {key: bounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [bounded(item) for item in value]
    return value
