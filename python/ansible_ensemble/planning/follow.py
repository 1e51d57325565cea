"""Operations that read values which others of the same job may set (docs/rules.md, "Job lifecycle").

An operation that reads an attribute is planned along with those that may change it, whether or not its instance needs
theirs, and comes after them wherever requirements leave that order. It is left out if the value stays the same.
"""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from ansible_ensemble.core.actions import Action, Kind, Reason
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.deploy import check_present, to_rerun, update
from ansible_ensemble.planning.expand import in_order
from ansible_ensemble.planning.plan import ValueChange


def follow_values(planning: Planning) -> None:
    """Plan the readers of values that this plan may change, after the operations that may change them."""
    for member in planning.members.values():
        if member.up and member.change is not None and Kind.UNREAD in member.change.reason.kinds:
            detected = planning.detector.detect(member)
            member.at_risk = {name: found.at_risk for name, found in detected.items()}
            member.stale.update(name for name, found in detected.items() if found.changes)
    readers = _readers(planning)
    changing = deque(name for name in readers if name in planning.members and planning.members[name].change is not None)
    known: dict[str, set[str]] = {}
    taken_over: set[str] = set()
    while changing:
        owner = changing.popleft()
        for name, read in readers[owner].items():
            at_risk = {operation for operation, refs in read.items() if any(_may_change(planning, ref) for ref in refs)}
            if not at_risk:
                continue
            reader = planning.members[name]
            reader.follows[owner] = None
            if at_risk <= known.setdefault(name, set()):
                continue
            known[name] |= at_risk
            if name in taken_over or _is_open(reader):
                taken_over.add(name)
                _take_over(planning, reader, _at_risk(planning, reader))
            reader.stale.update(at_risk)  # what it sets may change too
            if name in readers and reader.change is not None:
                changing.append(name)
    _order(planning)


def _readers(planning: Planning) -> dict[str, dict[str, dict[str, list[str]]]]:
    """The live values that others read: by owner, by reader, by operation."""
    readers: dict[str, dict[str, dict[str, list[str]]]] = {}
    for member in planning.members.values():
        for operation, refs in member.at_risk.items():
            for ref in refs:
                if (owner := _owner(ref)) != member.name:
                    readers.setdefault(owner, {}).setdefault(member.name, {}).setdefault(operation, []).append(ref)
    return readers


def _owner(ref: str) -> str:
    """Name of the instance whose attribute or output a ref is."""
    return ref.removeprefix("output::").removeprefix("::").partition("::")[0]


def _is_open(member: PlannedInstance) -> bool:
    """Whether at most a check is planned for a member yet."""
    return member.change is None or member.change.action is Action.READ


def _take_over(planning: Planning, member: PlannedInstance, at_risk: dict[str, list[str]]) -> None:
    """Plan the operations of a reader, for which nothing else is planned, that read what may change, if any."""
    refs = list(dict.fromkeys(ref for found in at_risk.values() for ref in found))
    names = [ref.removeprefix("output::").removeprefix("::").replace("::", ".") for ref in refs]
    text = f"it reads {', '.join(names)}, which may change"
    unknown = [ValueChange("attribute", name, unknown=True) for name in names]
    before, looks = member.change, member.up
    member.up = []
    change = member.plan(Action.UPDATE, Reason.RECONFIGURE, text, unknown)
    update(planning, member, change, to_rerun(member, list(at_risk)))
    for operation in member.up:
        operation.guard = replace(operation.guard, only_if_reads_changed=True)
    if member.change is None:
        member.change, member.up = before, looks
    elif "check" in member.template.directives:
        check_present(planning, member)


def _at_risk(planning: Planning, member: PlannedInstance) -> dict[str, list[str]]:
    """For each operation, the live attributes it read that operations of this plan may set."""
    others = {name: [ref for ref in read if _owner(ref) != member.name] for name, read in member.at_risk.items()}
    found = {name: [ref for ref in refs if _may_change(planning, ref)] for name, refs in others.items()}
    return {name: refs for name, refs in found.items() if refs}


def _may_change(planning: Planning, ref: str) -> bool:
    """Whether an operation of this plan may set the attribute to another value.

    One that runs again on an instance that stays, with the inputs it had, is taken to give the same attributes; should
    it not, the next plan finds out.
    """
    name, _separator, path = ref.removeprefix("output::").removeprefix("::").partition("::")
    output_of = path.partition("::")[0] if ref.startswith("output::") else None
    owner = planning.members.get(name)
    if owner is None or owner.change is None:
        return False
    for operation in owner.up:
        wrote = planning.detector.wrote(owner.name, operation.full_name)
        if operation.operation == "stop" or (output_of is None and wrote is not None and ref not in wrote):
            continue
        if output_of not in (None, operation.full_name):
            continue
        if owner.change.action is not Action.UPDATE or wrote is None or operation.full_name in owner.stale:
            return True
    return bool(owner.down)


def _order(planning: Planning) -> None:
    """Order readers of a value after the operations that may change it.

    Where requirements lead the other way, no order serves both: the reader comes first, and takes the change over with
    the next deploy.
    """
    position = {name: number for number, name in enumerate(planning.members)}
    following = [member for member in planning.members.values() if member.follows]
    if any(position[owner] > position[member.name] for member in following for owner in member.follows):
        order = in_order(planning.members, {member.name: member.follows for member in following})
        if len(order) == len(planning.members):
            planning.members = order
            position = {name: number for number, name in enumerate(order)}
    for member in following:
        member.follows = {owner: None for owner in member.follows if position[owner] < position[member.name]}
