"""Installation of tools that planned operations need (docs/rules.md, "Job lifecycle", step 5)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.instances.lifecycle import DEPLOY_OPERATIONS
from ansible_ensemble.language.entities import Operation, Relationship
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.guard import Guard
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.planning.sequence import bring_up, implementation_text, planned
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.installers import installers_of
from ansible_ensemble.topology.tools import tool_name, tools_of


def need_tools(planning: Planning) -> None:
    """Plan the tools that planned operations need, whatever the workflow, and let these wait for them.

    A recorded one is checked first, as the status may come from another machine.
    """
    tools = {name: member for name, member in planning.members.items() if member.is_tool}
    if not tools:
        return
    for member in list(planning.members.values()):
        if not member.is_tool or member.change is not None:
            _need(planning, member, tools)


def _need(planning: Planning, member: PlannedInstance, tools: Mapping[str, PlannedInstance]) -> None:
    """Plan the tools that the planned operations of an instance need, and those that these need in turn."""
    links = {(link.source, link.key): link.relationship for link in (*member.requirements, *member.dependents)}
    installers = [tools[one.name] for one in installers_of(member.template) if one.name in tools]
    for operation in (*member.down, *member.up):
        declared = _declared(planning, member, links, operation)
        needed = [tools[tool_name(artifact)] for artifact in tools_of(declared)] if declared is not None else []
        for tool in (*needed, *installers):
            if tool.change is None and _is_made(tool):
                _make(planning, tool)
                _need(planning, tool, tools)
            if tool.up and tool.up[-1].key not in operation.waits_for:
                operation.waits_for.append(tool.up[-1].key)


def _is_made(tool: PlannedInstance) -> bool:
    """Whether a job makes a tool where it is missing: one of another ensemble has an operation for it if it is."""
    selected = STAND_FOR_OTHERS.intersection(tool.template.directives)
    return not selected or tool.template.operation("Standard", "create") is not None


def _declared(
    planning: Planning,
    member: PlannedInstance,
    links: Mapping[tuple[str, str], Relationship],
    operation: PlannedOperation,
) -> Operation | None:
    """The operation as its template, its relationship or its workflow has it."""
    if operation.command is not None:
        workflow = planning.topology.workflows.get(operation.command.workflow or "")
        return workflow.operation() if workflow is not None else None
    if operation.relationship is None:
        return member.template.operation(operation.interface, operation.operation)
    relationship = links.get((operation.instance, operation.relationship))
    return relationship.operation(operation.interface, operation.operation) if relationship is not None else None


def _make(planning: Planning, tool: PlannedInstance) -> None:
    check, why = tool.find("check"), "operations need it"
    if STAND_FOR_OTHERS.intersection(tool.template.directives):
        why += f": {implementation_text(tool.find('create'))}"
    known = tool.instance is not None and tool.instance.status.operational
    if known and check is None:
        # without a check operation, create itself has to find out what exists
        tool.plan(Action.UPDATE, Reason.CHECK, why)
        tool.up = bring_up(planning, tool, DEPLOY_OPERATIONS, Reason.CHECK)
    elif known and check is not None:
        tool.plan(Action.READ, Reason.CHECK, why)
        tool.up = bring_up(planning, tool, DEPLOY_OPERATIONS, Reason.MISSING, anew=True)
        for operation in tool.up:
            operation.guard = Guard(only_if_absent=True)
        tool.up.insert(0, planned(planning, tool, check, "check", Reason.CHECK))
    else:
        tool.plan(Action.CREATE, Reason.ADD, why, planning.detector.properties(tool))
        tool.up = bring_up(planning, tool, DEPLOY_OPERATIONS, Reason.ADD)
    for before, after in pairwise(tool.up):
        after.waits_for.append(before.key)
    if tool.change is not None:
        tool.change.operations = [operation.key for operation in tool.up]
