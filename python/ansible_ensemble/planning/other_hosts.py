"""Instances that are on a host which their node templates no longer name."""

from __future__ import annotations

from msgspec import Struct

from ansible_ensemble.core.actions import REPLACING
from ansible_ensemble.core.orders import Host
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.topology.host_copies import HOST_PROPERTY, may_name_host, named_host

_CONTROLLER = Host().name
_CONFIGURE = "Standard.configure"


class OtherHost(Struct, frozen=True):
    """Where an instance is, and where its node template says it belongs.

    Attributes:
        before, after: names of hosts: of instances, or of the inventory.
        operation_host: where what takes it down runs.
        reachable: it can run there.
    """

    before: str
    after: str
    operation_host: str
    reachable: bool

    @property
    def text(self) -> str:
        """What changed, in words."""
        return f"its host changed: {self.before} -> {self.after}"

    def why_kept(self, planning: Planning, member: PlannedInstance) -> str | None:
        """Why nothing can delete the instance where it is; None if it can be."""
        if not self.reachable:
            return f"{self.before} is not there any more"
        noted = member.instance is not None and member.instance.made  # of what it made, such as paths
        if not noted and planning.detector.rests_on_host(member, self.before):
            return f"what would delete it has the values of {self.after} now"  # such as a path
        return None


def other_host(planning: Planning, member: PlannedInstance) -> OtherHost | None:
    """The host that an instance is on, where its node template names another one; None if it does not."""
    instance = member.instance
    if instance is None or instance.status is Status.ABSENT or not member.in_spec:
        return None
    if instance.host is None and not may_name_host(member.template):
        return None
    targets = [link.target for link in member.requirements if not link.former and link.relationship.is_hosted_on]
    if instance.host is not None:
        return None if instance.host in targets else _from_instance(planning, member, instance.host, targets)
    before = instance.properties.get(HOST_PROPERTY)
    if not isinstance(before, str):
        if planning.detector.wrote(member.name, _CONFIGURE) is None:
            return None  # nobody knows
        before = _CONTROLLER
    after = _machine(planning, targets[0]) if targets else _named(planning, member)
    if before == after:
        return None
    return OtherHost(before, targets[0] if targets else after, before, planning.detector.has_host(before))


def _from_instance(planning: Planning, member: PlannedInstance, before: str, targets: list[str]) -> OtherHost | None:
    """The host of an instance that another one hosts: it moved to a third one, or to a host of the inventory."""
    after = targets[0] if targets else _named(planning, member)
    if not targets and planning.detector.host_of(member) == after:
        return None
    host = planning.instances.get(before)
    return OtherHost(before, after, "HOST", host is not None and host.status is not Status.ABSENT)


def _machine(planning: Planning, name: str) -> str:
    """The host of an instance; one that is not there yet is called as it is."""
    member = planning.members.get(name)
    return name if member is None or member.instance is None else planning.detector.host_of(member)


def _named(planning: Planning, member: PlannedInstance) -> str:
    return named_host(planning.topology, member.template) or _CONTROLLER


def stay_on_hosts(planning: Planning) -> None:
    """Have operations run on the host that an instance is on, until it is deleted there."""
    for member in planning.members.values():
        moves = member.change is not None and member.change.action in REPLACING
        operations = [*member.down, *(() if moves else member.up)]
        if operations and (host := other_host(planning, member)) is not None:
            for operation in operations:
                if operation.relationship is None:
                    operation.host = host.operation_host


def show_former_host(member: PlannedInstance, host: OtherHost) -> None:
    """Show the host that an instance is on as the former value of the property that names it."""
    assert member.change is not None
    for value in member.change.changes:
        if value.name == HOST_PROPERTY:
            value.before = host.before
