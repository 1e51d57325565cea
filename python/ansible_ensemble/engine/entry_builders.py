"""Builds the entries of a job's journal: free of secrets and bounded."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from signal import Signals
from typing import Any

from ansible_ensemble import __version__
from ansible_ensemble.changes.operations import is_brief
from ansible_ensemble.configurators.protocol import Basis, Result
from ansible_ensemble.core.diffs import masked_diff, masked_result
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import Redactor, holds_secret
from ansible_ensemble.core.texts import cut
from ansible_ensemble.engine.journal_entries import Finished, JobFinished, JobStarted, Started, StartingPoint
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.engine.settle import Settled
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.implementation import IMPLEMENTATION, KEYWORDS, keywords_of, own_parts
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.ensembles.variable_files import with_values
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.patch import Patch
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.projects.process import describe_process

#: Characters of one text that go into the journal; the middle of a longer one is left out.
_TEXT_LIMIT = 20_000
#: Ways to run modules, which say themselves whether they changed something.
ANSIBLE_LANES = ("fast", "remote", "stock")
#: References of what is recorded as a status, or known by its digest alone; an environment often has credentials.
_KNOWN = ("::", "output::", "file:", "directory:", "image:", "external::", "env::", "secret::", "local::")
#: Options of a job that nothing is read with again.
_TELLING = ("command", "message")


def job_started_entry(
    plan: Plan,
    job: str,
    options: Mapping[str, Any],
    start: StartingPoint,
    redactor: Redactor,
    *,
    approved_by: str = "",
    plan_digest: str = "",
) -> JobStarted:
    """The first entry of a job that this process carries out, by its change id and where it starts in git.

    The options are as they may stand in records; `inputs` and `variables` are what a recovery reads the ensemble with.
    """
    return JobStarted(
        lock=start.lock,
        commit=start.commit,
        dirty=start.dirty,
        job=job,
        workflow=plan.workflow,
        ensemble=plan.ensemble,
        options={name: redactor.data(value) if name in _TELLING else value for name, value in options.items()},
        base=plan.base,
        summary=plan.summary,
        total=sum(bool(operation.implementation) for operation in plan.operations),
        time=time.time(),
        process=describe_process(os.getpid()).to_json(),
        version=__version__,
        approved_by=redactor.text(approved_by),
        plan_digest=plan_digest,
    )


def started_entry(task: JobTask, attempt: int, started: float, patch: Patch) -> Started:
    """An operation goes to its worker."""
    return Started(
        **_identity(task.planned, task.planned.key, task.id),
        template=task.planned.template,
        implementation=task.scope.evaluator.environment.redactor.text(task.planned.implementation),
        host=task.ran_on if task.planned.implementation else None,
        node=task.node,
        ordered_as=task.ordered_as,
        attempt=attempt,
        time=started,
        patches=(patch,) if patch else (),
    )


def finished_entry(task: JobTask, result: Result, settled: Settled, *, since: float, codec: SecretCodec) -> Finished:
    """An operation ended: its result, what it read, and the patches that make it count.

    It began at `since` of the monotonic clock: the time of day may jump meanwhile.
    """
    redactor = task.scope.evaluator.environment.redactor
    outcome = result.outcome
    diffs = outcome.diff if outcome else ()
    secretive = any(read.sensitive for read in task.scope.reads)
    return Finished(
        **_identity(task.planned, task.planned.key, task.id),
        template=task.planned.template,
        implementation=redactor.text(task.planned.implementation),
        ok=result.success,
        basis=result.basis,
        changed=(changed := has_changed(task, result, settled)),
        stays=changed is False and _takes_back(task, outcome),
        error=redactor.text(result.error) if result.error else None,
        time=time.time(),
        seconds=round(time.monotonic() - since, 3),
        patches=tuple(codec.for_json(patch) for patch in settled.patches),
        reads=(reads := _reads(task, settled.wrote)),
        values=_values(task, reads),
        inputs=bounded(redactor.data(task.read_inputs())),
        wrote=tuple(settled.wrote),
        outputs=redactor.data(codec.for_json(result.outputs)),
        drift=tuple(redactor.data(settled.drift)),
        messages=tuple(redactor.text(message) for message in result.messages),
        lane=outcome.lane if outcome else None,
        host=task.ran_on if task.planned.implementation else None,
        node=task.node,
        result=bounded(masked_result(_returned(outcome), redactor, secretive=secretive)) if outcome else {},
        diff=tuple(bounded([masked_diff(one, redactor, secretive=secretive) for one in diffs])),
    )


def failed_entry(planned: PlannedOperation, key: str, task: str, message: str) -> Finished:
    """A step of an operation failed without touching anything: it could not be rendered, or its result not planned.

    It has a key of its own and the change id of its task; the message is free of secrets.
    """
    identity = _identity(planned, key, task)
    return Finished(**identity, ok=False, changed=False, error=message, time=time.time(), seconds=0.0, patches=())


def _identity(planned: PlannedOperation, key: str, task: str) -> dict[str, Any]:
    return {
        "key": key,
        "task": task,
        "instance": planned.instance,
        "operation": planned.full_name,
        "relationship": planned.relationship,
        "reason": planned.reason,
        "optional": planned.optional,
    }


def _returned(outcome: Outcome) -> dict[str, Any]:
    """The result of an order, without what the entry has elsewhere."""
    names = ("rc", "stdout", "stderr", "timed_out", "cancelled", "unreachable", "warnings")
    returned = {name: getattr(outcome, name) for name in names}
    return returned | ({"result": outcome.result} if outcome.result else {})


def has_changed(task: JobTask, result: Result, settled: Settled) -> bool | None:
    """Whether an operation changed something, or would; None if nobody knows: it was left out, or failed unanswered.

    Of modules and plays it is what they say. Else it is as the tool says, or an attribute was given another value; a
    command that says nothing counts as changed, as it does for Ansible. What only looks never does.
    """
    if only_looks(task.planned.operation):
        return False
    outcome = result.outcome
    by_ansible = outcome is not None and outcome.lane in ANSIBLE_LANES
    said = result.modified if result.modified is not None or outcome is None else outcome.changed
    if said or (settled.altered and not by_ansible):
        return True
    if said is None and (result.basis is Basis.NOT_RUN or (by_ansible and outcome is not None and not outcome.ok)):
        return None  # its host was not reached, or it broke off
    return said is None and outcome is not None


def _takes_back(task: JobTask, outcome: Outcome | None) -> bool:
    """Whether an operation takes away what a module or a play was noted to make; one written by hand just deletes."""
    by_ansible = outcome is not None and outcome.lane in ANSIBLE_LANES
    follows = task.setting("teardown") is not None or bool(task.made)
    return by_ansible and task.planned.full_name == "Standard.delete" and follows


def _reads(task: JobTask, wrote: list[str]) -> dict[str, str]:
    """Digests of what decides whether the operation has to run again: of what it is made of, and of what it read.

    What it wrote itself is left out, for that is its own doing; so are its inputs, for they are made of the rest.
    """
    out = {*wrote, *task.inputs}
    reads = {read.ref: read.digest for read in task.scope.reads if read.direct and read.ref not in out}
    return {**task.own_digests, **reads}


def _values(task: JobTask, reads: Mapping[str, str]) -> dict[str, Any]:
    """Short values that were read and that no other record has, without secrets."""
    implementation = task.operation.implementation
    if implementation is None or implementation.settings.get("no_log") not in (None, False):
        return {}
    seen = {read.ref: read.value for read in task.scope.reads if read.ref in reads and not read.sensitive}
    shown = {ref: value for ref, value in seen.items() if not ref.startswith(_KNOWN) and value is not None}
    shown[KEYWORDS] = keywords_of(task.operation)
    redactor = task.scope.evaluator.environment.redactor

    def may_show(name: str, value: Any) -> bool:
        return name not in task.unshown and redactor.data(value) == value

    parts = with_values(own_parts(task.operation, task.root), task.root, may_show)
    return ({IMPLEMENTATION: parts} if parts else {}) | {
        ref: value
        for ref, value in shown.items()
        for name in (ref.rpartition("::")[2],)
        if (ref == KEYWORDS or not holds_secret(name, value)) and is_brief(value) and may_show(name, value)
    }


def job_finished_entry(outcome: JobOutcome, *, since: float) -> JobFinished:
    """The last entry of a job; `since` is the monotonic clock's seconds when it began."""
    return JobFinished(
        ok=outcome.ok,
        counts=outcome.counts,
        stopped=outcome.stopped,
        signal=None if outcome.signal is None else Signals(outcome.signal),
        lost_lock=outcome.lost_lock,
        seconds=round(time.monotonic() - since, 3),
        time=time.time(),
    )


def bounded(value: Any) -> Any:
    """The data with long texts cut in the middle."""
    if isinstance(value, str):
        return cut(value, _TEXT_LIMIT)
    if isinstance(value, dict):
        return {key: bounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [bounded(item) for item in value]
    return value
