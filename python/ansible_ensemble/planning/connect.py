"""Links between instances that stay and instances that come anew or change [TOSCA 1.3, 5.8.5.4]."""

from __future__ import annotations

from ansible_ensemble.core.actions import MAKING, Action, Reason
from ansible_ensemble.planning.context import Link, PlannedInstance, Planning
from ansible_ensemble.planning.deploy import replaces
from ansible_ensemble.planning.guard import Guard
from ansible_ensemble.planning.sequence import added_anew, planned_on_link, taken_apart


def connect_sources(planning: Planning) -> None:
    """add_* on sources that stay, where their target is made anew; remove_* before it where it is replaced.

    That is so for a target that is new, as by scaling up, for one that is gone, and for one that is replaced. Where a
    check finds that the target is there after all, its links are left as they are.
    """
    for member in planning.members.values():
        makes = [operation for operation in member.up if operation.guard.only_if_absent]
        if not makes and (member.change is None or member.change.action not in MAKING):
            continue
        conditional = bool(makes) or any(operation.guard.unless_ok for operation in member.up)
        for link in member.dependents:
            source = planning.members[link.source]
            if not link.former and _stays(source):
                if replaces(planning, member.name):
                    member.down[:0] = taken_apart(planning, link, Reason.REPLACE)
                _connect(planning, source, member, link, conditional=conditional, anew=bool(makes))


def _stays(source: PlannedInstance) -> bool:
    """Whether a source exists, and is neither deleted nor created."""
    if source.instance is None or source.down:
        return False
    return source.instance.status.operational or bool(source.up)


def _connect(
    planning: Planning, source: PlannedInstance, target: PlannedInstance, link: Link, *, conditional: bool, anew: bool
) -> None:
    known = {operation.key for operation in source.up}
    operations = [one for one in added_anew(planning, link, Reason.CONNECT) if one.key not in known]
    if conditional:
        guard = Guard(only_if_made_anew=target.name) if anew else Guard(only_if_brought_up=target.name)
        for operation in operations:
            operation.guard = guard
    if not operations:
        return
    _say_connected(source, f"{target.name} is {'new' if target.is_new else 'made anew'}")
    source.up += operations


def _say_connected(source: PlannedInstance, text: str) -> None:
    """Give why links of a source change, where nothing else of it does."""
    if source.change is None:
        source.plan(Action.UPDATE, Reason.CONNECT, text)
    elif source.change.reason is Reason.CONNECT:
        source.change.reason_text += f", {text}"


def notify_sources(planning: Planning) -> None:
    """target_changed on sources that stay as they are, where their target is changed."""
    for member in planning.members.values():
        if not member.up or member.change is None or member.change.action is not Action.UPDATE:
            continue
        for link in member.dependents:
            source = planning.members[link.source]
            operation = link.relationship.operation("Configure", "target_changed")
            if operation is None or source.change is not None or source.instance is None:
                continue
            if source.instance.status.operational:
                source.plan(Action.UPDATE, Reason.RECONFIGURE, f"attributes of {member.name} may change")
                source.up = [planned_on_link(planning, link, operation, Reason.RECONFIGURE)]
                source.up[0].guard = Guard(only_if_attributes_changed=link.target)


def part_former(planning: Planning) -> None:
    """remove_* on sources that stay, and on whose requirements other targets are named now."""
    for member in planning.members.values():
        if member.instance is None or not member.instance.relationships or member.down:
            continue
        former = [link for link in member.requirements if link.former and not planning.members[link.target].down]
        operations = [one for link in former for one in taken_apart(planning, link, Reason.CONNECT)]
        if not operations:
            continue
        _say_connected(member, f"it requires {', '.join(dict.fromkeys(link.target for link in former))} no longer")
        member.up = [*operations, *member.up]
