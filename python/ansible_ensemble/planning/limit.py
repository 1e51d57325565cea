"""The limit of a job: a pattern of Ansible's, over instances and hosts (docs/jobs.md, "Filters")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import CONTROLLER, Host
from ansible_ensemble.planning.context import PlannedInstance, Planning


def limit_members(planning: Planning) -> None:
    """Find the members that `limit` leaves: those it names, and what they host."""
    pattern = planning.options.limit
    if not pattern or planning.within is not None:
        return
    found: set[str] = set()
    for term, hosts in _terms(planning, pattern):
        names = _with_hosted(planning, hosts)
        if term[0] == "!":
            found -= names
        elif term[0] == "&":
            found &= names
        else:
            found |= names
    if not found:
        raise InvalidInput(
            f'the limit "{pattern}" leaves no instance',
            hint="it takes names of instances, and hosts and groups of the inventory that are hosts of instances",
        )
    planning.within = frozenset(found)


def _terms(planning: Planning, pattern: str) -> list[tuple[str, Collection[str]]]:
    """The terms in order, and what they match; plain names of instances need no inventory."""
    members = planning.members
    if pattern in members:
        return [(pattern, [pattern])]
    words = re.split("[,:]", pattern)
    if all(word in members for word in words):
        return [(word, [word]) for word in words]
    return planning.detector.matches(pattern, members.values())


def _with_hosted(planning: Planning, hosts: Iterable[str]) -> set[str]:
    """The members of these names, those that nothing hosts and that run on one of them, and what all of these host."""
    found = set[str]()
    waiting = [name for name in hosts if name in planning.members]
    if any(name not in planning.members for name in hosts):  # else they are instances, whatever else has their names
        there = {Host().name if name in CONTROLLER else name for name in hosts}
        waiting += [one.name for one in planning.members.values() if _runs_on(planning, one, there)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [link.source for link in planning.members[name].dependents if link.relationship.is_hosted_on]
    return found


def _runs_on(planning: Planning, member: PlannedInstance, hosts: Collection[str]) -> bool:
    hosted = any(link.relationship.is_hosted_on for link in member.requirements)
    return not hosted and planning.detector.host_of(member) in hosts
