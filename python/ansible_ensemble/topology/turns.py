"""Hosts of a group that take turns, as those of a play with `serial`: what is on one waits for what is on another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.language.entities import NodeTemplate, Relationship, Topology

_REQUIREMENT = "dependency"
_DEPENDS_ON = "tosca.relationships.DependsOn"


class Turns(Struct, frozen=True):
    """The turns of the hosts of a group.

    Attributes:
        group: the node template of the group.
        batches: the hosts of each turn.
    """

    group: str
    batches: Sequence[Sequence[str]]
    place: Place | None = None

    def batch_of(self, host: str) -> Sequence[str]:
        """The hosts that have their turn together with one."""
        return next((batch for batch in self.batches if host in batch), ())


def turns_of(group: str, hosts: Sequence[str], serial: Any, place: Place | None) -> Turns:
    """The turns that hosts take by `serial`: a number, a percentage, or a list of these, the last of which repeats.

    Raises:
        InvalidInput: it is something else.
    """
    sizes = [_size(one, len(hosts)) for one in (serial if isinstance(serial, list) else [serial])]
    if not sizes or None in sizes:
        message = f"the serial of '{group}' is {serial!r}"
        raise InvalidInput(message, place, "write how many hosts, as 2 or 30%, or a list of that")
    batches, left = list[Sequence[str]](), list(hosts)
    while left:
        size = (sizes.pop(0) if len(sizes) > 1 else sizes[0]) or len(left)
        batches.append(left[:size])
        left = left[size:]
    return Turns(group, batches, place)


def _size(written: Any, count: int) -> int | None:
    """How many of so many hosts are meant, 0 for all; None if that is no number."""
    text = str(written).strip()
    if isinstance(written, bool) or not text.removesuffix("%").lstrip("-").isdecimal():
        return None
    if text.endswith("%"):
        return max(int(int(text[:-1]) / 100 * count), 1)
    return max(int(text), 0)


def add_order(
    topology: Topology,
    turns: Mapping[str, Turns],
    needs: Mapping[str, set[str]],
    copies: Mapping[str, Mapping[str, NodeTemplate]],
) -> None:
    """Have what comes first in a turn require what comes last in the turn before.

    `needs` are the names of what node templates required before they were copied for their hosts.

    Raises:
        InvalidInput: something that does not take turns stands between what does.
    """
    for one in {one.group: one for one in turns.values()}.values():
        members = [name for name, other in turns.items() if other.group == one.group and name != one.group]
        _check_between(one, members, needs, topology)
        needed = {name for member in members for name in needs[member]}
        firsts = [name for name in members if not needs[name] & {*members}]
        lasts = [name for name in members if name not in needed]
        for before, batch in zip(one.batches, one.batches[1:], strict=False):
            for source in _on(firsts, batch, copies):
                for target in _on(lasts, before, copies):
                    _require(source, target, topology)


def needs_of(node: NodeTemplate) -> set[str]:
    """The names of the node templates that one requires without being hosted on them."""
    return {link.target.name for link in node.requirements if not link.is_hosted_on}


def _check_between(turns: Turns, members: Sequence[str], needs: Mapping[str, set[str]], topology: Topology) -> None:
    """Refuse what is not on the group, requires something on it, and is required by something on it."""
    dependents: dict[str, set[str]] = {}
    for name, targets in needs.items():
        for target in targets:
            dependents.setdefault(target, set()).add(name)
    between = (_reached(members, needs) & _reached(members, dependents)) - {*members}
    if between:
        name = min(between)
        message = f"'{name}' comes between what hosts of '{turns.group}' do in turns"
        node = topology.node_templates.get(name)
        raise InvalidInput(message, node.place if node else turns.place, f"write host: {turns.group}, or remove serial")


def _reached(start: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    found, left = set[str](), list(start)
    while left:
        for name in edges.get(left.pop(), ()):
            if name not in found:
                found.add(name)
                left.append(name)
    return found


def _on(
    names: Iterable[str], hosts: Sequence[str], copies: Mapping[str, Mapping[str, NodeTemplate]]
) -> list[NodeTemplate]:
    return [copies[name][host] for name in names for host in hosts if host in copies.get(name, {})]


def _require(source: NodeTemplate, target: NodeTemplate, topology: Topology) -> None:
    kind = topology.seen_types("relationship")[_DEPENDS_ON]
    index = max((one.index for one in source.requirements), default=-1) + 1
    made = Relationship(_REQUIREMENT, kind, place=target.place, index=index, source=source, target=target)
    made.interfaces = kind.interfaces
    source.requirements.append(made)
