"""From a task's result to patches: the status and state of instances (docs/rules.md, "Operational status")."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.protocol import Basis, Result
from ansible_ensemble.configurators.results import spoil
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor, Sensitive, mark_sensitive, redact
from ansible_ensemble.core.texts import storable
from ansible_ensemble.documents.writer import same
from ansible_ensemble.engine.reported_instances import backups_handed_over, deleted, managed_by, reported_patches
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.hosts import known_attribute
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.lifecycle import (
    DEPLOY_OPERATIONS,
    ENTRY_STATES,
    makes,
    only_looks,
    status_after_failure,
    was_known,
)
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.language.entities import Entity
from ansible_ensemble.planning.adopt import ADOPT
from ansible_ensemble.planning.deploy import owes
from ansible_ensemble.topology.directives import LOST, RETAINED
from ansible_ensemble.topology.scaling import hosting
from ansible_ensemble.views.conform import mark_live

#: Interface of ad-hoc commands: they say nothing of the status of the instance they run for.
COMMAND = "run"
#: In the place of the value that an attribute does not have yet.
_NEW = object()
#: Node states that do not say how far an instance came.
_UNSETTLED = (None, NodeState.CREATING, NodeState.CONFIGURING, NodeState.STARTING, NodeState.ERROR)


class Settled(Struct):
    """A settled result.

    Attributes:
        patches: by instance, in the form of `instances.patch`.
        wrote: refs of the attributes that were set.
        altered: whether one of them, of an instance or a relationship, got another value.
        drift: values of a check that differ from the recorded ones, as `{name, recorded, live}`.
    """

    patches: list[dict[str, Any]] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    altered: bool = False
    drift: list[dict[str, Any]] = field(default_factory=list)


def entry_patch(task: JobTask) -> dict[str, Any]:
    """The patch for a task that starts: its instance exists from now on, and is in the operation's entry state.

    It is empty for an ad-hoc command, which is no part of the instance's life.
    """
    if task.planned.interface == COMMAND:
        return {}
    patch: dict[str, Any] = {"name": task.instance.name, "template": task.instance.template, "host": task.instance.host}
    if task.planned.priority != Priority.REQUIRED.value or task.instance.priority is not Priority.REQUIRED:
        patch["priority"] = task.planned.priority
    if task.planned.entry_state and task.relationship is None:
        patch["state"] = task.planned.entry_state
    return patch


def touched(task: JobTask, result: Result) -> set[str]:
    """Names of the instances that a result may change attributes of, as far as they are known before it is settled."""
    mapped = {_named(task, mapping[0]) for mapping in task.operation.outputs.values() if mapping}
    return {task.instance.name, *filter(None, mapped), *(str(item["name"]) for item in result.instances)}


def settle(
    task: JobTask,
    result: Result,
    instances: Instances,
    redactor: Redactor,
    configured: Container[str] = (),
) -> Settled:
    """Compute the patches of a task that ended, on the instances before it.

    The texts of its result are cleaned, and its outputs marked where they are sensitive or hold a known secret.
    `configured` has the refs of what the instance's configuration read and wrote the last time.
    """
    _clean(result)
    _check_status(task, result)
    if result.basis is not Basis.REAL and not task.check:  # a real job records no predictions
        result.attributes, result.outputs, result.instances = {}, {}, []
    settled = Settled()
    patch: dict[str, Any] = {"name": task.instance.name}
    settled.patches.append(patch)
    _attributes(task, result, instances, redactor, settled)
    if task.relationship is None:
        _status(task, result, patch, settled.drift)
    elif result.success:
        _relationship_marks(task, patch)
    else:
        status = status_after_failure(task.instance.status, result.modified, task.instance.priority)
        patch["status"] = status.value
    _history(task, settled, patch, result, configured)
    if task.planned.operation == "delete" and result.success and task.relationship is None:
        patch.update(deleted(task.instance))
        if task.planned.reason is Reason.REPLACE:
            patch["host"] = hosting(task.template, task.instance.name)  # where it is made anew
        settled.patches += [_went_along(task, one) for one in managed_by(task.instance.name, instances)]
        if not task.planned.implementation:
            settled.patches += backups_handed_over(task.instance, instances, redactor)
        if task.planned.reason is Reason.PRUNE or RETAINED in task.template.directives:
            patch["forget"] = True  # the spec no longer has it
    if task.planned.interface == COMMAND:
        attributes = patch.get("attributes") if instances.get(task.instance.name) is not None else None
        seen = {"name": task.instance.name, "attributes": attributes, "lastStateChange": task.id}
        settled.patches[:1] = [seen] if attributes else []

    def guard(entity: Entity, name: str, value: object) -> object:
        return _guard(task, entity, [name], value, redactor)

    if task.machine is not None:
        settled.patches.append(task.machine)
    settled.patches += reported_patches(task, result.instances, instances, guard)
    settled.altered = any(_alters(patch, instances.get(patch["name"])) for patch in settled.patches)
    return settled


def _went_along(task: JobTask, instance: Instance) -> dict[str, Any]:
    """The patch of an instance whose manager was deleted; it is forgotten where the spec has no template of it."""
    template = task.scope.evaluator.topology.node_templates.get(instance.template)
    patch = {"name": instance.name, **deleted(instance)}
    is_kept = template is not None and not {RETAINED, LOST}.intersection(template.directives)
    return patch if is_kept else {**patch, "forget": True}


def _alters(patch: Mapping[str, Any], instance: Instance | None) -> bool:
    """Whether a patch gives an attribute another value."""
    if instance is None:
        return bool(patch.get("attributes"))
    pairs = [(instance.attributes, patch.get("attributes") or {})]
    for key, part in (patch.get("relationships") or {}).items():
        known = instance.relationships.get(key)
        pairs.append((known.attributes if known else {}, (part or {}).get("attributes") or {}))
    return any(name not in known or not same(known[name], new[name]) for known, new in pairs for name in new)


def _clean(result: Result) -> None:
    """Fail an operation whose result cannot be written to the ensemble's files."""
    for part in (result, result.outcome):
        for name in part.__struct_fields__ if part is not None else ():
            if name in ("outcome", "looked_up"):  # a part by itself; what was read is noted apart
                continue
            value = getattr(part, name)
            try:
                setattr(part, name, storable(value))
            except InvalidInput as error:
                setattr(part, name, type(value)())
                spoil(result, InvalidInput(f"what it returned cannot be recorded: {error.message}", hint=error.hint))


def _check_status(task: JobTask, result: Result) -> None:
    """Fail an operation that reports a bad status of its instance.

    Checks may report any status; the last operation of a deploy has to leave the instance operational.
    """
    planned, status = task.planned, result.status
    if not result.success or status is None or only_looks(planned.operation) or planned.interface == COMMAND:
        return
    is_last = planned.exit_status == Status.OK.value
    if status in (Status.DRIFTED, Status.ERROR, Status.UNKNOWN) or (is_last and not status.operational):
        result.success, result.error = False, f"it reported the status {status.value}"


def _attributes(task: JobTask, result: Result, instances: Instances, redactor: Redactor, settled: Settled) -> None:
    """Set attributes: those the tool reported, and those that outputs are mapped to."""
    patch = settled.patches[0]
    own: dict[str, Any] = {}
    others: dict[str, dict[str, Any]] = {}
    for name, value in result.attributes.items():
        own[name] = _guard(task, task.entity, [name], value, redactor)
    for name, mapping in task.operation.outputs.items():
        if name not in result.outputs or not mapping:
            continue
        keyword, *path = mapping
        values, entity, recorded = own, task.entity, (task.relationship or task.instance).attributes
        own_words = ("SELF", task.instance.name, *(("SOURCE",) if task.relationship is None else ()))
        if keyword not in own_words:
            other = _entity_name(task, keyword, instances)
            values = others.setdefault(other, {})
            templates = task.scope.evaluator.topology.node_templates
            entity = templates.get(instances.by_name[other].template, task.template)
            recorded = instances.by_name[other].attributes
        result.outputs[name] = _guard(task, entity, path, result.outputs[name], redactor)
        if not _set_path(values, recorded, [str(key) for key in path], result.outputs[name]):
            text = f'output "{name}" is mapped to a part of "{path[0]}", which is not a map'
            raise InvalidInput(text, task.operation.place)
    if task.relationship is not None:
        if own:
            key = task.relationship.key
            patch["relationships"] = {key: {"target": task.relationship.target, "attributes": own}}
    elif own:
        patch["attributes"] = own
        _compare(task, own, settled)
        settled.wrote += [f"::{task.instance.name}::{name}" for name in own]
    for name, values in others.items():
        settled.patches.append({"name": name, "attributes": values, "lastStateChange": task.id})
        settled.wrote += [f"::{name}::{attribute}" for attribute in values]


def _guard(task: JobTask, entity: Entity, path: Sequence[object], value: object, redactor: Redactor) -> object:
    """The value of an attribute, or of a part of one, with its secrets marked, and masked from now on."""
    data_types = task.scope.evaluator.topology.data_types
    made = mark_live(value, entity, data_types.get, path)
    _mask(made, redactor)
    # a value with the text of a secret in it is sensitive
    return made if same(redactor.data(made), redact(made)) else mark_sensitive(made)


def _mask(value: object, redactor: Redactor) -> None:
    if isinstance(value, Sensitive):
        redactor.add(value)
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            _mask(item, redactor)


def _entity_name(task: JobTask, keyword: str, instances: Instances) -> str:
    name = _named(task, keyword)
    if name is None or instances.get(name) is None:
        raise InvalidInput(f'an output is mapped to "{keyword}", which is not there', task.operation.place)
    return name


def _named(task: JobTask, keyword: str) -> str | None:
    """The name of the instance that a word of an output's mapping means."""
    own, target = task.instance.name, task.relationship.target if task.relationship else None
    return {"SELF": own, "SOURCE": own, "TARGET": target, "HOST": task.instance.host}.get(keyword, keyword)


def _set_path(values: dict[str, Any], recorded: Mapping[str, Any], path: list[str], value: Any) -> bool:
    """Set an attribute or a part of one, and keep its other recorded parts; False if it has no parts."""
    *outer, last = path
    if outer and outer[0] not in values and isinstance(recorded.get(outer[0]), dict):
        values[outer[0]] = deepcopy(recorded[outer[0]])
    for key in outer:
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            return False
    values[last] = value
    return True


def _compare(task: JobTask, live: dict[str, Any], settled: Settled) -> None:
    if not only_looks(task.planned.operation):
        return
    for name, value in live.items():
        recorded = task.instance.attributes.get(name)
        if name in task.instance.attributes and not same(recorded, value):
            settled.drift.append({"name": name, "recorded": recorded, "live": value})


def _status(task: JobTask, result: Result, patch: dict[str, Any], drift: list[dict[str, Any]]) -> None:
    planned, instance = task.planned, task.instance
    if _is_unseen(task, result):
        result.basis, result.error = Basis.NOT_RUN, f"check mode does not show {', '.join(result.unseen)}"
    if only_looks(planned.operation) and result.basis is Basis.NOT_RUN:
        return  # the check did not run
    if only_looks(planned.operation):
        _read_status(task, result, patch)
        known = was_known(instance) and instance.status is not Status.UNKNOWN
        if known and patch["status"] != instance.status.value:
            drift.append({"name": "status", "recorded": instance.status.value, "live": patch["status"]})
    elif not result.success:
        status = result.status
        if status is None or (
            status is Status.OK and instance.status is not Status.OK
        ):  # a failed operation never improves the status
            status = status_after_failure(instance.status, result.modified, instance.priority)
        patch["status"] = status.value
        if result.modified is not False and _becomes_ours(task):
            patch["created"] = task.id  # undeploy has to delete what it left behind
    else:
        if result.state or planned.exit_state:
            patch["state"] = result.state.value if result.state else planned.exit_state
        status_word = result.status.value if result.status else planned.exit_status
        patch["status"] = status_word or _while_coming_up(planned.operation, instance.status).value
        if _becomes_ours(task):
            patch["created"] = task.id


def _becomes_ours(task: JobTask) -> bool:
    """Whether an operation makes its instance, so that undeploy deletes it; another ensemble's stays that one's."""
    instance = task.instance
    is_free = not instance.created and instance.imported is None
    return is_free and makes(task.planned.reason, task.planned.operation, instance)


def _while_coming_up(operation: str, status: Status) -> Status:
    """Status between two operations: an absent instance is pending while it is deployed."""
    return Status.PENDING if status is Status.ABSENT and operation in DEPLOY_OPERATIONS else status


def _is_unseen(task: JobTask, result: Result) -> bool:
    """Whether a check of an instance that is not known to be ok saw only a part of it, without a difference.

    It proves nothing: what it does not show may be what has failed, or never ran.
    """
    if not only_looks(task.planned.operation) or task.instance.status is Status.OK:
        return False
    return bool(result.unseen) and result.success and (result.status or Status.OK).operational


def _read_status(task: JobTask, result: Result, patch: dict[str, Any]) -> None:
    """What a check or discover operation found (docs/rules.md, "Checking")."""
    instance = task.instance
    if not result.success:
        patch["status"] = Status.UNKNOWN.value
        return
    status = result.status or Status.OK
    was_there = was_known(instance)
    if status in (Status.DRIFTED, Status.ERROR) and not was_there and not (result.there and task.workflow == ADOPT):
        # a failed check of what was never created only means that it does not exist
        patch["status"] = (Status.PENDING if instance.status is Status.UNKNOWN else instance.status).value
        return
    patch["status"] = status.value
    if status.operational and (not was_there or instance.state in _UNSETTLED) and not _is_owed(task):
        patch["state"] = NodeState.STARTED.value
    elif status is Status.ABSENT:
        patch["state"] = NodeState.INITIAL.value
        connected = {key: one for key, one in instance.relationships.items() if one.added}
        if connected:  # an absent instance has no connections
            patch["relationships"] = {key: {"target": one.target, "added": []} for key, one in connected.items()}
    if result.state:
        patch["state"] = result.state.value


def _is_owed(task: JobTask) -> bool:
    """Whether an interrupted operation has to run again for its outputs, even if the instance is ok."""
    for name, state in ENTRY_STATES.items():
        if name in DEPLOY_OPERATIONS and task.instance.state is state:
            operation = task.template.operation("Standard", name)
            implementation = operation.implementation if operation is not None else None
            return (
                implementation is not None
                and implementation.settings.get("idempotent") is not False
                and owes(task.template, task.instance, f"Standard.{name}")
            )
    return False


def _relationship_marks(task: JobTask, patch: dict[str, Any]) -> None:
    """Keep which add_* operations are in force, so that each remove_* runs only if its add ran."""
    relationship, name = task.relationship, task.planned.operation
    assert relationship is not None
    added = list(relationship.added)
    if name in ("add_target", "add_source") and name not in added:
        added.append(name)
    elif name in ("remove_target", "remove_source"):
        added = [other for other in added if other != name.replace("remove", "add")]
    entry = patch.setdefault("relationships", {}).setdefault(relationship.key, {"target": relationship.target})
    entry["added"] = added


def _history(
    task: JobTask, settled: Settled, patch: dict[str, Any], result: Result, configured: Container[str]
) -> None:
    if only_looks(task.planned.operation):
        attributes = task.instance.attributes
        changed = any(attributes.get(name, _NEW) != value for name, value in patch.get("attributes", {}).items())
    else:
        changed = bool(settled.wrote or (result.outcome is not None and result.outcome.changed))
    if changed:
        patch["lastStateChange"] = task.id
    if not only_looks(task.planned.operation) and task.planned.reason is not Reason.RUN:
        patch["lastConfigChange"] = task.id
        if result.success or task.planned.operation != "delete":  # else what is there is as it was
            patch["properties"] = {**task.instance.properties, **task.read_properties()}
        if task.instance.customized and task.planned.operation in ("create", "configure"):
            patch["customized"] = False
    elif task.workflow == ADOPT:
        patch["properties"] = {**task.instance.properties, **task.read_properties()}  # it was compared with these
    elif task.planned.operation != "check" and _diverged(task, patch.get("attributes", {}), configured):
        patch["customized"] = True


def _diverged(task: JobTask, attributes: Mapping[str, Any], configured: Container[str]) -> bool:
    """Whether a custom operation set an attribute that configuration set or used to another value.

    See docs/rules.md, "Applying configuration changes".
    """
    scope = task.scope.evaluator.scope(task.instance)
    known = {name: value for name, value in attributes.items() if f"::{task.instance.name}::{name}" in configured}
    return any(known_attribute(scope, name) != value for name, value in known.items())
