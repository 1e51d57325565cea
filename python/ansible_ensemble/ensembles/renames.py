"""`moved` of an ensemble's spec: node templates that got another name take their instances along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.language.entities import Topology


def read_moves(spec: Mapping[str, Any], topology: Topology) -> dict[str, str]:
    """The moves of a spec, whose `moved` is a list of maps with `from` and `to`: old name -> new name of a template."""
    moves: dict[str, str] = {}
    for item in spec.get("moved") or ():
        old, new = item["from"], item["to"]
        place: Place | None = place_of(item, "from")
        if old in topology.node_templates:
            raise InvalidInput(f'"{old}" cannot have moved while it is in the spec', place, "remove the entry of moved")
        if new not in topology.node_templates:
            raise InvalidInput(f'"{old}" has moved to "{new}", which is not in the spec', place_of(item, "to"))
        if old in moves:
            raise InvalidInput(f'"{old}" has moved twice', place, "remove one of the two")
        moves[old] = new
    return moves


def move_instances(moves: Mapping[str, str], instances: Instances) -> dict[str, str]:
    """Give the instances of moved templates their new names; nothing else of them changes.

    Returns:
        The instances that this changes: old name -> new name; the same name where only what it refers to has moved.
    """
    renamed: dict[str, str] = {}
    moved = [instance for instance in instances if instance.template in moves]
    for instance in moved:
        new = _new_name(instance, moves[instance.template])
        if new != instance.name:
            if instances.get(new) is not None:
                text = f'"{instance.name}" has moved to "{new}", but there is an instance of that name already'
                raise InvalidInput(text, hint=f"`ansible-ensemble forget` one of them, or remove {new} from moved")
            renamed[instance.name] = new
    if not moved:
        return {}
    everything = list(instances)
    instances.by_name.clear()
    instances.by_template.clear()
    instances.by_manager.clear()
    changed: dict[str, str] = {}
    for instance in everything:
        name = instance.name
        if _rename(instance, moves, renamed):
            changed[name] = instance.name
        instances.add(instance)
    return changed


def _new_name(instance: Instance, template: str) -> str:
    """A scaled instance keeps its number, and one that an operation named its name."""
    stem, _separator, number = instance.name.rpartition("_")
    if instance.name == instance.template:
        return template
    return f"{template}_{number}" if stem == instance.template and number.isdigit() else instance.name


def _rename(instance: Instance, moves: Mapping[str, str], renamed: Mapping[str, str]) -> bool:
    """Put the new names into an instance; returns whether there were any."""
    before = (instance.name, instance.template, instance.host, instance.created)
    instance.name = renamed.get(instance.name, instance.name)
    instance.template = moves.get(instance.template, instance.template)
    if instance.host is not None:
        instance.host = renamed.get(instance.host, instance.host)
    if instance.created is not None and instance.created.startswith("::"):
        instance.created = f"::{renamed.get(instance.created[2:], instance.created[2:])}"
    targets = [one for one in instance.relationships.values() if one.target in renamed]
    for relationship in targets:
        relationship.target = renamed[relationship.target]
    return bool(targets) or before != (instance.name, instance.template, instance.host, instance.created)
