"""Effective status: an instance's own status with those of its requirements considered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.instances.status import Priority, Status

_FINAL = (Status.UNKNOWN, Status.DRIFTED, Status.ERROR, Status.ABSENT)


def combine(own: Status, requirements: Iterable[tuple[Status, Priority]]) -> Status:
    """Effective status of an instance from its own and its requirements' effective ones.

    An own status of unknown, drifted, error or absent wins. Else a required one that is pending makes it pending, one
    that has drifted makes it drifted, one that does not work makes it an error, and an optional one that does not work,
    or any that is degraded, makes it degraded. What has priority `ignore` does not count.
    """
    if own in _FINAL:
        return own
    worst = own
    for status, priority in requirements:
        if priority is Priority.IGNORE or status is Status.OK:
            continue
        if status is Status.DEGRADED or priority is Priority.OPTIONAL:
            if worst is Status.OK:
                worst = Status.DEGRADED
        elif status is Status.DRIFTED:
            worst = Status.DRIFTED
        elif status is Status.PENDING:
            if worst in (Status.OK, Status.DEGRADED):
                worst = Status.PENDING
        else:
            return Status.ERROR
    return worst


def aggregate(instances: Instances, requirements: Mapping[str, Iterable[str]]) -> None:
    """Set the effective status of each instance, by the names of the instances that each needs.

    A name without an instance is passed over; around a cycle, own statuses count.
    """
    for name, status in effective(instances.by_name, instances, lambda name: requirements.get(name, ())).items():
        instances.by_name[name].effective = status


def effective(
    names: Iterable[str], instances: Instances, requirements: Callable[[str], Iterable[str]]
) -> dict[str, Status]:
    """The effective status of these instances, and of those that they need."""
    known: dict[str, Status] = {}
    entered: set[str] = set()
    stack = [(name, False) for name in reversed(list(names))]
    while stack:
        name, needed_are_done = stack.pop()
        instance = instances.by_name[name]
        if not needed_are_done and name in entered:
            continue
        needed = [target for target in requirements(name) if target in instances.by_name]
        if needed_are_done:
            targets = [instances.by_name[target] for target in needed]
            statuses = [(known.get(target.name, target.status), target.priority) for target in targets]
            known[name] = combine(instance.status, statuses)
            continue
        entered.add(name)
        stack.append((name, True))
        stack.extend((target, False) for target in needed if target not in entered)
    return known


def overall(instances: Instances) -> Status:
    """Status of the ensemble: the worst that counts of its instances; ok where there are none."""
    present = [i for i in instances if i.status is not Status.ABSENT]
    if not present and len(instances):
        return Status.ABSENT
    return combine(Status.OK, [(i.effective or i.status, i.priority) for i in present])
