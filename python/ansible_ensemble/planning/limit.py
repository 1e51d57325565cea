"""The limit of a job: a pattern of Ansible's, over instances and hosts (docs/jobs.md, "Filters")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import CONTROLLER
from ansible_ensemble.planning.context import PlannedInstance, Planning


def limit_members(planning: Planning) -> None:
    """Find the members that `limit` leaves: what it names, with what that hosts.

    Raises:
        InvalidInput: it names what is not there, or leaves nothing.
    """
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
    """The terms in the order in which they count, and what they match; plain names of instances need no inventory."""
    members = planning.members
    if pattern in members:
        return [(pattern, [pattern])]
    words = re.split("[,:]", pattern)
    if all(word in members for word in words):
        return [(word, [word]) for word in words]
    return planning.detector.matches(pattern, members.values())


def _with_hosted(planning: Planning, hosts: Iterable[str]) -> set[str]:
    """The members of these names, those on the controller if it is among them, and what all of these host."""
    found = set[str]()
    waiting = [name for name in hosts if name in planning.members]
    if not CONTROLLER.isdisjoint(hosts):
        waiting += [member.name for member in planning.members.values() if _is_on_controller(planning, member)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [link.source for link in planning.members[name].dependents if link.relationship.is_hosted_on]
    return found


def _is_on_controller(planning: Planning, member: PlannedInstance) -> bool:
    hosted = any(link.relationship.is_hosted_on for link in member.requirements)
    return not hosted and planning.detector.is_on_controller(member)
