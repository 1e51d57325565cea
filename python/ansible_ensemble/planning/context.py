"""What the transforms of planning work on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from ansible_ensemble.configurators.teardown import leaves_of
from ansible_ensemble.configurators.written_paths import Write
from ansible_ensemble.core.actions import MAKING, Action, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import Priority, Status
from ansible_ensemble.language.entities import EntityType, NodeTemplate, Operation, Relationship, Topology
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.planning.plan import Exclusion, InstanceChange, ValueChange
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.topology.host_copies import written_name
from ansible_ensemble.topology.tools import is_tool


class Link(Struct, frozen=True, eq=False):
    """A requirement between two instances.

    Attributes:
        relationship: the relationship of the templates.
        key: `<requirement>#<index>`, with `.<n>` where one requirement leads to several instances.
        source, target: names of instances.
        former: the spec no longer asks for the target; the link is to be removed.
        peer: it is part of a circle, and neither of its ends waits for the other.
    """

    relationship: Relationship
    key: str
    source: str
    target: str
    former: bool = False
    peer: bool = False


class PlannedInstance(Struct, eq=False):
    """An instance that exists, or that the spec asks for.

    Attributes:
        in_spec: whether the spec still has (or has again) an instance of this name.
        instance: its status, None if there is none yet.
        change: what the plan does to it; None if nothing.
        stale: its recorded operations that read something that has changed.
        at_risk: live values that its recorded operations read, which others may change, by operation.
        follows: names of the instances whose operations it comes after without needing them.
        down, up: its operations that take it down and that bring it up, each a chain.
        is_tool: whether it is a tool, which is planned for those that need it alone.
    """

    name: str
    template: NodeTemplate
    in_spec: bool = True
    instance: Instance | None = None
    change: InstanceChange | None = None
    down: list[PlannedOperation] = field(default_factory=list)
    up: list[PlannedOperation] = field(default_factory=list)
    stale: set[str] = field(default_factory=set)
    at_risk: dict[str, list[str]] = field(default_factory=dict)
    follows: dict[str, None] = field(default_factory=dict)
    requirements: list[Link] = field(default_factory=list)
    dependents: list[Link] = field(default_factory=list)
    is_tool: bool = False

    def __post_init__(self) -> None:
        """Look once whether it is a tool: it is asked for often."""
        self.is_tool = is_tool(self.template)

    @property
    def is_new(self) -> bool:
        """Whether it never existed: at most it is recorded as pending."""
        one = self.instance
        return one is None or (one.status is Status.PENDING and one.created is None and not one.state)

    @property
    def priority(self) -> Priority:
        """How much the instance counts: as the template's `metadata: {priority}` says, else as its status does."""
        word = self.template.metadata.get("priority")
        if word is None:
            return self.instance.priority if self.instance is not None else Priority.REQUIRED
        try:
            return Priority(word)
        except ValueError:
            known = ", ".join(priority.value for priority in Priority)
            message = f'the priority of "{self.template.name}" is "{word}"'
            raise InvalidInput(message, self.template.place, f"it must be one of {known}") from None

    def plan(
        self, action: Action, reason: Reason, text: str = "", changes: list[ValueChange] | None = None
    ) -> InstanceChange:
        """Set what the plan does to the instance, and why."""
        self.change = InstanceChange(
            instance=self.name,
            template=self.template.name,
            type=self.template.type.name,
            action=action,
            reason=reason,
            reason_text=text,
            status=self.instance.status.value if self.instance else None,
            changes=changes or [],
            leaves=_left_by(self.template) if action in MAKING else "",
        )
        return self.change

    def find(self, name: str) -> Operation | None:
        """The implemented operation `Interface.operation`, or of a bare name: Standard, Install, then the others.

        A substituted node has none: the nodes of the topology in its place have.
        """
        if "substitute" in self.template.directives:
            return None
        interface, _separator, operation = name.rpartition(".")
        if interface:
            return self.template.operation(interface, operation)
        for candidate in ("Standard", "Install", *self.template.interfaces):
            found = self.template.operation(candidate, name)
            if found is not None:
                return found
        return None


#: The name of what commands and workflows run for that are of no instance.
WHOLE = "ensemble"


def whole_ensemble() -> PlannedInstance:
    """What stands for the ensemble itself in a plan; it is never recorded."""
    return PlannedInstance(WHOLE, NodeTemplate(WHOLE, EntityType("node", "tosca.nodes.Root")))


class Writer(Struct, frozen=True, eq=False):
    """A member, and what it writes."""

    member: PlannedInstance
    write: Write


class Chain(Struct, frozen=True, eq=False):
    """What writes a path, or sets another thing.

    Attributes:
        host: the name of the host that it is on.
        path: it, or what the thing is called.
        writers: in order; one that writes it several times is there as often.
        readers: what reads it, and comes after one of them.
    """

    host: str
    path: str
    writers: list[Writer]
    readers: list[PlannedInstance] = field(default_factory=list)

    @property
    def is_file(self) -> bool:
        """Whether it is a path."""
        return not self.writers[0].write.argument

    @property
    def verb(self) -> str:
        """What its writers do."""
        return "write" if self.is_file else "set"

    def others(self, member: PlannedInstance) -> Iterator[Writer]:
        """The writers but a member itself."""
        return (one for one in self.writers if one.member is not member)


class Detected(Struct):
    """What change detection found out about one operation that ran before.

    Attributes:
        changes: values it read that are now different.
        at_risk: refs of live attributes it read, which other operations may change.
        wrote: refs of the attributes that it set the last time.
        not_compared: descriptions of what it read and only running something could read again.
    """

    changes: list[ValueChange] = field(default_factory=list)
    at_risk: list[str] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)


class OtherFile(Struct, frozen=True):
    """What an instance made under a path that its node template no longer has.

    Attributes:
        name: of the property that was the path, dotted.
        path: where it is.
        inputs: what the delete operation is given to remove it there; none where nothing removes it.
        certain: it is just one file, and so is what takes its place.
    """

    name: str
    path: str
    inputs: Mapping[str, str]
    certain: bool = False


class ChangeDetection(Protocol):
    """What planning asks about values."""

    def detect(self, member: PlannedInstance) -> Mapping[str, Detected]:
        """What has changed since each recorded operation of the instance ran, by operation.

        The key is `Interface.operation`, with `<requirement>#<index>:` before it for a relationship's.
        """

    def properties(self, member: PlannedInstance) -> list[ValueChange]:
        """The values that a new instance will have."""

    def wrote(self, instance: str, operation: str) -> list[str] | None:
        """Refs of the attributes that the operation set last time; None if it never ran."""

    def other_file(self, member: PlannedInstance) -> OtherFile | None:
        """The file that the instance made under a former path; None if there is none."""

    def has_host(self, name: str) -> bool:
        """Whether a host of the inventory, which may be the controller, is there."""

    def missing_host(self, member: PlannedInstance) -> str | None:
        """The host of the inventory that an instance is on, if the inventory does not have it."""

    def rests_on_host(self, member: PlannedInstance, host: str) -> bool:
        """Whether what would delete an instance on a host has other values than what made it there."""

    def paths(self, members: Collection[PlannedInstance]) -> Collection[str]:
        """The paths of the files that the members make which the specification has."""

    def writes(self, member: PlannedInstance) -> Sequence[Write]:
        """What the operations of the instance write, in order; what is known only later is not among it.

        Of one that the specification does not have any more it is what its delete operation writes.
        """

    def removes(self, member: PlannedInstance) -> Collection[str]:
        """The paths that the instance's delete operation removes, whoever wrote them."""

    def ran(self, instance: str) -> str:
        """The change id of the last operation that made the instance, or changed it; empty if none did."""

    def version_changed(self, member: PlannedInstance) -> bool:
        """Whether the template's major version is another than the one deployed."""

    def unmet(self, condition: object, member: PlannedInstance) -> str | None:
        """Why an instance does not meet a condition of a workflow or trigger; None if it does."""

    def matches(self, pattern: str, members: Collection[PlannedInstance]) -> list[tuple[str, Collection[str]]]:
        """The terms of a pattern of Ansible's in the order in which they count, each with the hosts that it matches."""

    def host_of(self, member: PlannedInstance) -> str:
        """The name of the host that the operations of an instance run on that nothing hosts."""


def _left_by(template: NodeTemplate) -> str:
    """What undeploy will leave of what an instance makes."""
    configure = template.operation("Standard", "configure")
    if (known := leaves_of(template)) or configure is None or configure.implementation is None:
        return known
    if not configure.implementation.settings:
        return ""
    from ansible_ensemble.configurators.left_by_tasks import left_by_tasks  # which reads files of tasks

    return left_by_tasks(template)


class Planning(Struct):
    """The state of planning, handed from transform to transform.

    Attributes:
        members: by name, requirements before what needs them.
        within: names of those that `limit` leaves; None where there is no limit.
        not_compared: what cannot be compared with what was read -> the names of the instances that read it.
        chains: what writes each path that several write.
        followed: paths by members whose tasks write them, and that links may lead to what others write.
    """

    workflow: str
    topology: Topology
    instances: Instances
    options: PlanOptions
    detector: ChangeDetection
    members: dict[str, PlannedInstance] = field(default_factory=dict)
    within: frozenset[str] | None = None
    chains: list[Chain] = field(default_factory=list)
    followed: dict[str, list[str]] = field(default_factory=dict)
    excluded: list[Exclusion] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    not_compared: dict[str, dict[str, None]] = field(default_factory=dict)

    def exclude(self, member: PlannedInstance, reason: str, *, unknown: bool = False) -> None:
        """Leave an instance alone for a reason; `unknown` if it could not be compared with the spec."""
        self.excluded.append(Exclusion(member.name, reason, unknown))

    def selected(self) -> Iterator[PlannedInstance]:
        """The members that the job's filters let through; a tool is one of them where it is named."""
        wanted, templates = set(self.options.instances), set(self.options.templates)
        for member in self.members.values():
            if member.is_tool and member.name not in wanted and member.template.name not in templates:
                continue
            if self.within is not None and member.name not in self.within:
                continue
            if (not wanted or member.name in wanted) and (not templates or templates & set(self.written(member))):
                yield member

    def written(self, member: PlannedInstance) -> tuple[str, str]:
        """The names of an instance's node template: for its host, and as it is written."""
        return member.template.name, written_name(self.topology, member.template.name)
