"""Planning is a list of transforms; this is the list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import UsageError, raise_all
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.planning.adopt import decide_adopt
from ansible_ensemble.planning.connect import connect_sources, notify_sources, part_former
from ansible_ensemble.planning.context import ChangeDetection, PlannedInstance, Planning
from ansible_ensemble.planning.deploy import decide_deploy, say_unknown
from ansible_ensemble.planning.expand import add_members, check_filters, link_members, sort_members
from ansible_ensemble.planning.follow import follow_values
from ansible_ensemble.planning.limit import limit_members
from ansible_ensemble.planning.notify import decide_notification
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.planning.order import (
    chain_operations,
    members_in_plan_order,
    order_down,
    order_up,
    order_visits,
)
from ansible_ensemble.planning.other_hosts import stay_on_hosts
from ansible_ensemble.planning.peers import part_peers
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.rewrite import check_what_is_left, keep_shared, write_again
from ansible_ensemble.planning.sequence import planned, planned_on_link
from ansible_ensemble.planning.stages import limited
from ansible_ensemble.planning.tools import need_tools
from ansible_ensemble.planning.undeploy import decide_prune, decide_undeploy
from ansible_ensemble.planning.used import say_used
from ansible_ensemble.planning.visit import decide_check, decide_discover, decide_run, decide_start, decide_stop
from ansible_ensemble.planning.workflow import decide_workflow
from ansible_ensemble.planning.writers import find_chains, leave_own_lines, refuse_without_order
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.substitution import stand_in_fault


def survey(planning: Planning) -> None:
    """Plan every implemented operation of every instance and of its relationships."""
    for member in planning.members.values():
        if not STAND_FOR_OTHERS.intersection(member.template.directives):
            _survey(planning, member)
            member.plan(Action.RUN, Reason.RUN)


def _survey(planning: Planning, member: PlannedInstance) -> None:
    for interface in member.template.interfaces.values():
        for operation in interface.operations.values():
            if operation.implementation is not None:
                member.up.append(planned(planning, member, operation, operation.name, Reason.RUN))
    for link in member.requirements:
        for interface in link.relationship.interfaces.values():
            for operation in interface.operations.values():
                if operation.implementation is not None:
                    member.up.append(planned_on_link(planning, link, operation, Reason.RUN))


def settle_all(planning: Planning) -> None:
    """Add every instance as ok, as after a deploy."""
    for member in planning.members.values():
        if planning.instances.get(member.name) is None:
            made = Instance(member.name, member.template.name, local=Status.OK, state=NodeState.STARTED)
            made.host = next((link.target for link in member.requirements if link.relationship.is_hosted_on), None)
            planning.instances.add(made)


Transform = Callable[[Planning], None]

_SETUP: tuple[Transform, ...] = (
    add_members,
    link_members,
    sort_members,
    limit_members,
    check_filters,
)

#: The transforms of each workflow, in order.
TRANSFORMS: dict[str, tuple[Transform, ...]] = {
    "deploy": (
        *_SETUP,
        decide_deploy,
        say_unknown,
        decide_prune,
        stay_on_hosts,
        follow_values,
        find_chains,
        refuse_without_order,
        keep_shared,
        write_again,
        part_former,
        connect_sources,
        notify_sources,
        part_peers,
        order_up,
        order_down,
        chain_operations,
    ),
    "undeploy": (
        *_SETUP,
        decide_undeploy,
        stay_on_hosts,
        find_chains,
        keep_shared,
        part_peers,
        order_down,
        chain_operations,
    ),
    "stop": (*_SETUP, decide_stop, stay_on_hosts, part_peers, order_down, chain_operations),
    "check": (*_SETUP, decide_check, stay_on_hosts, find_chains, check_what_is_left, order_visits, chain_operations),
    "discover": (*_SETUP, decide_discover, order_visits, chain_operations),
    "adopt": (*_SETUP, decide_adopt, order_visits, chain_operations),
    "start": (*_SETUP, decide_start, stay_on_hosts, part_peers, order_up, chain_operations),
    "run": (*_SETUP, decide_run, order_visits, chain_operations),
}


def transforms_of(topology: Topology, workflow: str) -> tuple[Transform, ...]:
    """The transforms of a workflow, in order; a topology's own workflow goes before a normative one of its name."""
    if workflow in topology.workflows:
        return (*_SETUP, partial(decide_workflow, sub_plan=plan_normative))
    if workflow == "notify":
        return (*_SETUP, partial(decide_notification, sub_plan=plan_normative))
    if workflow not in TRANSFORMS:
        known = ", ".join([*topology.workflows, *TRANSFORMS])
        raise UsageError(f'there is no workflow "{workflow}"', hint=f"there are {known}")
    return TRANSFORMS[workflow]


def plan_normative(planning: Planning, workflow: str, instances: list[str]) -> list[PlannedInstance]:
    """Plan a normative workflow as a part of another one, on instances (none: on all); return what it has to do."""
    part = limited(planning, workflow, instances)
    for transform in TRANSFORMS[workflow]:
        transform(part)
    planning.excluded += part.excluded
    planning.not_compared |= part.not_compared
    return [member for member in part.members.values() if member.change is not None]


def make_plan(
    topology: Topology,
    instances: Instances,
    workflow: str,
    options: PlanOptions,
    detector: ChangeDetection,
    *,
    ensemble: str,
    base: dict[str, str],
) -> Plan:
    """Make the plan of a workflow: one of the topology, or a key of `TRANSFORMS`.

    The ensemble's path and the base, the digests of what the plan is made from, are for its document.
    """
    planning = Planning(workflow, topology, instances, options, detector)
    for transform in transforms_of(topology, workflow):
        transform(planning)
    need_tools(planning)
    _refuse_stand_ins(planning.members.values())
    return _plan(planning, ensemble, base)


def make_survey(topology: Topology, instances: Instances, options: PlanOptions, detector: ChangeDetection) -> Plan:
    """A plan of every operation that the topology has, each by itself; its instances are there and well afterwards."""
    planning = Planning("run", topology, instances, options, detector)
    for transform in (*_SETUP, survey, settle_all):
        transform(planning)
    return _plan(planning, "", {})


def _plan(planning: Planning, ensemble: str, base: dict[str, str]) -> Plan:
    leave_own_lines(planning)
    members = members_in_plan_order(planning)
    for member in members:
        say_used(member)
    return Plan(
        workflow=planning.workflow,
        ensemble=ensemble,
        base=base,
        options=planning.options.changed(),
        instances=[member.change for member in members if member.change is not None],
        operations=[operation for member in members for operation in (*member.down, *member.up)],
        excluded=planning.excluded,
        warnings=planning.warnings,
        not_compared=_not_compared(planning),
    )


def _not_compared(planning: Planning) -> dict[str, list[str]]:
    """What is not compared, for the instances that stay as they are."""
    left = {
        what: [name for name in names if planning.members[name].change is None]
        for what, names in planning.not_compared.items()
    }
    return {what: names for what, names in left.items() if names}


def _refuse_stand_ins(members: Iterable[PlannedInstance]) -> None:
    """Refuse to create, change or delete an instance whose type has no implementation here."""
    templates = {
        member.template.name: member.template
        for member in members
        if member.change is not None and member.change.action not in (Action.READ, Action.RUN, Action.NONE)
    }
    raise_all([fault for one in templates.values() if (fault := stand_in_fault(one)) is not None])
