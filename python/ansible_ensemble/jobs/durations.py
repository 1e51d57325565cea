"""How long operations usually take, by the history of their ensemble."""

from __future__ import annotations

from collections import defaultdict

from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.planning.plan import Plan


def usual_seconds(plan: Plan, ensemble: Ensemble) -> dict[str, float]:
    """Seconds that the operations of a plan usually take, by key; those of which nothing is known are left out.

    An operation takes as long as the last time that it succeeded; a new one as long as the same operation of other
    instances of the type.
    """
    recorded = ensemble.operations
    by_type: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for instance in ensemble.instances:
        for name, operation in recorded.of(instance.name).items():
            if operation.seconds is not None:
                by_type[_type_of(instance.template, ensemble), name].append(operation.seconds)
    from statistics import median  # here, for only jobs need it, and it is large

    found = {}
    for planned in plan.operations:
        name = planned.key.partition(":")[2].rstrip("+")
        own = recorded.of(planned.instance).get(name)
        alike = by_type.get((_type_of(planned.template, ensemble), name))
        if own is not None and own.seconds is not None:
            found[planned.key] = own.seconds
        elif alike:
            found[planned.key] = median(alike)
    return found


def _type_of(template: str, ensemble: Ensemble) -> str:
    """The type of a template; one that left the specification is of no type but its own."""
    found = ensemble.topology.node_templates.get(template)
    return found.type.name if found is not None else f"::{template}"
