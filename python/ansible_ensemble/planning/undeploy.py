"""The rules of the undeploy workflow and of pruning (docs/rules.md, "Undeploy")."""

from __future__ import annotations

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.other_files import delete_where_it_was
from ansible_ensemble.planning.other_hosts import other_host
from ansible_ensemble.planning.sequence import take_down
from ansible_ensemble.topology.directives import LOST, UNCONNECTED
from ansible_ensemble.topology.host_copies import is_of_unknown_hosts


def decide_undeploy(planning: Planning) -> None:
    """Plan the deletion of every instance that no rule excludes."""
    _delete(planning, [member for member in planning.selected() if member.instance is not None], Reason.UNDEPLOY)


def decide_prune(planning: Planning) -> None:
    """Plan the deletion of instances no longer in the spec, with `--prune`; otherwise exclude them."""
    gone: list[PlannedInstance] = []
    for member in planning.selected():
        if member.in_spec or member.instance is None:
            continue
        if is_of_unknown_hosts(planning.topology, member.name):
            planning.exclude(member, "it is unknown whether its host still exists", unknown=True)
        elif planning.options.prune and (host := _missing_host(planning, member)) is not None:
            planning.exclude(member, f"its host {host} is not in the inventory ({_FORGET})")
        else:
            gone.append(member)
    if planning.options.prune:
        _delete(planning, gone, Reason.PRUNE)
        return
    for member in gone:
        if member.instance is not None and member.instance.status is not Status.ABSENT:
            planning.exclude(member, "it is no longer in the spec, and --prune is not set")


def _delete(planning: Planning, candidates: list[PlannedInstance], reason: Reason) -> None:
    chosen: dict[str, PlannedInstance] = {}
    guarded: list[PlannedInstance] = []
    for member in candidates:
        if member.instance is None or _is_gone(member):
            continue
        excluded = _excluded(planning, member) or _why_stays(planning, member)
        if excluded:
            planning.exclude(member, excluded)
            protected = member.instance.protected or "protected" in member.template.directives
            guarded += [member] if protected and _is_needed(member) else []
        else:
            chosen[member.name] = member
    if not planning.options.force:
        for name, needed_by in _needed(planning, chosen, guarded).items():
            planning.exclude(chosen.pop(name), f"{needed_by} is kept and requires it")
    for member in reversed(planning.members.values()):
        if member.name in chosen:
            member.down = take_down(planning, member, reason)
            texts = filter(None, (reason.words, "" if _can_delete(member) else _NO_DELETE))
            member.plan(Action.DELETE if _can_delete(member) else Action.FORGET, reason, ", and ".join(texts))
            other = planning.detector.other_file(member)
            if other is not None and other.inputs:
                delete_where_it_was(member, other)


def _is_gone(member: PlannedInstance) -> bool:
    instance = member.instance
    return instance is None or instance.status is Status.ABSENT or member.is_new


def _excluded(planning: Planning, member: PlannedInstance) -> str | None:
    """Why an instance is not deleted (docs/rules.md, "Undeploy"); None if it is."""
    instance = member.instance
    assert instance is not None
    directives = member.template.directives
    if instance.imported is not None or "select" in directives:
        return "it is imported from another ensemble"
    if "virtual" in directives:
        return "it is virtual"
    if UNCONNECTED in directives:
        return "the connection that its operations need is not there"
    if (instance.created or "").startswith("::"):
        return f"it is managed by {(instance.created or '')[2:]}, whose delete operation is responsible for it"
    if instance.protected:
        return "its status is protected"
    if "protected" in directives:
        return "its node template has the directive protected"
    if not instance.created and not planning.options.destroy_unmanaged and _was_never_deployed(instance):
        return "it is not deployed"
    if not instance.created and not planning.options.destroy_unmanaged:
        return "it was not created by this ensemble (--destroyunmanaged deletes it all the same)"
    return _undeletable(member)


def _why_stays(planning: Planning, member: PlannedInstance) -> str | None:
    """Why an instance cannot be deleted on the host that it is on, which its node template no longer names."""
    host = other_host(planning, member)
    kept = host.why_kept(planning, member) if host is not None else None
    return f"it is on {host.before}, and {kept} (deploy first, or name {host.before} again)" if host and kept else None


def _was_never_deployed(instance: Instance) -> bool:
    """Whether no operation ran on an instance, and no check found it."""
    return instance.state in (None, NodeState.INITIAL) and instance.status in (Status.ERROR, Status.UNKNOWN)


def _missing_host(planning: Planning, member: PlannedInstance) -> str | None:
    """The host that an operation would need to delete an instance, and that is not there."""
    return planning.detector.missing_host(member) if _can_delete(member) and not _is_gone(member) else None


def _undeletable(member: PlannedInstance) -> str | None:
    """Why nothing could delete an instance that something may have made, or None: it is not said to be destroyed."""
    if LOST in member.template.directives:
        return f"its node template is gone, and how it is deleted was not kept ({_FORGET})"
    assert member.instance is not None
    if not member.instance.created and not _can_delete(member):
        return f"it was not created by this ensemble, and {_NO_DELETE} ({_FORGET})"
    return None


def _can_delete(member: PlannedInstance) -> bool:
    """Whether something runs that deletes an instance; else it is only recorded as absent."""
    return member.find("Standard.delete") is not None


_NO_DELETE = "it has no delete operation"
_FORGET = "`ansible-ensemble forget` removes it from the status"


def _needed(planning: Planning, chosen: dict[str, PlannedInstance], guarded: list[PlannedInstance]) -> dict[str, str]:
    """Chosen instances whose removal would break a required or protected one that stays -> the name of that one.

    Works outwards from what stays, so an instance kept for another one keeps what it stands on as well.
    """
    needed: dict[str, str] = {}
    open_ones = [member for member in planning.members.values() if member.name not in chosen and _counts(member)]
    open_ones += guarded
    while open_ones:
        member = open_ones.pop()
        for link in member.requirements:
            if link.target in chosen and link.target not in needed and not link.former:
                needed[link.target] = member.name
                open_ones.append(planning.members[link.target])
    return needed


def _counts(member: PlannedInstance) -> bool:
    """Whether an instance that stays keeps what it needs: it is operational and not optional."""
    return member.instance is not None and member.instance.status.operational and _is_needed(member)


def _is_needed(member: PlannedInstance) -> bool:
    return member.priority in (Priority.REQUIRED, Priority.CRITICAL)
