"""An operation in the scheduler, and what follows from its relations to others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from ansible_ensemble.execution import events
from ansible_ensemble.execution.readyqueue import Priority
from ansible_ensemble.execution.states import State
from ansible_ensemble.execution.waiting import Item, Reference, Waiting


class Node(Struct):
    """An operation and its state."""

    operation: events.ScheduledOperation
    priority: Priority
    #: the serial groups that it takes, and the host that counts it
    groups: tuple[str, ...] = ()
    host: str | None = None
    #: the node of a mesh that it is given
    place: str | None = None
    state: State = State.WAITING
    attempt: int = 0
    started: bool = False
    resumed: bool = False
    #: what it was deferred for in the course of the job
    asked: set[Item] = field(default_factory=set)
    story: list[str] = field(default_factory=list)

    @property
    def optional_instances(self) -> frozenset[str]:
        """The instance of an optional operation, as a set; empty for any other."""
        return frozenset(self.operation.instances[:1] if self.operation.optional else ())


def lost_with(node: Node, ending: events.Ending) -> frozenset[str]:
    """The optional instances that the end of an operation loses; empty if it did not fail, or fails others too."""
    if isinstance(ending, events.Blocked):
        return ending.lost
    return node.optional_instances if isinstance(ending, (events.Failed, events.TimedOut)) else frozenset()


def held_up(nodes: Mapping[str, Node], waiting: Waiting) -> Iterator[tuple[Node, str]]:
    """What sets a value that is asked for, and waits only for its readers: each with what it need not wait for.

    So it is where an instance reads an attribute of one that needs it: that goes first, its need notwithstanding.
    """
    bringing: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes.values():
        if node.state is State.WAITING and node.operation.instances:
            bringing[node.operation.instances[0]].append(node)
    for key in [key for key, node in nodes.items() if node.state is State.DEFERRED]:
        behind = waiting.behind(key) | {key}
        asked = [item.name for item in waiting.missing(key) if isinstance(item, Reference)]
        for instance in dict.fromkeys(name.partition(".")[0] for name in asked):
            for node in bringing[instance]:
                yield from ((node, item) for item in _of_others(node, waiting, nodes) if item in behind)


def _of_others(node: Node, waiting: Waiting, nodes: Mapping[str, Node]) -> list[str]:
    """The operations that one waits for and that are about other instances alone."""
    own = node.operation.instances[0]
    missing = waiting.missing(node.operation.key)
    known = [item for item in missing if isinstance(item, str) and item in nodes]
    return [item for item in known if own not in nodes[item].operation.instances]
