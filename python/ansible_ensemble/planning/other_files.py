"""Files that instances made under a path that their node templates no longer have."""

from __future__ import annotations

from posixpath import normpath

from msgspec.structs import replace

from ansible_ensemble.core.actions import Action
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.context import OtherFile, PlannedInstance, Planning


def other_file(planning: Planning, member: PlannedInstance) -> OtherFile | None:
    """What an instance made under another path, as far as changes of its values count.

    What another one makes there from now on is no file to delete.
    """
    if not may_change(planning, member):
        return None
    other = planning.detector.other_file(member)
    if other is not None and normpath(other.path) in planning.detector.paths(planning.members.values()):
        return replace(other, inputs={}, certain=False)
    return other


def may_change(planning: Planning, member: PlannedInstance) -> bool:
    """Whether changes of an instance count: it is there, and not customized."""
    instance, detection = member.instance, planning.options.change_detection
    if instance is None or instance.status is Status.ABSENT or detection == "skip":
        return False
    return not instance.customized or detection == "always"


def may_go(member: PlannedInstance, other: OtherFile) -> bool:
    """Whether the former file of an instance is deleted: it is its only file, and not protected."""
    return other.certain and why_kept(member) is None


def why_kept(member: PlannedInstance) -> str | None:
    """Why a deploy does not delete what an instance has made where it was; None if it may."""
    instance = member.instance
    if instance is None or not instance.created:
        return "this ensemble did not create it"
    return "it is protected" if instance.protected or "protected" in member.template.directives else None


def delete_where_it_was(member: PlannedInstance, other: OtherFile) -> None:
    """Have the deletion of an instance remove its former file, and the plan show that path."""
    assert member.instance is not None and member.change is not None
    for operation in member.down:
        if operation.operation == "delete" and operation.relationship is None:
            operation.inputs = dict(other.inputs)
    for value in member.change.changes:
        if value.name == other.name.partition(".")[0] and not value.sensitive:
            value.before = member.instance.properties.get(value.name)


def say_what_stays(member: PlannedInstance, other: OtherFile | None) -> None:
    """Warn that the former file of an instance stays, as no deletion runs."""
    change = member.change
    if other is None or change is None or change.action is Action.READ:
        return
    if not any(operation.operation == "delete" and operation.implementation for operation in member.down):
        change.reason_text = f"{change.reason_text or change.reason.words}; what it made at {other.path} stays"
