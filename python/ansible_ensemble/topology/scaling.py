"""The instances that node templates stand for, and how these are linked [TOSCA 1.3, 5.5.11]."""

from __future__ import annotations

from ansible_ensemble.topology.entities import NodeTemplate, Relationship


def instance_names(template: NodeTemplate) -> list[str]:
    """Names of a template's instances: its own name, then `<name>_1`, `<name>_2`, ... where it is scaled."""
    return [template.name, *(f"{template.name}_{number}" for number in range(1, template.count))]


def link_targets(relationship: Relationship, source: str) -> list[str]:
    """Names of the instances that a requirement of an instance leads to.

    Scaled instances hosted on as many scaled hosts pair up; everything else links to all instances of its target.
    """
    targets = instance_names(relationship.target)
    if relationship.is_hosted_on and relationship.source.count == len(targets) > 1:
        own = instance_names(relationship.source)
        return [targets[own.index(source)]] if source in own else targets[:1]
    return targets
