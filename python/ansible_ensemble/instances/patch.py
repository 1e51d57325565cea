"""Patches: what an event changes in an instance. The journal holds them, and folding them gives the status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.documents.shape import Shape
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.instances.status import NodeState, Priority, Status

Patch = Mapping[str, Any]

_TEXT = (str, None)
#: What a patch must be (`documents.shape`), where it comes from a file.
PATCH: Shape = {
    "name": str,
    "template?": str,
    "status?": (Status, None),
    "state?": (NodeState, None),
    "priority?": Priority,
    "attributes?": dict,
    "unset?": [str],
    "properties?": dict,
    "created?": _TEXT,
    "protected?": bool,
    "customized?": bool,
    "imported?": _TEXT,
    "lastConfigChange?": _TEXT,
    "lastStateChange?": _TEXT,
    "host?": _TEXT,
    "retained?": dict,
    "artifacts?": dict,
    "relationships?": {"*": ({"target": str, "attributes?": dict, "added?": [str]}, None)},
    "forget?": bool,
}


def apply_patch(instances: Instances, patch: Patch) -> Instance | None:
    """Apply a patch and return the instance, None if the patch removed it.

    A patch is a map with `name` and any of: `template` (makes the instance where it is new), `status`, `state`,
    `priority`, `attributes` (set one by one; null stays null), `unset` (names of attributes that go), `properties`
    (replaced), `created`, `protected`, `customized`, `imported`, `lastConfigChange`, `lastStateChange`, `host`,
    `retained`, `relationships` (maps by `<requirement>#<index>` with `target`, `attributes`, `added`, or null),
    `artifacts`, `forget` (the instance is dropped).
    """
    name = patch["name"]
    instance = instances.get(name)
    if patch.get("forget"):
        if instance is not None:
            instances.remove(name)
        return None
    if instance is None:
        instance = Instance(name=name, template=patch.get("template", name))
        instances.add(instance)
    if "created" in patch:
        instances.set_created(instance, patch["created"])
    for key, value in patch.items():
        setter = _SETTERS.get(key)
        if setter is not None:
            setter(instance, value)
    return instance


def _set_status(instance: Instance, value: Any) -> None:
    instance.local = Status(value) if value is not None else None


def _set_state(instance: Instance, value: Any) -> None:
    instance.state = NodeState(value) if value is not None else None


def _set_priority(instance: Instance, value: Any) -> None:
    instance.priority = Priority(value)


def _set_attributes(instance: Instance, value: Mapping[str, Any]) -> None:
    instance.withheld.difference_update(value)
    instance.attributes.update(value)


def _unset(instance: Instance, names: list[str]) -> None:
    for name in names:
        instance.attributes.pop(name, None)
        instance.withheld.discard(name)


def _set_properties(instance: Instance, value: Mapping[str, Any]) -> None:
    instance.properties = dict(value)


def _set_relationships(instance: Instance, value: Mapping[str, Any]) -> None:
    for key, change in value.items():
        if change is None:
            instance.relationships.pop(key, None)
            continue
        relationship = instance.relationships.get(key)
        if relationship is None:
            relationship = RelationshipInstance(key=key, target=change["target"])
            instance.relationships[key] = relationship
        relationship.target = change.get("target", relationship.target)
        relationship.attributes.update(change.get("attributes", {}))
        relationship.added = list(change.get("added", relationship.added))


def _plain(field: str) -> Any:
    def set_field(instance: Instance, value: Any) -> None:
        setattr(instance, field, value)

    return set_field


_SETTERS: dict[str, Any] = {
    "status": _set_status,
    "state": _set_state,
    "priority": _set_priority,
    "unset": _unset,
    "attributes": _set_attributes,
    "properties": _set_properties,
    "relationships": _set_relationships,
    "protected": _plain("protected"),
    "customized": _plain("customized"),
    "imported": _plain("imported"),
    "lastConfigChange": _plain("last_config_change"),
    "lastStateChange": _plain("last_state_change"),
    "host": _plain("host"),
    "retained": _plain("retained"),
    "artifacts": _plain("artifacts"),
}
