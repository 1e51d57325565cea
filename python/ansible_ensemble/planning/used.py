"""Existing machines, such as hosts of an inventory: they are used, and neither created nor deleted."""

from __future__ import annotations

from ansible_ensemble.core.actions import MAKING, REPLACING, Action, Reason
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.planning.context import PlannedInstance
from ansible_ensemble.topology.host_copies import INVENTORY_HOST

_MACHINE = "tosca.nodes.Compute"
_OPERATIONS = ("create", "configure", "delete")
#: Why another instance would be made.
_TAKING_UP = (Reason.ADD, Reason.MISSING, Reason.REPAIR, Reason.REPLACE)
#: Statuses of one that was not taken up to the end.
_HALF_WAY = (Status.PENDING.value, Status.UNKNOWN.value)


def is_used(template: NodeTemplate) -> bool:
    """Whether a node template is a machine that no operation of it makes or deletes."""
    if not template.type.is_a(_MACHINE) or "substitute" in template.directives:
        return False
    # configuring a host of the inventory only learns what it is
    made = [name for name in _OPERATIONS if name != "configure" or not template.type.is_a(INVENTORY_HOST)]
    return not any(template.operation("Standard", name) for name in made)


def say_used(member: PlannedInstance) -> None:
    """Set the reason of an existing machine to used, instead of created or deleted."""
    change = member.change
    if change is None or not is_used(member.template):
        return
    if change.action in MAKING or (change.reason is Reason.REPAIR and change.status in _HALF_WAY):
        if change.action in REPLACING:
            change.reason_text = "it is used again"
        change.action = Action.USE
        for operation in (*member.down, *member.up):
            if operation.reason in _TAKING_UP and operation.relationship is None:
                operation.reason = Reason.USE
        if change.reason is not Reason.REPLACE:
            change.reason = Reason.USE
    elif change.action is Action.FORGET:
        change.reason_text = "it was used, not created"
