"""Patches: what an event changes in an instance. The journal holds them, and folding them gives the status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    "inventoryHost?": _TEXT,
    "retained?": dict,
    "artifacts?": dict,
    "made?": dict,
    "relationships?": {"*": ({"target": str, "attributes?": dict, "added?": [str]}, None)},
    "forget?": bool,
}


def apply_patch(instances: Instances, patch: Patch) -> Instance | None:
    """Apply a patch and return the instance, None if the patch removed it.

    A patch is a map with `name` and any of: `template` (makes the instance where it is new), `status`, `state`,
    `priority`, `attributes` (set one by one; null stays null), `unset` (names of attributes that go), `properties`
    (replaced), `created`, `protected`, `customized`, `imported`, `lastConfigChange`, `lastStateChange`, `host`,
    `inventoryHost`, `retained`, `relationships` (maps by `<requirement>#<index>` with `target`, `attributes`, `added`,
    or null), `artifacts`, `made`, `forget` (the instance is dropped).
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
        if key in _FIELDS:
            field, made = _FIELDS[key]
            setattr(instance, field, value if made is None or value is None else made(value))
        elif key in _SETTERS:
            _SETTERS[key](instance, value)
    return instance


def _set_attributes(instance: Instance, value: Mapping[str, Any]) -> None:
    instance.withheld.difference_update(value)
    instance.attributes.update(value)


def _unset(instance: Instance, names: list[str]) -> None:
    for name in names:
        instance.attributes.pop(name, None)
        instance.withheld.discard(name)


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


#: Keys that replace a field of the instance, and what is made of the value, but of null.
_FIELDS: Mapping[str, tuple[str, Callable[[Any], Any] | None]] = {
    "status": ("local", Status),
    "state": ("state", NodeState),
    "priority": ("priority", Priority),
    "properties": ("properties", dict),
    "lastConfigChange": ("last_config_change", None),
    "lastStateChange": ("last_state_change", None),
    "inventoryHost": ("inventory_host", None),
    **{key: (key, None) for key in ("protected", "customized", "imported", "host", "retained", "artifacts", "made")},
}
_SETTERS: Mapping[str, Callable[[Instance, Any], None]] = {
    "unset": _unset,
    "attributes": _set_attributes,
    "relationships": _set_relationships,
}
