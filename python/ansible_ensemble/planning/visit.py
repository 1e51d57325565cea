"""Workflows that run one operation on each instance: check, discover, start, stop, run."""

from __future__ import annotations

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.instances.lifecycle import DEPLOY_OPERATIONS, EXIT_STATES, reached
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.planning.context import Planning, whole_ensemble
from ansible_ensemble.planning.planned_operation import AdHocCommand
from ansible_ensemble.planning.sequence import SETTLED, bring_up, mapped, mark_last, planned, take_down


def decide_check(planning: Planning) -> None:
    """The check operation of every instance that has one (docs/rules.md, "Checking")."""
    for member in planning.selected():
        check = member.find("check")
        if check is not None and member.in_spec:
            member.up = [planned(planning, member, check, "check", Reason.CHECK)]
            member.plan(Action.READ, Reason.CHECK)


def decide_discover(planning: Planning) -> None:
    """The discover operation of every instance that has one (docs/rules.md, "Discovery")."""
    for member in planning.selected():
        discover = member.find("discover")
        if discover is not None and member.in_spec:
            member.up = [planned(planning, member, discover, "discover", Reason.DISCOVER)]
            member.plan(Action.READ, Reason.DISCOVER)


def decide_stop(planning: Planning) -> None:
    """The stop operation of every instance that is started."""
    for member in reversed(list(planning.selected())):  # sources first: they take their links apart
        if member.instance is None or member.instance.state is not NodeState.STARTED:
            continue
        stop = member.find("Standard.stop")
        if stop is None:
            planning.exclude(member, "it has no stop operation")
            continue
        member.down = take_down(planning, member, Reason.STOP, delete=False)
        mark_last(member.down, Status.PENDING)
        member.plan(Action.RUN, Reason.STOP)


def decide_start(planning: Planning) -> None:
    """The start operation of every instance that is there and is not started; what stop took apart is connected."""
    for member in planning.selected():
        start = member.find("Standard.start")
        if start is not None and member.instance is not None and 0 < reached(member.instance.state) < 3:
            member.up = bring_up(planning, member, ("start",), Reason.START)
            member.plan(Action.RUN, Reason.START)


def decide_run(planning: Planning) -> None:
    """An operation on every instance that has it, or a command (docs/rules.md, "Ad-hoc jobs")."""
    options = planning.options
    if options.command or options.module:
        _plan_command(planning)
        return
    name = options.operation or ""
    for member in planning.selected():
        operation = member.find(name)
        if operation is not None and member.instance is not None:
            step = planned(planning, member, operation, operation.name, Reason.RUN)
            state = member.instance.state
            if operation.name in DEPLOY_OPERATIONS and reached(state) > reached(EXIT_STATES[operation.name]):
                step.exit_state = state.value if state else None  # a started node stays started if configure runs
            settled = SETTLED.get(operation.full_name)
            step.exit_status = settled.value if settled else None
            member.up = [step]
            member.plan(Action.RUN, Reason.RUN)
        elif member.instance is not None and (inside := mapped(planning, member, name, Reason.RUN)):
            member.up = inside
            member.plan(Action.RUN, Reason.RUN)
    if not any(member.up for member in planning.members.values()):
        raise InvalidInput(f'no deployed instance has an operation "{name}"', hint="name it Interface.operation")


def _plan_command(planning: Planning) -> None:
    """The command once for each selected instance, in its context; without a filter once, in that of the ensemble."""
    options = planning.options
    command = AdHocCommand(tuple(options.command), options.host, options.module)
    text = " ".join([options.module, *options.command] if options.module else options.command)
    if not options.is_limited:
        member = whole_ensemble()
        planning.members = {member.name: member}
    for member in planning.selected():
        step = planned(planning, member, None, "command", Reason.RUN)
        step.interface, step.implementation, step.command = "run", text, command
        step.key = f"{member.name}:run.command"
        member.up = [step]
        member.plan(Action.RUN, Reason.RUN)
