"""Notifications: events run the actions of policies' triggers [TOSCA 1.3, 3.6.22, 3.8.6]."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ansible_ensemble.core.clock import now
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.language.entities import Policy, Trigger
from ansible_ensemble.language.scalars import timestamp_value
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.guard import Guard
from ansible_ensemble.planning.planned_operation import Origin, PlannedOperation
from ansible_ensemble.planning.stages import Stage, SubPlan, WorkflowBuilder, one_by_one
from ansible_ensemble.planning.workflow import called_stage
from ansible_ensemble.topology.workflows import missing_operation


def decide_notification(planning: Planning, sub_plan: SubPlan) -> None:
    """Plan the actions of all triggers whose event or name is the job's `trigger`.

    An action runs on the policy's targets that are there, fit the trigger's target_filter and meet its condition. That
    is evaluated on what is recorded, and again while the job runs if it has to hold several times. The action's
    operations get the job's `notification` as an input of that name.
    """
    name = planning.options.trigger or ""
    policies = planning.topology.policies.values()
    triggers = [(policy, trigger) for policy in policies for trigger in policy.triggers.values()]
    found = [(policy, trigger) for policy, trigger in triggers if name in (trigger.event, trigger.name)]
    if not found:
        known = [text for _other, trigger in triggers for text in (trigger.event, trigger.name)]
        raise InvalidInput(f'no policy has a trigger or event "{name}"', hint=nearest(name, known))
    builder = WorkflowBuilder(planning, sub_plan)
    for policy, trigger in found:
        builder.text, builder.step = f"trigger {trigger.name}", trigger.name
        _warn_of_method(planning, trigger)
        for member in _targets(planning, policy, trigger):
            fault = _fault(planning, member, trigger)
            if fault is not None:
                planning.exclude(member, fault)
                continue
            called = [action for action in trigger.action if _has(member, action)]
            if trigger.action and not called:
                planning.exclude(member, f"it has no operation that trigger {trigger.name} calls")
                continue
            actions = [_action(builder, policy, trigger, action, member) for action in called]
            stage = one_by_one([*_evaluations(builder, trigger, member, actions), *actions])
            for operation in stage.operations:
                operation.serial.append(member.name)
    for member in planning.members.values():
        if member.change is not None:
            member.change.operations = [operation.key for operation in member.up]


def _targets(planning: Planning, policy: Policy, trigger: Trigger) -> list[PlannedInstance]:
    """Instances of the policy's targets that pass the target_filter; without targets, all that it may have."""
    groups = planning.topology.groups
    names = {member for target in policy.targets for member in (groups[target].members if target in groups else ())}
    names.update(policy.targets)
    node = trigger.target_filter.get("node")
    chosen = []
    for member in planning.selected():
        template = member.template
        meant = template.name in names if names else any(template.type.is_a(kind) for kind in policy.type.targets)
        if meant and (node is None or template.name == node or template.type.is_a(str(node))):
            chosen.append(member)
    return chosen


def _has(member: PlannedInstance, action: Mapping[str, object]) -> bool:
    """Whether an instance has the operation of an action; targets of several types need not all have it."""
    called = action.get("call_operation")
    name = called.get("operation") if isinstance(called, Mapping) else called
    return name is None or missing_operation(member.template, str(name)) is None


def _fault(planning: Planning, member: PlannedInstance, trigger: Trigger) -> str | None:
    """Why a trigger does not act on an instance; None if it does."""
    if member.instance is None or not member.instance.status.operational:
        return "it is not operational"
    if not planning.options.force and _is_out_of_schedule(trigger):
        return f'trigger "{trigger.name}" is outside its schedule (--force ignores that)'
    fault = planning.detector.unmet(trigger.condition, member)
    return None if fault is None else f'the condition of trigger "{trigger.name}" is not met: {fault}'


def _is_out_of_schedule(trigger: Trigger) -> bool:
    """Whether a trigger is outside of its `schedule` [TOSCA 1.3, 3.6.22]."""
    start = timestamp_value(trigger.schedule.get("start_time"))
    end = timestamp_value(trigger.schedule.get("end_time"))
    moment = now().timestamp()
    return (start is not None and moment < start) or (end is not None and moment > end)


def _warn_of_method(planning: Planning, trigger: Trigger) -> None:
    """Say that nothing is aggregated: there are no values but those of the moment [TOSCA 1.3, 3.6.22: `method`]."""
    if trigger.method is not None:
        planning.warnings.append(
            f'Trigger {trigger.name} asks for the method "{trigger.method}", which is not computed: '
            f"each evaluation uses the current values."
        )


def _evaluations(
    builder: WorkflowBuilder, trigger: Trigger, member: PlannedInstance, actions: list[Stage]
) -> list[Stage]:
    """The further evaluations of a condition that has to hold several times, spread over its period.

    Between two of them the instance's check operation looks at it anew; where there is none, no value would change, and
    the one evaluation decides [TOSCA 1.3, 3.6.22: `evaluations`, `period`].
    """
    check = member.find("check")
    if trigger.evaluations == 1 or not trigger.condition or check is None:
        return []
    pause = (trigger.period or 0.0) / (trigger.evaluations - 1)
    stages: list[Stage] = []
    gate: str | None = None
    for _turn in range(trigger.evaluations - 1):
        wait, look = builder.note(member, "wait"), builder.call(member, check.full_name, trigger.place, Origin())
        decide = builder.note(member, "evaluate")
        wait.first[0].pause = pause
        decide.first[0].guard = Guard(condition=trigger.condition)
        for stage in (wait, look, decide) if gate is not None else ():
            _decided_by(gate, stage.first[0])
        gate = decide.first[0].key
        stages += [wait, look, decide]
    for stage in actions:
        for operation in stage.operations:
            _decided_by(gate, operation)
    return stages


def _decided_by(gate: str | None, operation: PlannedOperation) -> None:
    operation.guard = replace(operation.guard, condition_of=gate)


def _action(
    builder: WorkflowBuilder, policy: Policy, trigger: Trigger, action: Mapping[str, object], member: PlannedInstance
) -> Stage:
    kind, body = next(iter(action.items()))
    if kind == "call_operation":
        given = {"notification": builder.planning.options.notification}
        return builder.call(member, body, trigger.place, Origin(policy=policy.name), given=given)
    if kind == "set_state":
        return builder.set_state(member, body, trigger.place)
    if kind in ("delegate", "inline"):
        return called_stage(builder, action, [member], trigger.place, Origin(policy=policy.name))
    raise InvalidInput(
        f'the action "{kind}" of trigger "{trigger.name}" is an operation that no node has',
        trigger.place,
        "write call_operation: Interface.operation",
    )
