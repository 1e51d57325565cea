"""Node templates that stand for instances of other ensembles (directive `select`) [TOSCA 1.3, 3.4.3].

The ensembles are those that the environment names as `external`. A property or attribute of such a node is read from
the other ensemble each time, so that a change there is seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import Status
from ansible_ensemble.topology.entities import Assignment, EntityType, NodeTemplate, Topology
from ansible_ensemble.topology.filters import mismatch
from ansible_ensemble.topology.functions import is_computed

SELECT = "select"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An instance of another ensemble.

    Attributes:
        external: the name under which the environment has the ensemble.
        path: begins the paths that lead to its values: `lan::`, or nothing where the environment names it.
        template: its node template, with the values that are known as properties.
    """

    external: str
    path: str
    instance: Instance
    template: NodeTemplate


@dataclass(frozen=True, slots=True)
class _Values:
    """What filters see of a candidate: values that are evaluated already."""

    data_types: Mapping[str, EntityType]

    def static_value(self, value: Any) -> tuple[Any, bool]:
        return value, not is_computed(value)

    def data_type(self, canonical: str) -> EntityType | None:
        return self.data_types.get(canonical)


def bind_selected(
    topology: Topology, instances: Instances, externals: Mapping[str, Any], find: Callable[[str], Scope]
) -> list[str]:
    """Have each node template with the directive `select` stand for the first instance elsewhere that fits.

    Args:
        topology: its node templates get the values of what they stand for.
        instances: get an imported instance for each.
        externals: names of other ensembles, in the order in which they are searched.
        find: gives the view from an external's instance, or from its topology.

    Returns:
        Warnings of those that nothing fits.

    Raises:
        EnsembleError: another ensemble cannot be read.
    """
    wanted = [template for template in topology.node_templates.values() if SELECT in template.directives]
    candidates = [one for name in externals for one in _candidates(name, find(name))] if wanted else []
    warnings = []
    for template in wanted:
        reasons: list[str] = []
        for candidate in candidates:
            reason = _unfit(template, candidate, topology)
            if reason is None:
                _bind(template, candidate, instances)
                break
            reasons.append(f"{candidate.external}: {candidate.instance.name}: {reason}")
        else:
            why = f" ({'; '.join(reasons[:3])})" if reasons else ""
            warnings.append(f"no instance of another ensemble fits the selected '{template.name}'{why}")
    return warnings


def _candidates(external: str, scope: Scope) -> Iterator[_Candidate]:
    evaluator = scope.evaluator
    named = scope.frame.instance
    for instance in evaluator.instances:
        template = evaluator.topology.node_templates.get(instance.template)
        if template is None or (named is not None and named.name != instance.name):
            continue
        known = {}
        for name, assignment in template.properties.items():
            try:
                value = evaluator.scope(instance).property(name)
            except EnsembleError:
                continue
            known[name] = Assignment(value, assignment.definition)
        path = f"{instance.name}::" if named is None else ""
        yield _Candidate(external, path, instance, replace(template, properties=known))


def _unfit(template: NodeTemplate, candidate: _Candidate, topology: Topology) -> str | None:
    if candidate.instance.status not in (Status.OK, Status.DEGRADED):
        return f"it is {candidate.instance.status.value}"
    # the other ensemble has types of its own: the names count
    if template.type.name not in {one.name for one in candidate.template.type.lineage()}:
        return f"it is a {candidate.template.type.name}"
    return mismatch(candidate.template, template.node_filter or {}, _Values(topology.data_types))


def _bind(template: NodeTemplate, candidate: _Candidate, instances: Instances) -> None:
    for given, definitions, names in (
        (template.properties, template.type.properties, candidate.template.type.properties),
        (template.attributes, template.type.attributes, candidate.template.type.attributes),
    ):
        for name in names:
            value = {"eval": {"external": candidate.external}, SELECT: candidate.path + name}
            given[name] = Assignment(value, definitions.get(name), template.place)
    if instances.get(template.name) is None:
        made = Instance(template.name, template.name, local=candidate.instance.status, state=candidate.instance.state)
        instances.add(made)
    imported = instances.by_name[template.name]
    imported.imported = f"{candidate.external}:{candidate.instance.name}"
    imported.local, imported.state = candidate.instance.status, candidate.instance.state
