"""Imperative workflows of a topology [TOSCA 1.3, 3.6.26, 3.8.7, 7]: the step graph becomes operations."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import Workflow, WorkflowStep
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.guard import Branch, Guard
from ansible_ensemble.planning.planned_operation import AssignedInputs, Origin
from ansible_ensemble.planning.sequence import mark_last
from ansible_ensemble.planning.stages import NORMATIVE, Stage, SubPlan, WorkflowBuilder, one_by_one, side_by_side
from ansible_ensemble.topology.workflows import called_workflow, given_inputs

#: Why operations of a workflow that replaces a normative one are planned; those of others are just run.
_REASONS = {"deploy": Reason.ADD, "install": Reason.ADD, "undeploy": Reason.UNDEPLOY, "uninstall": Reason.UNDEPLOY}


def decide_workflow(planning: Planning, sub_plan: SubPlan) -> None:
    """Plan the operations of the imperative workflow whose name the job has."""
    workflow = planning.topology.workflows[planning.workflow]
    reason = _REASONS.get(workflow.name, Reason.RUN)
    builder = WorkflowBuilder(planning, sub_plan, reason, f"workflow {workflow.name}")
    _StepGraph(builder, workflow, (workflow.name,), Origin(workflow=workflow.name)).stage()
    for member in planning.members.values():
        if reason is Reason.ADD:
            mark_last(member.up, Status.OK)
        if member.change is not None:
            member.change.operations = [operation.key for operation in member.up]


def called_stage(  # noqa: PLR0917
    builder: WorkflowBuilder,
    activity: Mapping[str, object],
    members: list[PlannedInstance],
    place: Place | None,
    by: Origin,
    path: tuple[str, ...] = (),
) -> Stage:
    """The stage of the workflow that `delegate` or `inline` calls: the topology's own, else the normative one.

    A normative workflow is delegated to the members; inlined, it is about all. The activity's inputs are written where
    `by` says. The path has the workflows that lead here: one that replaces a normative one may delegate to it.
    """
    name, written = called_workflow(activity)
    declared = builder.planning.topology.workflows.get(name)
    if declared is not None and name not in path:
        origin = Origin(workflow=name, given=AssignedInputs(given_inputs(written) or {}, by))
        return _StepGraph(builder, declared, (*path, name), origin).stage()
    if declared is not None and name not in NORMATIVE:
        raise InvalidInput(f"workflows call each other in a cycle: {' -> '.join([*path, name])}", place)
    return builder.normative(str(name), members if "delegate" in activity else None, place)


class _Entry(Struct):
    """What leads to a step.

    Attributes:
        succeeded: keys of the operations that all have to succeed.
        failing: stages, of which a failed one leads to it as well.
    """

    succeeded: list[str] = field(default_factory=list)
    failing: list[Stage] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """Keys of all operations that come last before the step."""
        return [*self.succeeded, *(key for stage in self.failing for key in stage.last)]


class _StepGraph(Struct):
    """The building of one workflow.

    Attributes:
        path: names of the workflows on the way to it, from the job's own.
        origin: where the inputs that its activities give are written.
    """

    builder: WorkflowBuilder
    workflow: Workflow
    path: tuple[str, ...]
    origin: Origin

    def stage(self) -> Stage:
        """The stage of the whole workflow."""
        self._check_preconditions()
        operation = self.workflow.operation()
        if operation is not None:
            return self.builder.run(self.workflow.name, operation, self.origin)
        order = _in_order(self.workflow)
        stages = {step.name: self._step(step) for step in self.workflow.steps.values()}
        entered = {name for step in self.workflow.steps.values() for name in (*step.on_success, *step.on_failure)}
        ends: dict[str, _Entry] = {}
        begins: list[str] = []
        for name in order:
            entry = self._entry(name, stages, ends)
            ends[name] = _Entry(stages[name].last) if stages[name].operations else entry
            if name not in entered or not (entry.succeeded or entry.failing):
                begins.append(name)
            else:
                _connect(stages[name], entry)
        whole = side_by_side(stages.values())
        whole.first = [operation for name in begins for operation in stages[name].first]
        last = (step.name for step in self.workflow.steps.values() if not step.on_success and not step.on_failure)
        whole.last = list(dict.fromkeys(key for name in last for key in ends[name].keys))
        return whole

    def _entry(self, name: str, stages: Mapping[str, Stage], ends: Mapping[str, _Entry]) -> _Entry:
        """What leads to a step; a step without operations hands on what leads to itself."""
        steps = self.workflow.steps.values()
        entry = _Entry(failing=[stages[step.name] for step in steps if name in step.on_failure])
        for step in steps:
            if name in step.on_success:
                entry.succeeded += (key for key in ends[step.name].succeeded if key not in entry.succeeded)
                entry.failing += (stage for stage in ends[step.name].failing if stage not in entry.failing)
        return entry

    def _step(self, step: WorkflowStep) -> Stage:
        self.builder.step = step.name
        members = [member for member in self.builder.members(step.target) if not self._is_done(member)]
        gates = {}
        if step.filter or not step.activities:
            gates = {member.name: self._gate(step, member) for member in members}
        own = [activity for activity in step.activities if _is_own(activity)]
        chains = [
            one_by_one([gates.get(member.name, Stage()), *(self._activity(step, activity, member) for activity in own)])
            for member in members
        ]
        shared = [
            called_stage(self.builder, activity, members, step.place, self.origin, self.path)
            for activity in step.activities
            if not _is_own(activity)
        ]
        whole = one_by_one([side_by_side(chains), *shared])
        for operation in whole.operations if gates else ():
            gate = gates.get(operation.instance) or next(iter(gates.values()))
            if operation.key not in gate.last:
                operation.guard = replace(operation.guard, condition_of=operation.guard.condition_of or gate.last[0])
        return whole

    def _gate(self, step: WorkflowStep, member: PlannedInstance) -> Stage:
        """What decides by the step's filter whether it runs; it also stands for a step without activities."""
        gate = self.builder.note(member, step.name)
        if step.filter:
            gate.first[0].guard = Guard(condition=step.filter)
        return gate

    def _is_done(self, member: PlannedInstance) -> bool:
        """Whether an instance has the status already that a workflow in place of a normative one leads to."""
        instance, options = member.instance, self.builder.planning.options
        if self.builder.reason is Reason.RUN or options.force:
            return False
        if self.builder.reason is Reason.ADD:
            return instance is not None and instance.status.operational
        return instance is None or instance.status is Status.ABSENT

    def _activity(self, step: WorkflowStep, activity: Mapping[str, object], member: PlannedInstance) -> Stage:
        if "set_state" in activity:
            return self.builder.set_state(member, activity["set_state"], step.place)
        called, link, host = activity["call_operation"], step.relationship, step.operation_host
        return self.builder.call(member, called, step.place, self.origin, relationship=link, host=host)

    def _check_preconditions(self) -> None:
        for condition in self.workflow.preconditions:
            for member in self.builder.members(str(condition.get("target"))):
                fault = self.builder.planning.detector.unmet(condition.get("condition") or [], member)
                if fault is not None:
                    what = f'a precondition of workflow "{self.workflow.name}" is not met by "{member.name}": {fault}'
                    raise InvalidInput(what, self.workflow.place)


def _is_own(activity: Mapping[str, object]) -> bool:
    """Whether an activity is one of an instance by itself."""
    return "set_state" in activity or "call_operation" in activity


def _connect(stage: Stage, entry: _Entry) -> None:
    """Let a step wait for what leads to it.

    It runs when all that lead to it by on_success succeeded, or when one that leads to it by on_failure failed.
    """
    for operation in stage.first:
        if not entry.failing:
            operation.waits_for += entry.succeeded
            continue
        operation.waits_end += dict.fromkeys(entry.keys)
        failed = tuple(key for failing in entry.failing for key in failing.keys)
        operation.guard = replace(operation.guard, branch=Branch(tuple(entry.succeeded), failed))


def _in_order(workflow: Workflow) -> list[str]:
    """Names of the steps, each behind those that lead to it."""
    following = {step.name: [*step.on_success, *step.on_failure] for step in workflow.steps.values()}
    waiting = dict.fromkeys(following, 0)
    for names in following.values():
        for name in set(names):
            waiting[name] += 1
    ready = [name for name, count in waiting.items() if not count]
    order: list[str] = []
    while ready:
        order.append(ready.pop())
        for name in dict.fromkeys(following[order[-1]]):
            waiting[name] -= 1
            if not waiting[name]:
                ready.append(name)
    ring = [name for name, count in waiting.items() if count]
    if ring:
        raise InvalidInput(f'steps of workflow "{workflow.name}" form a cycle: {", ".join(ring)}', workflow.place)
    return order
