"""Recording an existing instance without checking it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.records.record import write_edited
from ansible_ensemble.topology.scaling import is_asked_for, link_targets
from ansible_ensemble.views.conform import mark_live


def adopt_by_hand(ensemble: Ensemble, name: str, attributes: Mapping[str, Any], *, write: bool = True) -> Instance:
    """Record an instance of the spec with these attributes, without checking it.

    It counts as not created by the ensemble. Of an instance that is recorded already, only the attributes are set.
    With `write` false, the file stays as it is.
    """
    template = next((one for one in ensemble.topology.node_templates.values() if is_asked_for(one, name)), None)
    instance = ensemble.instances.get(name)
    if instance is not None:
        template = ensemble.topology.node_templates[instance.template]
    if template is None:
        raise InvalidInput(f'the spec has no instance "{name}"', hint="add its node template first")
    declared = template.type.attributes
    unknown = [one for one in attributes if one not in declared and one not in template.properties]
    if unknown:
        known = ", ".join(sorted({*declared, *template.properties})) or "none"
        raise InvalidInput(f'{template.type.name} has no attribute "{unknown[0]}"', hint=f"there are {known}")
    if instance is None:
        hosts = [one for one in template.requirements if one.is_hosted_on]
        targets = [target for one in hosts for target in link_targets(one, name) if ensemble.instances.get(target)]
        instance = Instance(name, template.name, host=next(iter(targets), None))
        ensemble.instances.add(instance)
    if not instance.status.operational:
        instance.local, instance.state = Status.OK, NodeState.STARTED
    for key, value in attributes.items():
        instance.attributes[key] = mark_live(value, template, ensemble.topology.data_types.get, [key])
    if write:
        write_edited(ensemble, {name})
    return instance
