"""The instances of node templates, and how they are connected [TOSCA 1.3, 5.5.11]."""

from __future__ import annotations

from ansible_ensemble.language.entities import NodeTemplate, Relationship


def instance_names(template: NodeTemplate) -> list[str]:
    """Names of a template's instances: its own name, then `<name>_1`, `<name>_2`, ... where it is scaled."""
    return [_name(template, number) for number in range(template.count)]


def instance_number(template: NodeTemplate, name: str) -> int | None:
    """Which instance of a template has a name, from 0; past its count, too. None if it is no name of its instances."""
    if name == template.name:
        return 0
    stem, _separator, digits = name.rpartition("_")
    if stem != template.name or not digits.isdecimal() or str(int(digits)) != digits or digits == "0":
        return None
    return int(digits)


def is_asked_for(template: NodeTemplate, name: str) -> bool:
    """Whether a name is that of one of the instances of a template."""
    number = instance_number(template, name)
    return number is not None and number < template.count


def link_targets(relationship: Relationship, source: str) -> list[str]:
    """Names of the instances that a requirement of an instance leads to.

    Scaled instances hosted on as many scaled hosts pair up; everything else links to all instances of its target.
    """
    target = relationship.target
    if relationship.target_number is not None:
        chosen = relationship.target_number.of(instance_number(relationship.source, source) or 0)
        return [_name(target, chosen)] if chosen < target.count else []
    if relationship.is_hosted_on and relationship.source.count == target.count > 1:
        number = instance_number(relationship.source, source) or 0
        return [_name(target, number if number < target.count else 0)]
    return instance_names(target)


def hosting(template: NodeTemplate, instance: str) -> str | None:
    """The name of the instance that one of a node template is hosted on; None if nothing hosts it."""
    found: str | None = None
    for relationship in template.requirements:
        if relationship.is_hosted_on:
            found = next(iter(link_targets(relationship, instance)), found)
    return found


def _name(template: NodeTemplate, number: int) -> str:
    return f"{template.name}_{number}" if number else template.name
