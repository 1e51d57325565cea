"""The rules of the deploy workflow (docs/rules.md, "Updating a deployment", "Checking")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from ansible_ensemble.core.actions import REPLACING, Action, Reason
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.lifecycle import DEPLOY_OPERATIONS, ENTRY_STATES, is_there, reached
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.planning.context import OtherFile, PlannedInstance, Planning
from ansible_ensemble.planning.guard import Guard
from ansible_ensemble.planning.other_files import (
    delete_where_it_was,
    may_change,
    may_go,
    other_file,
    say_what_stays,
    why_kept,
)
from ansible_ensemble.planning.other_hosts import OtherHost, other_host, show_former_host
from ansible_ensemble.planning.plan import Exclusion, InstanceChange, ValueChange
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.planning.sequence import bring_up, mark_last, never_added, planned, take_down

#: How many changed values a reason names that are listed below it.
_SHOWN = 5
#: Attributes that every node has, which no operation needs to set [TOSCA 1.3, 5.9.1].
_OF_ROOT = {"tosca_id", "tosca_name", "state"}


def decide_deploy(planning: Planning) -> None:
    """Decide what deploy does to each instance, and why; requirements are decided first."""
    for member in planning.selected():
        if not member.in_spec:
            continue
        excluded = _excluded(planning, member)
        if excluded:
            planning.exclude(member, excluded)
            continue
        left_alone = len(planning.excluded)
        _decide(planning, member)
        is_checked = "check" in member.template.directives or member.is_tool
        if is_checked and len(planning.excluded) == left_alone:
            check_present(planning, member)


def say_unknown(planning: Planning) -> None:
    """Name the node templates that are left alone as it is not known which hosts they are for."""
    named = {*planning.options.instances, *planning.options.templates}
    for name, hosts in planning.topology.hosts.items():
        if hosts is None and planning.within is None and (not named or name in named):
            planning.excluded.append(Exclusion(name, "its hosts are unknown", unknown=True))


def _excluded(planning: Planning, member: PlannedInstance) -> str | None:
    """Why deploy leaves the instance alone whatever its status; None if it does not."""
    instance = member.instance
    if instance is not None and instance.imported is not None:
        return "it is imported from another ensemble"
    if instance is not None and instance.created and instance.created.startswith("::"):
        return f"it is managed by {instance.created[2:]}"
    if "substitute" in member.template.directives:
        return None
    if member.is_new and planning.options.skip_new:
        return "it is new, and --skip-new is set"
    return None


def _decide(planning: Planning, member: PlannedInstance) -> None:
    instance, options = member.instance, planning.options
    other = other_file(planning, member)
    if instance is None or member.is_new:
        _create(planning, member, Reason.ADD, "new")
    elif (why := _why_replaced(planning, member, other, host := _other_host(planning, member))) is not None:
        _replace(planning, member, why, other, host)
    elif not is_there(instance):
        _create(planning, member, Reason.MISSING, _missing_text(instance))
    elif options.force:
        values, _names = _changed(planning, member)
        text = f"{Reason.FORCE.words}, {_changes_text(values)}" if values else ""
        update(planning, member, member.plan(Action.UPDATE, Reason.FORCE, text, values), DEPLOY_OPERATIONS)
    elif instance.status in (Status.PENDING, Status.UNKNOWN):
        found = instance.status is Status.PENDING and not instance.created
        _create(planning, member, Reason.REPAIR if found else Reason.MISSING, _missing_text(instance))
    elif instance.status is Status.DRIFTED:
        _repair(planning, member, "it has drifted", options.repair in ("error", "degraded"))
    elif instance.status is Status.ERROR or instance.state is NodeState.ERROR:
        _repair(planning, member, f"its status is {instance.status.value}", options.repair in ("error", "degraded"))
    elif instance.status is Status.DEGRADED:
        _repair(planning, member, "its status is degraded", options.repair == "degraded")
    elif instance.state is not None and reached(instance.state) < _expected(member):
        _repair(planning, member, f"its state is {instance.state.value}", options.repair != "none", _remaining(member))
    elif options.upgrade and planning.detector.version_changed(member):
        update(planning, member, member.plan(Action.UPDATE, Reason.UPGRADE), ("create", "configure"))
    else:
        _detect(planning, member)
        if member.change is None:
            _connect(planning, member)
    say_what_stays(member, other)


def _other_host(planning: Planning, member: PlannedInstance) -> OtherHost | None:
    """The host that an instance is on and its node template no longer names, as far as changes of it count."""
    host = other_host(planning, member)
    return host if host is not None and may_change(planning, member) else None


def _why_replaced(
    planning: Planning, member: PlannedInstance, other: OtherFile | None, host: OtherHost | None
) -> str | None:
    if member.name in planning.options.replace:
        return "asked for by --replace"
    if any(replaces(planning, link.target) for link in member.requirements if link.relationship.is_hosted_on):
        return "what it is hosted on is replaced"
    if host is not None:
        return host.text
    return f"{other.name} changed" if other is not None and may_go(member, other) else None


def _connect(planning: Planning, member: PlannedInstance) -> None:
    """Plan the add_* operations of links that have none yet: new ones, and those of killed jobs."""
    if member.instance is None or not member.instance.created:
        return
    operations = [one for link in member.requirements for one in never_added(planning, link, Reason.CONNECT)]
    if operations:
        names = ", ".join(dict.fromkeys(operation.relationship or "" for operation in operations))
        member.plan(Action.UPDATE, Reason.CONNECT, f"{names} is not connected")
        member.up = operations


def check_present(planning: Planning, member: PlannedInstance) -> None:
    """An existing instance with the directive `check`, or a tool: it is checked, and created again if it is gone."""
    check = member.find("check")
    if check is None or member.instance is None:
        return
    if member.change is not None and member.change.action is not Action.UPDATE:
        return
    if member.change is None:
        why = "another machine may have recorded it" if member.is_tool else "its template has the directive check"
        member.plan(Action.READ, Reason.CHECK, why)
    first = planned(planning, member, check, "check", Reason.CHECK)
    update = list(member.up)
    if update and update[0].key == first.key:
        return  # the check is planned already
    anew = bring_up(planning, member, DEPLOY_OPERATIONS, Reason.MISSING, anew=True)
    for operation in update:
        operation.guard = replace(operation.guard, unless_absent=True)
    for operation in anew:
        operation.guard = Guard(only_if_absent=True)
    _make_unique(update, anew)
    member.up = [first, *anew, *update]


def _missing_text(instance: Instance) -> str:
    if instance.status is Status.PENDING and instance.state is not None:
        return f"it was left {instance.state.value}"
    return f"its status is {instance.status.value}"


def replaces(planning: Planning, name: str) -> bool:
    """Whether the plan replaces an instance."""
    change = planning.members[name].change
    return change is not None and change.action in REPLACING


def _expected(member: PlannedInstance) -> int:
    """How many of create, configure, start the template's implementations lead through."""
    for count, name in ((3, "start"), (2, "configure"), (1, "create")):
        if member.find(f"Standard.{name}") is not None:
            return count
    return 0


def _create(planning: Planning, member: PlannedInstance, reason: Reason, text: str) -> None:
    """Plan the creation, behind a check or by a discover operation (docs/rules.md, "Checking", "Discovery")."""
    directives = member.template.directives
    if "select" in directives:
        planning.exclude(member, "it is selected from another ensemble")
        return
    first: list[PlannedOperation] = []
    check = member.find("check")
    unknown = member.instance is not None and member.instance.status is Status.UNKNOWN
    if check is not None and (unknown or planning.options.check_first or "check" in directives):
        first.append(planned(planning, member, check, "check", Reason.CHECK))
        text += "; it is checked first"
    discover = member.find("discover")
    if "discover" in directives and discover is not None:
        member.plan(Action.READ, Reason.DISCOVER, "it is discovered instead of created")
        member.up = [*first, planned(planning, member, discover, "discover", Reason.DISCOVER)]
        return
    names = DEPLOY_OPERATIONS if planning.options.force else _remaining(member)
    if unknown and not first and not planning.options.force and not _repeatable(member, names):
        planning.exclude(member, "its operation was interrupted and is not idempotent (--force runs it again)")
        return
    there = member.instance is not None and (member.instance.created or reason is Reason.REPAIR)
    if member.instance is not None and there and member.instance.status is not Status.ABSENT:
        reason = Reason.REPAIR  # it exists in part: go on where it was left, and count it as no new one
        member.plan(Action.UPDATE, reason, text)
    else:
        member.plan(Action.CREATE, reason, text, planning.detector.properties(member))
    member.up = bring_up(planning, member, names, reason, anew=bool(first))
    if first:
        _follow_check(planning, member, unknown and _repeatable(member, names))
        member.up = [*first, *member.up]


def _follow_check(planning: Planning, member: PlannedInstance, interrupted: bool) -> None:
    """Guard the operations after a check: all of them run if the instance is gone."""
    remaining = {operation.key for operation in member.up}
    for operation in member.up:
        if not (interrupted and _leaves_open(member, operation)):
            operation.guard = Guard(unless_ok=True)
    assert member.change is not None
    whole = bring_up(planning, member, DEPLOY_OPERATIONS, member.change.reason, anew=True)
    if {operation.key for operation in whole} > remaining:
        by_key = {operation.key: operation for operation in member.up}
        for operation in whole:
            operation.guard = Guard(only_if_absent=True)
        member.up = [by_key.get(operation.key, operation) for operation in whole]


def _leaves_open(member: PlannedInstance, operation: PlannedOperation) -> bool:
    """Whether an instance lacks results of an interrupted operation, even if a check finds it ok.

    That is what the operation was to report (outputs, and attributes that have no value yet), and links that are not
    in force. Only running it again brings that; operations are idempotent, unless they say that they are not.
    """
    instance = member.instance
    assert instance is not None
    if operation.relationship is not None:
        link = instance.relationships.get(operation.relationship)
        return operation.operation.startswith("add_") and (link is None or operation.operation not in link.added)
    return instance.state in ENTRY_STATES.values() and owes(member.template, instance, operation.full_name)


def owes(template: NodeTemplate, instance: Instance, name: str) -> bool:
    """Whether an interrupted operation was to report what the instance lacks."""
    interface, _separator, operation = name.rpartition(".")
    found = template.operation(interface, operation)
    unset = template.type.attributes.keys() - instance.attributes.keys() - instance.withheld - _OF_ROOT
    return found is not None and bool(found.outputs or unset)


def _remaining(member: PlannedInstance) -> tuple[str, ...]:
    """The operations that an instance which is not up has yet to go through, from where it was left."""
    instance = member.instance
    if instance is None or instance.status is Status.ABSENT:
        return DEPLOY_OPERATIONS
    names = DEPLOY_OPERATIONS[min(reached(instance.state), 2) :]
    return names if any(member.find(f"Standard.{name}") for name in names) else DEPLOY_OPERATIONS


def _repeatable(member: PlannedInstance, names: tuple[str, ...]) -> bool:
    """Whether the next operation may run a second time: it may unless its implementation says `idempotent: false`."""
    for name in names:
        operation = member.find(f"Standard.{name}")
        if operation is not None and operation.implementation is not None:
            return operation.implementation.settings.get("idempotent") is not False
    return True


def _replace(
    planning: Planning, member: PlannedInstance, text: str, other: OtherFile | None, host: OtherHost | None
) -> None:
    """Plan to delete an instance and to create it again; `other` is its file under another path, `host` its former."""
    kept = (why_kept(member) or host.why_kept(planning, member)) if host is not None else None
    can_delete = member.find("Standard.delete") is not None and not kept
    text += f"; what it made there stays, as {kept}" if kept else "" if can_delete else "; it has no delete operation"
    action = Action.REPLACE if can_delete else Action.RENEW
    member.plan(action, Reason.REPLACE, text, planning.detector.properties(member))
    if kept:
        member.down = [planned(planning, member, None, "delete", Reason.REPLACE)]
        mark_last(member.down, Status.ABSENT)
    else:
        member.down = take_down(planning, member, Reason.REPLACE, dependents=False)
    if host is not None:
        show_former_host(member, host)
    if other is not None and other.inputs:
        delete_where_it_was(member, other)
    member.up = bring_up(planning, member, DEPLOY_OPERATIONS, Reason.REPLACE)
    _make_unique(member.down, member.up)


def _make_unique(some: list[PlannedOperation], others: list[PlannedOperation]) -> None:
    """Give the operations that are in both lists another key in the second."""
    keys = {operation.key for operation in some}
    for operation in others:
        if operation.key in keys:
            operation.key += "+"


def _repair(
    planning: Planning, member: PlannedInstance, text: str, wanted: bool, names: tuple[str, ...] | None = None
) -> None:
    if not wanted:
        planning.exclude(member, f"{text}, and --repair is {planning.options.repair}")
        return
    state = member.instance.state if member.instance else None
    names = names or (DEPLOY_OPERATIONS if reached(state) == 0 else DEPLOY_OPERATIONS[1:])
    if not any(member.find(f"Standard.{name}") for name in names):
        names = DEPLOY_OPERATIONS
    values, changed = _changed(planning, member)
    if values:
        text += f", {_changes_text(values)}"
        again = to_rerun(member, changed)
        names = tuple(name for name in DEPLOY_OPERATIONS if name in names or name in again)
    update(planning, member, member.plan(Action.UPDATE, Reason.REPAIR, text, values), names)


def _detect(planning: Planning, member: PlannedInstance) -> None:
    """Plan operations whose inputs have changed since they ran, and note those whose inputs others may change.

    The values that operations read the last time decide; `customized` instances are left alone unless change detection
    is `always` (docs/rules.md, "Applying configuration changes").
    """
    options, instance = planning.options, member.instance
    if instance is not None and instance.customized and options.change_detection not in ("always", "skip"):
        planning.exclude(member, "it is customized")
        return
    values, changed = _changed(planning, member)
    if changed:
        change = member.plan(Action.UPDATE, Reason.RECONFIGURE, _changes_text(values), values)
        update(planning, member, change, to_rerun(member, changed))


def _changed(planning: Planning, member: PlannedInstance) -> tuple[list[ValueChange], list[str]]:
    """The values that have changed since the operations of an instance ran, and the operations that read them."""
    options, instance = planning.options, member.instance
    if options.change_detection == "skip" or instance is None:
        return [], []
    if instance.customized and options.change_detection != "always":
        return [], []
    detected = planning.detector.detect(member)
    member.at_risk = {name: found.at_risk for name, found in detected.items() if found.at_risk}
    changed = [name for name, found in detected.items() if found.changes]
    member.stale.update(changed)
    for what in dict.fromkeys(chain.from_iterable(found.not_compared for found in detected.values())):
        planning.not_compared.setdefault(what, {})[member.name] = None
    return _merge([found.changes for found in detected.values()]), changed


def _changes_text(values: Sequence[ValueChange]) -> str:
    """The changed values as a reason, the first ones by name."""
    below = [value.name for value in values if value.kind != "content"][_SHOWN:]
    more = f", and {len(below)} more" if below else ""
    return ", ".join(f"{value.name} changed" for value in values if value.name not in below) + more


def to_rerun(member: PlannedInstance, changed: list[str]) -> list[str]:
    """Operations to run again: each that read a changed value, and configure.

    Where start itself read it, the instance is stopped first, so that start takes effect.
    """
    names = {name.rpartition(":")[2] for name in changed}
    wanted = [name for name in DEPLOY_OPERATIONS if f"Standard.{name}" in names]
    if any(name.startswith("Configure.") for name in names) or member.find("Standard.configure"):
        wanted.append("configure")
    return [name for name in DEPLOY_OPERATIONS if name in wanted]


def _merge(groups: list[list[ValueChange]]) -> list[ValueChange]:
    """The changed values once each, without inputs whose change a property explains."""
    values = {(value.kind, value.name): value for group in groups for value in group}
    properties = [value for value in values.values() if value.kind != "input"]
    return properties or list(values.values())


def update(planning: Planning, member: PlannedInstance, change: InstanceChange, names: Sequence[str]) -> None:
    """Plan operations on an instance that stays; without any, the change is dropped with a reason."""
    reason = change.reason
    member.up = bring_up(planning, member, names, reason)
    if reason is Reason.RECONFIGURE and not any(operation.implementation for operation in member.up):
        planning.exclude(member, f"{change.reason_text}, but no operation applies it")
        member.change, member.up = None, []
        return
    if member.instance is not None and member.instance.state is NodeState.STARTED:
        _keep_started(planning, member, reason)


def _keep_started(planning: Planning, member: PlannedInstance, reason: Reason) -> None:
    """Restart a started instance that is reconfigured.

    Where start itself reads what has changed, the instance is stopped first. Where only configure runs, it is
    restarted after it, by `Install.restart` if there is one, else by stop and start; not if configure changed nothing.
    """
    own = [operation for operation in member.up if operation.relationship is None]
    names = [operation.operation for operation in own]
    stop, start, restart = member.find("Standard.stop"), member.find("Standard.start"), member.find("Install.restart")
    if reason is Reason.RECONFIGURE and "start" in names and stop is not None:
        member.up.insert(0, planned(planning, member, stop, "stop", reason))
    elif reason is Reason.RECONFIGURE and "configure" in names and (restart or (stop and start)):
        steps = [(restart, "restart")] if restart else [(stop, "stop"), (start, "start")]
        for operation, name in steps:
            step = planned(planning, member, operation, name, reason)
            step.guard = Guard(unless_unchanged=own[-1].key)
            member.up.append(step)
            own.append(step)
        mark_last(member.up, Status.OK)
    own[-1].exit_state = NodeState.STARTED.value
