"""The operations of one instance, in order: lifecycle operations with the relationships' operations among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ansible_ensemble.core.actions import MAKING, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.instances.lifecycle import DEPLOY_OPERATIONS, ENTRY_STATES, EXIT_STATES
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.language.scalars import seconds
from ansible_ensemble.planning.context import Link, PlannedInstance, Planning
from ansible_ensemble.planning.planned_operation import PlannedOperation, Retry

#: Keys of an implementation that name the pause before the first retry; both mean the same.
_PAUSES = ("delay", "backoff")


def retry_of(operation: Operation | None) -> Retry:
    """How often an operation is tried again.

    An implementation's `retries` counts the attempts after the first, `delay` (or `backoff`) is the pause before the
    second, doubled with each further one. Beside `until` they are Ansible's keywords, whose loop is the task's own.
    """
    settings = operation.implementation.settings if operation and operation.implementation else {}
    if "retries" not in settings or "until" in settings:
        return Retry()
    assert operation is not None
    retries = settings["retries"]
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise InvalidInput(
            f"the retries of {operation.full_name} are {retries!r}", operation.place, "write a whole number, 0 or more"
        )
    retry = Retry(retries)
    for name in _PAUSES:
        if name in settings:
            pause = seconds(settings[name])
            if pause is None or not 0 <= pause < float("inf"):
                raise InvalidInput(
                    f"the {name} of {operation.full_name} is not a duration", operation.place, "write seconds, or '5 s'"
                )
            retry = Retry(retries, pause)
    return retry


#: Operations of the Configure interface around a node's own configure [TOSCA 1.3, 5.8.5.3].
_AROUND_CONFIGURE = {
    "pre": ("pre_configure_source", "pre_configure_target"),
    "post": ("post_configure_source", "post_configure_target"),
}

#: Operations that connect the two sides of a link; each has its remove_*.
_ADD = ("add_target", "add_source")
#: States in which there is nothing to stop.
_NOT_STARTED = ("initial", "creating", "created", "stopped", "deleted")
#: Status of an instance after an operation that is run by itself.
SETTLED = {"Standard.start": Status.OK, "Standard.stop": Status.PENDING}


def planned(
    planning: Planning, member: PlannedInstance, operation: Operation | None, name: str, reason: Reason
) -> PlannedOperation:
    """A planned operation of an instance; `operation` is None where the step has no implementation."""
    interface = operation.interface if operation else "Standard"
    entry, leave = ENTRY_STATES.get(name), EXIT_STATES.get(name)
    standard = interface == "Standard"
    return PlannedOperation(
        key=f"{member.name}:{interface}.{name}",
        instance=member.name,
        template=member.template.name,
        interface=interface,
        operation=name,
        reason=reason,
        workflow=planning.workflow,
        implementation=implementation_text(operation),
        host=operation_host(operation),
        priority=member.priority.value,
        entry_state=entry.value if entry and standard else None,
        exit_state=leave.value if leave and standard else None,
        retry=retry_of(operation),
    )


def planned_on_link(planning: Planning, link: Link, operation: Operation, reason: Reason) -> PlannedOperation:
    """A planned operation of a relationship."""
    source = planning.members[link.source]
    on_target = operation.name.endswith("_target") and "configure" in operation.name
    return PlannedOperation(
        key=f"{link.source}:{link.key}:{operation.full_name}",
        instance=link.source,
        template=source.template.name,
        relationship=link.key,
        interface=operation.interface,
        operation=operation.name,
        reason=reason,
        workflow=planning.workflow,
        implementation=implementation_text(operation),
        host=operation_host(operation, "TARGET" if on_target else "SOURCE"),
        target=link.target,
        retry=retry_of(operation),
    )


def implementation_text(operation: Operation | None) -> str:
    """A short text of what runs; empty if nothing does."""
    if operation is None or operation.implementation is None:
        return ""
    implementation = operation.implementation
    text = implementation.primary or implementation.class_name or ""
    if implementation.artifact is not None:
        text = implementation.artifact.file
    first = text.strip().splitlines()[0] if text.strip() else ""
    return first if len(first) <= 60 and first == text.strip() else first[:57] + "..."


def operation_host(operation: Operation | None, default: str = "HOST") -> str:
    """Keyword or name of where the operation runs, as declared."""
    if operation is None or operation.implementation is None:
        return default
    return operation.implementation.operation_host or default


def bring_up(
    planning: Planning, member: PlannedInstance, names: Iterable[str], reason: Reason, *, anew: bool = False
) -> list[PlannedOperation]:
    """The chain that brings an instance up: create, (pre-)configure(-post), start, add_*, as far as implemented.

    Of the first three it has those that are named. With `anew` the instance may turn out to be gone, and is connected
    again then.
    """
    wanted = set(names)
    operations: list[PlannedOperation] = []
    noted = "create"
    for name in DEPLOY_OPERATIONS:
        if name not in wanted:
            continue
        if name == "configure":
            operations += _around(planning, member, "pre", reason)
        operation = member.find(f"Standard.{name}")
        if operation is not None:
            operations.append(planned(planning, member, operation, name, reason))
        inside = mapped(planning, member, f"Standard.{name}", reason)
        if inside:
            operations, noted = [*operations, *inside], name
        if name == "configure":
            operations += _around(planning, member, "post", reason)
    if not any(operation.relationship is None and operation.instance == member.name for operation in operations):
        # nothing is implemented: the instance is still to be recorded, once what is inside of it has been called
        at = max((n for n, one in enumerate(operations, 1) if one.instance != member.name), default=0)
        operations.insert(at, planned(planning, member, None, noted, reason))
    gone = bool(member.down) or (member.instance is not None and member.instance.status is Status.ABSENT)
    operations += _added(planning, member, reason, anew=anew or gone)
    mark_last(operations, Status.OK)
    return operations


def mapped(planning: Planning, member: PlannedInstance, called: str, reason: Reason) -> list[PlannedOperation]:
    """The operations inside of a substituted instance that carry out one of its own, one after the other."""
    made: list[PlannedOperation] = []
    for target, name in member.template.mapped.get(called, ()):
        for inner in (one for one in planning.members.values() if one.template.name == target):
            operation = inner.find(name)
            steps = [planned(planning, inner, operation, operation.name, reason)] if operation is not None else []
            for step in steps or mapped(planning, inner, name, reason):
                step.key += f"@{member.name}:{called}"
                made.append(step)
    return made


def mark_last(operations: list[PlannedOperation], status: Status) -> None:
    """Mark the last operation of the instance itself, which sets its status."""
    for operation in reversed(operations):
        if operation.relationship is None:
            operation.exit_status = status.value
            return


def _around(planning: Planning, member: PlannedInstance, phase: str, reason: Reason) -> Iterator[PlannedOperation]:
    source_side, target_side = _AROUND_CONFIGURE[phase]
    for link in member.requirements:
        if planning.members[link.target].in_spec:
            yield from _on_link(planning, link, (source_side,), reason)
    for link in member.dependents:
        if planning.members[link.source].in_spec:
            yield from _on_link(planning, link, (target_side,), reason)


def _on_link(planning: Planning, link: Link, names: Iterable[str], reason: Reason) -> Iterator[PlannedOperation]:
    """The operations of these names that a link's relationship implements."""
    for name in names:
        operation = link.relationship.operation("Configure", name)
        if operation is not None:
            yield planned_on_link(planning, link, operation, reason)


def _added(planning: Planning, member: PlannedInstance, reason: Reason, *, anew: bool) -> Iterator[PlannedOperation]:
    """add_target and add_source, once per link: both sides are up when the source is [TOSCA 1.3, 5.8.5.4]."""
    for link in member.requirements:
        if not link.former:
            yield from _on_link(planning, link, _ADD if anew else _lacking(planning, link), reason)


def added_anew(planning: Planning, link: Link, reason: Reason) -> Iterator[PlannedOperation]:
    """The add_* operations of a link whose target is made anew, be they in force or not."""
    return _on_link(planning, link, _ADD, reason)


def never_added(planning: Planning, link: Link, reason: Reason) -> Iterator[PlannedOperation]:
    """The add_* operations of a link between what is there that are not in force, and that nothing says ever ran."""
    source = planning.members[link.source].instance
    if link.former or source is None or not _is_up(planning, link.target):
        return
    for operation in _on_link(planning, link, _lacking(planning, link), reason):
        key = f"{link.key}:{operation.full_name}"
        if link.key in source.relationships or planning.detector.wrote(link.source, key) is None:
            yield operation


def _is_up(planning: Planning, name: str) -> bool:
    """Whether an instance that stays is started, or will be."""
    member = planning.members[name]
    if member.change is not None and member.change.action in MAKING:
        return False
    return bool(member.up) or (member.instance is not None and member.instance.status.operational and not member.down)


def _in_force(planning: Planning, link: Link) -> Sequence[str]:
    """The add_* operations of a link that ran and that no remove_* took back."""
    source = planning.members[link.source].instance
    done = source.relationships.get(link.key) if source is not None else None
    return done.added if done is not None and done.target == link.target else ()


def _lacking(planning: Planning, link: Link) -> list[str]:
    return [name for name in _ADD if name not in _in_force(planning, link)]


def take_down(
    planning: Planning, member: PlannedInstance, reason: Reason, *, delete: bool = True, dependents: bool = True
) -> list[PlannedOperation]:
    """The chain that takes an instance down: remove_*, stop, and delete unless it is only stopped.

    With `dependents` the links that lead to it come apart as well, as far as their sources do not see to that.
    """
    links = [*member.requirements]
    if dependents:
        links += (link for link in member.dependents if not planning.members[link.source].down)
    begun = _is_being_deleted(member)
    operations = [operation for link in links for operation in taken_apart(planning, link, reason, begun=begun)]
    stop = member.find("Standard.stop")
    state = member.instance.state.value if member.instance and member.instance.state else None
    at_work = state == "creating" and member.instance is not None and member.instance.status.operational
    if not begun and (at_work or state not in _NOT_STARTED):
        operations += [planned(planning, member, stop, "stop", reason)] if stop is not None else []
        operations += mapped(planning, member, "Standard.stop", reason)
    if delete:
        operations += mapped(planning, member, "Standard.delete", reason)
        operations.append(planned(planning, member, member.find("Standard.delete"), "delete", reason))
        mark_last(operations, Status.ABSENT)
    return operations


def _is_being_deleted(member: PlannedInstance) -> bool:
    """Whether what comes before delete has ended: delete began, and nobody found the instance at work since."""
    instance = member.instance
    return instance is not None and instance.state is NodeState.DELETING and not instance.status.operational


def taken_apart(planning: Planning, link: Link, reason: Reason, *, begun: bool = False) -> Iterator[PlannedOperation]:
    """remove_target and remove_source of a link that comes apart, each only if its add ran or there is none.

    Where a deletion has `begun`, those that have no add ran as well.
    """
    for added in _ADD:
        lone = link.relationship.operation("Configure", added) is None and not begun
        if lone or added in _in_force(planning, link):
            yield from _on_link(planning, link, (added.replace("add", "remove"),), reason)
