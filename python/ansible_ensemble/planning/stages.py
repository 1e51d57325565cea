"""Stages: the operations that a step of an imperative workflow or an action of a trigger comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from msgspec import Struct, field

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.instances.status import NodeState
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.planning.assigned import assigned_inputs
from ansible_ensemble.planning.context import WHOLE, Link, PlannedInstance, Planning, whole_ensemble
from ansible_ensemble.planning.planned_operation import AdHocCommand, AssignedInputs, Origin, PlannedOperation
from ansible_ensemble.planning.sequence import SETTLED, implementation_text, mapped, planned, planned_on_link
from ansible_ensemble.topology.workflows import given_inputs

#: Names that TOSCA and its users give to the normative workflows -> ours.
NORMATIVE = {
    "install": "deploy",
    "uninstall": "undeploy",
    **{name: name for name in ("deploy", "undeploy", "check", "discover", "start", "stop")},
}

#: Plans a normative workflow afresh, limited to instances (none: all of them).
SubPlan = Callable[[Planning, str, list[str]], list[PlannedInstance]]


class Stage(Struct):
    """Operations that belong together.

    Attributes:
        first: those that wait for nothing within the stage.
        last: keys of those that nothing within the stage waits for.
        operations: all of them.
    """

    first: list[PlannedOperation] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    operations: list[PlannedOperation] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """Keys of all its operations."""
        return [operation.key for operation in self.operations]


def one(operation: PlannedOperation) -> Stage:
    """The stage of a single operation."""
    return Stage([operation], [operation.key], [operation])


def side_by_side(stages: Iterable[Stage]) -> Stage:
    """The stage of stages that do not wait for each other."""
    whole = Stage()
    for stage in stages:
        whole.first += stage.first
        whole.last += stage.last
        whole.operations += stage.operations
    return whole


def one_by_one(stages: Iterable[Stage]) -> Stage:
    """The stage of stages each of which waits for the one before it; empty ones do not count."""
    whole = Stage()
    for stage in stages:
        if not stage.operations:
            continue
        for operation in stage.first:
            operation.waits_for += whole.last
        whole.first = whole.first or stage.first
        whole.last = stage.last
        whole.operations += stage.operations
    return whole


class WorkflowBuilder(Struct):
    """Makes stages of activities [TOSCA 1.3, 3.6.23].

    Attributes:
        planning: the planning.
        sub_plan: plans normative workflows.
        reason: why the operations are planned; text: the same in words.
        step: name of what is being built, which tells apart the operations that run several times.
        keys: those in use.
    """

    planning: Planning
    sub_plan: SubPlan
    reason: Reason = Reason.RUN
    text: str = ""
    step: str = ""
    keys: set[str] = field(default_factory=set)

    def unique(self, operation: PlannedOperation) -> PlannedOperation:
        """Give an operation a key that no other one has."""
        if operation.key in self.keys:
            operation.key += f"@{self.step}"
        while operation.key in self.keys:
            operation.key += "+"
        self.keys.add(operation.key)
        return operation

    def members(self, target: str) -> list[PlannedInstance]:
        """The selected instances of a node template, a group or, in Unfurl's dialect, a node type."""
        topology = self.planning.topology
        group = topology.groups.get(target)
        names = {target} if group is None else {target, *group.members}
        if group is None and target not in topology.node_templates:
            names = {name for name, node in topology.node_templates.items() if node.type.is_a(target)}
        return [member for member in self.planning.selected() if member.template.name in names]

    def note(self, member: PlannedInstance, name: str) -> Stage:
        """An operation that runs nothing and only marks a point in the order."""
        operation = planned(self.planning, member, None, name, self.reason)
        operation.interface, operation.key = "Workflow", f"{member.name}:Workflow.{name}"
        operation.entry_state = operation.exit_state = None
        self.unique(operation)
        self._belongs(member, operation)
        return one(operation)

    def run(self, workflow: str, operation: Operation, origin: Origin) -> Stage:
        """The stage of a workflow that is implemented by an operation in place of steps."""
        member = self.planning.members.setdefault(WHOLE, whole_ensemble())
        step = planned(self.planning, member, None, operation.name, self.reason)
        step.interface, step.key = operation.interface, f"{member.name}:{operation.full_name}"
        step.entry_state = step.exit_state = None
        step.implementation, step.command = implementation_text(operation), AdHocCommand(workflow=workflow)
        step.assigned = AssignedInputs({name: one.value for name, one in operation.inputs.items()}, origin)
        self.unique(step)
        self._belongs(member, step)
        return one(step)

    def call(
        self,
        member: PlannedInstance,
        called: object,
        place: Place | None,
        origin: Origin,
        *,
        relationship: str | None = None,
        host: str | None = None,
        given: Mapping[str, object] | None = None,
    ) -> Stage:
        """The stage of `call_operation`: `Interface.operation`, or a map with `operation` and `inputs`.

        The operation is that of the instance, or of the relationships of a requirement; it may be given another host
        and plain values of further inputs. The origin says where the inputs are written, the place is for errors.
        """
        body = called if isinstance(called, Mapping) else {"operation": called}
        name, inputs = str(body.get("operation")), given_inputs(body.get("inputs"))
        if inputs is None:
            raise InvalidInput("the inputs of call_operation are not a map", place, "write NAME: VALUE")
        stages = []
        for operation in self._called(member, name, relationship, place):
            operation.assigned = AssignedInputs(inputs, origin) if inputs else None
            assigned_inputs(self.planning.topology, operation.assigned)  # reports a missing value now
            operation.inputs = dict(given or {})
            operation.host = host or operation.host
            self.unique(operation)
            self._belongs(member, operation)
            stages.append(one(operation))
        return side_by_side(stages)

    def _called(
        self, member: PlannedInstance, name: str, relationship: str | None, place: Place | None
    ) -> list[PlannedOperation]:
        if relationship is not None:
            made = []
            for link in (one for one in member.requirements if _is_named(one, relationship)):
                declared = link.relationship.declared(name)
                if declared is None:
                    raise InvalidInput(f'the relationship "{relationship}" of "{member.name}" has no {name}', place)
                if declared.implementation is not None:
                    made.append(planned_on_link(self.planning, link, declared, self.reason))
            return made
        declared = member.template.declared(name)
        if declared is None:
            raise InvalidInput(f'"{member.name}" has no operation {name}', place, "write Interface.operation")
        if declared.implementation is None:
            return mapped(self.planning, member, declared.full_name, self.reason)
        operation = planned(self.planning, member, declared, declared.name, self.reason)
        status = SETTLED.get(declared.full_name)
        operation.exit_status = status.value if status else None
        return [operation]

    def set_state(self, member: PlannedInstance, state: object, place: Place | None) -> Stage:
        """The stage of `set_state`."""
        try:
            word = NodeState(state).value
        except ValueError:
            known = ", ".join(one_state.value for one_state in NodeState)
            raise InvalidInput(f'there is no node state "{state}"', place, f"there are {known}") from None
        stage = self.note(member, "set_state")
        stage.first[0].exit_state = word
        return stage

    def normative(self, name: str, members: list[PlannedInstance] | None, place: Place | None) -> Stage:
        """The stage of a normative workflow, on instances (None: on all).

        What it does is decided by the status as it is now: it comes before what the rest of the workflow changes.
        """
        if name not in NORMATIVE:
            raise InvalidInput(f'there is no workflow "{name}"', place, f"there are {', '.join(NORMATIVE)}")
        if members == []:
            return Stage()
        names = [member.name for member in members or []]
        stage = Stage()
        renamed: dict[str, str] = {}
        for sub_member in self.sub_plan(self.planning, NORMATIVE[name], names):
            member = self.planning.members[sub_member.name]
            if member.change is None:
                member.change = sub_member.change
            for operation in (*sub_member.down, *sub_member.up):
                key = operation.key
                renamed[key] = self.unique(operation).key
                member.up.append(operation)
                stage.operations.append(operation)
        waited: set[str] = set()
        for operation in stage.operations:
            operation.waits_for = [renamed[key] for key in operation.waits_for]
            operation.waits_end = [renamed[key] for key in operation.waits_end]
            waited.update(operation.waits_for, operation.waits_end)
            if not operation.waits_for and not operation.waits_end:
                stage.first.append(operation)
        stage.last = [key for key in stage.keys if key not in waited]
        return stage

    def _belongs(self, member: PlannedInstance, operation: PlannedOperation) -> None:
        member.up.append(operation)
        if member.change is None:
            member.plan(Action.RUN, self.reason, self.text)


def _is_named(link: Link, name: str) -> bool:
    relationship = link.relationship
    return name in (relationship.name, relationship.template, relationship.type.name, link.key)


def limited(planning: Planning, workflow: str, names: list[str]) -> Planning:
    """A planning of another workflow on the same ensemble, limited to instances (none: as the job is)."""
    options = replace(planning.options, instances=names) if names else planning.options
    return Planning(workflow, planning.topology, planning.instances, options, planning.detector, within=planning.within)
