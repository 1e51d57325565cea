"""A survey: every operation that a topology's instances have, as if each ran by itself."""

from __future__ import annotations

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.sequence import planned, planned_on_link
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS


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
    """Have every instance there and well, as after a deploy."""
    for member in planning.members.values():
        if planning.instances.get(member.name) is None:
            made = Instance(member.name, member.template.name, local=Status.OK, state=NodeState.STARTED)
            made.host = next((link.target for link in member.requirements if link.relationship.is_hosted_on), None)
            planning.instances.add(made)
