"""Replay: recorded changes become a plan that applies them again (docs/rules.md, "Change ids")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.history import find_changes, find_job
from ansible_ensemble.changes.operations import operation_key
from ansible_ensemble.changes.record import ChangeRecord
from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.changeid import job_of
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.core.texts import is_cut
from ansible_ensemble.ensembles.change_detector import ChangeDetector
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import inputs_of_plan, kept_values, recorded_options
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import Entity, Operation
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.expand import add_members, link_members
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.planning.sequence import planned, planned_on_link

_WORKFLOW = "replay"
_ACTIONS = {Reason.UNDEPLOY: Action.DELETE, Reason.FORCE: Action.UPDATE, Reason.ADD: Action.CREATE}


def plan_replay(ensemble: Ensemble, change_ids: Sequence[str], options: JobOptions) -> Plan:
    """The plan that applies recorded changes again, one after the other in the order in which they ran.

    An operation gets the inputs that are recorded; sensitive ones, which no record holds, are evaluated again. What it
    left its instance in is what it leaves it in again. Of a job, the tasks that succeeded are replayed.
    """
    records = find_changes(ensemble.folder, change_ids)
    for record in records:
        if record.outcome != "ok" and record.change_id in change_ids:
            raise InvalidInput(f"the change {record.change_id} did not succeed: {record.outcome}")
    planning = Planning(_WORKFLOW, ensemble.topology, ensemble.instances, options, ChangeDetector(ensemble))
    add_members(planning)
    link_members(planning)
    done = {record.change_id: record for record in records if record.outcome == "ok" and not _is_check(record)}
    chosen = [record for record in done.values() if record.part_of not in done]  # a task runs its sub-tasks itself
    operations: list[PlannedOperation] = []
    for record in chosen:
        step = _operation(planning, record)
        step.inputs = _other_inputs(ensemble, planning, step, record)
        if any(step.key == other.key for other in operations):
            step.key += f"@{record.change_id}"
        operations.append(step)
    for before, after in pairwise(operations):
        after.waits_for.append(before.key)
    for name in dict.fromkeys(operation.instance for operation in operations):
        member = planning.members[name]
        own = [operation for operation in operations if operation.instance == name]
        change = member.plan(_ACTIONS[own[-1].reason], own[-1].reason, "recorded changes")
        change.operations = [operation.key for operation in own]
    return Plan(
        workflow=_WORKFLOW,
        ensemble=str(ensemble.path),
        base=ensemble.base,
        options=recorded_options(options, ensemble.topology, ensemble.codec),
        inputs=inputs_of_plan(ensemble.specification, options),
        instances=[member.change for member in planning.members.values() if member.change],
        operations=operations,
        warnings=list(ensemble.warnings),
    )


def _is_check(record: ChangeRecord) -> bool:
    """Whether a change only looked: there is nothing of it to apply."""
    return only_looks(record.operation)


def inputs_of_changes(folder: Path, change_ids: Sequence[str]) -> dict[str, Any]:
    """The topology inputs that the jobs of these changes were given; later jobs win, and redacted ones are left out."""
    inputs: dict[str, Any] = {}
    for job_id in sorted({job_of(record.change_id) for record in find_changes(folder, change_ids)}):
        job = find_job(folder, job_id)
        inputs |= kept_values(job.job.options, "inputs") if job else {}
    return inputs


def _reason(member: PlannedInstance, operation: Operation) -> Reason:
    """Why a change is applied again, as it counts: what takes down, what makes anew, and what is run over."""
    if operation.name in ("stop", "delete", "remove_source", "remove_target"):
        return Reason.UNDEPLOY
    there = member.instance is not None and member.instance.status not in (Status.ABSENT, Status.PENDING)
    return Reason.FORCE if there else Reason.ADD


def _operation(planning: Planning, record: ChangeRecord) -> PlannedOperation:
    name, key = operation_key(record.target, record.operation)
    link_key, _separator, full_name = key.rpartition(":")
    member = planning.members.get(name)
    if member is None:
        raise InvalidInput(f'the change {record.change_id} is of "{name}", which the specification does not have')
    interface, _separator, operation_name = full_name.rpartition(".")
    if link_key:
        link = next((link for link in member.requirements if link.key == link_key), None)
        operation = link.relationship.operation(interface, operation_name) if link else None
        _check(record, operation, member)
        assert link is not None and operation is not None
        step = planned_on_link(planning, link, operation, _reason(member, operation))
    else:
        operation = member.find(full_name)
        _check(record, operation, member)
        assert operation is not None
        step = planned(planning, member, operation, operation.name, _reason(member, operation))
        step.exit_state = record.state or step.exit_state
        step.exit_status = record.status or None
    return step


def _check(record: ChangeRecord, operation: Operation | None, member: PlannedInstance) -> None:
    if operation is None:
        raise InvalidInput(
            f'the change {record.change_id} is {record.operation} of "{member.name}", which has no such operation now',
            member.template.place,
            "`rollback` to its job, or replay from the commit that the job started from",
        )


def _other_inputs(
    ensemble: Ensemble, planning: Planning, step: PlannedOperation, record: ChangeRecord
) -> dict[str, Any]:
    """The recorded inputs that are not what they would be now; what no record holds in full is evaluated again."""
    member = planning.members[step.instance]
    instance = member.instance or Instance(member.name, member.template.name)
    link = next((link for link in member.requirements if link.key == step.relationship), None)
    entity: Entity = link.relationship if link else member.template
    operation = entity.operation(step.interface, step.operation)
    relationship = RelationshipInstance(link.key, link.target) if link else None
    base = operation.base if operation else None
    scope = ensemble.evaluator.scope(instance, relationship=relationship, operation=operation, base=base)
    others = {}
    for name, value in record.inputs.items():
        try:
            if _is_redacted(value) or scope.input_value(name) == value:
                continue
        except (EnsembleError, KeyError):
            pass  # it has no value now
        others[name] = value
    return others


def _is_redacted(value: Any) -> bool:
    if isinstance(value, str):
        return REDACTED in value or is_cut(value)
    if isinstance(value, dict):
        return any(_is_redacted(item) for item in value.values())
    return isinstance(value, list) and any(_is_redacted(item) for item in value)
