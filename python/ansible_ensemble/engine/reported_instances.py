"""Other instances that an operation reports (`resultTemplate`)."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from ansible_ensemble.configurators.backups import ORIGINALS, handed_over
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor, reveal
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import Entity

#: Guards a value of an entity's attribute: marked as sensitive if it is a secret.
Guard = Callable[[Entity, str, object], object]

_COPIED = ("protected", "customized", "priority", "artifacts")


def reported_patches(
    task: JobTask, items: Iterable[Mapping[str, Any]], instances: Instances, guard: Guard
) -> list[dict[str, Any]]:
    """The patches of the instances that a task reported.

    One that is new needs a template. With a ready state it is there already, and managed by the instance whose
    operation made it; without one it is yet to be deployed. The items are as `configurators.results.take_instance` has
    checked them.
    """
    patches: list[dict[str, Any]] = []
    known: ChainMap[str, Any] = ChainMap({}, instances.by_name)
    for item in items:
        patches.append(_patch(task, item, instances, known, guard))
        known[patches[-1]["name"]] = None
    _check_hosts(task, patches, instances)
    return patches


def _check_hosts(task: JobTask, patches: Iterable[Mapping[str, Any]], instances: Instances) -> None:
    given: dict[str, str | None] = {patch["name"]: patch["host"] for patch in patches if "host" in patch}

    def host(name: str) -> str | None:
        instance = instances.get(name)
        return given.get(name, instance.host if instance else None)

    for patch in patches:
        seen, name = {patch["name"]}, host(patch["name"])
        while name is not None and name not in seen:
            seen.add(name)
            name = host(name)
        if name is not None:
            message = f'the reported instance "{patch["name"]}" has its parents in a circle'
            raise InvalidInput(message, task.operation.place)


def _patch(
    task: JobTask, item: Mapping[str, Any], instances: Instances, known: Container[str], guard: Guard
) -> dict[str, Any]:
    name = _resolved(task, item["name"])
    what = f'the reported instance "{name}"'
    instance = instances.get(name)
    templates = task.scope.evaluator.topology.node_templates
    template_name = item.get("template") or (instance.template if instance else name)
    template = templates.get(template_name)
    if template is None:
        hint = "a new instance needs the name of a node template" if "template" not in item else None
        raise InvalidInput(f'{what} has the template "{template_name}", which is not there', task.operation.place, hint)
    if ":" in name or not name.strip():
        raise InvalidInput(f"{what} needs a name without a colon", task.operation.place)
    values = item.get("attributes") or {}
    patch: dict[str, Any] = {
        "name": name,
        "attributes": {key: guard(template, key, value) for key, value in values.items()},
        "lastStateChange": task.id,
        **{key: item[key] for key in _COPIED if key in item},
    }
    if name not in known:
        patch["template"] = template_name
    if "parent" in item:
        patch["host"] = _resolved(task, item["parent"])
        if patch["host"] not in known or patch["host"] == name:
            raise InvalidInput(f'{what} has the parent "{patch["host"]}", which is not there', task.operation.place)
    ready = item.get("readyState") or {}
    for word, key in (("local", "status"), ("state", "state")):
        if ready.get(word) is not None:
            patch[key] = ready[word]
    if "status" in patch and (instance is None or _is_gone(instance)) and patch["status"] != Status.ABSENT.value:
        patch["created"] = f"::{task.instance.name}"
    return patch


def _resolved(task: JobTask, name: str) -> str:
    if name == "HOST" and task.instance.host is None:
        raise InvalidInput(f'"{task.instance.name}" has no host to report', task.operation.place)
    return {"SELF": task.instance.name, "HOST": task.instance.host or ""}.get(name, name)


def _is_gone(instance: Instance) -> bool:
    return instance.created is None and instance.status in (Status.PENDING, Status.ABSENT)


def managed_by(owner: str, instances: Instances) -> list[Instance]:
    """The instances that an instance manages, directly or not; they are gone when it is deleted.

    The delete operation of the managing instance is responsible for them (docs/rules.md, "Undeploy").
    """
    found: list[Instance] = []
    open_ones, seen = [owner], {owner}
    while open_ones:
        managed = [one for one in instances.managed_by(open_ones.pop()) if one.name not in seen]
        seen.update(instance.name for instance in managed)
        found += managed
        open_ones += [instance.name for instance in managed]
    return found


def deleted(instance: Instance) -> dict[str, Any]:
    """The fields of a patch for an instance that was deleted."""
    return {
        "status": Status.ABSENT.value,
        "state": NodeState.DELETED.value,
        "unset": [*instance.attributes, *sorted(instance.withheld)],
        "attributes": {},
        "properties": {},
        "created": None,
        "inventoryHost": None,
        "customized": False,
        "made": {},
        "relationships": dict.fromkeys(instance.relationships),
    }


def backups_handed_over(gone: Instance, instances: Instances, redactor: Redactor) -> list[dict[str, Any]]:
    """The patch of the instance that goes on to write files of which one that is forgotten kept backups.

    It is the one that came before it, or else the next one: backups of the others are of what these two left.
    """
    if not gone.made.get(ORIGINALS):
        return []
    machine, begun = gone.inventory_host or gone.host, gone.created or ""
    others = [
        one
        for one in instances.by_name.values()
        if one is not gone and one.made and one.created and (one.inventory_host or one.host) == machine
    ]
    nearest = [
        *sorted((one for one in others if str(one.created) < begun), key=lambda one: str(one.created), reverse=True),
        *sorted((one for one in others if str(one.created) >= begun), key=lambda one: str(one.created)),
    ]
    for one in nearest:
        noted = handed_over(reveal(gone.made), reveal(one.made), is_earlier=str(one.created) >= begun)
        if noted is not None:
            return [{"name": one.name, "made": redactor.marked(noted)}]
    return []
