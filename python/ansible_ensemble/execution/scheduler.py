"""The scheduler: a pure state machine. Events come in, instructions go out; it knows no clock, file or thread."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Container

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.execution import events
from ansible_ensemble.execution.node import Node, held_up, lost_with
from ansible_ensemble.execution.priorities import longest_paths
from ansible_ensemble.execution.readyqueue import Limits, ReadyQueue
from ansible_ensemble.execution.states import ENDED, FAILURES, IDLE, MOVES, PENDING, SATISFIED, InvalidTransition, State
from ansible_ensemble.execution.waiting import Item, Reference, Waiting, needs_of

_LOG = logging.getLogger(__name__)

#: An operation that ends: how, by which event, and why in words.
_Ended = tuple[Node, State, events.Ending, str]


class Scheduler:
    """Decides what runs when.

    Feed it events by `handle` and execute the instructions it returns, in their order. It ends with `Done`. The
    longest path goes first, then the order in which operations were added; the same events give the same
    instructions. An operation that does not succeed blocks all that need it, and by default nothing else; an optional
    one blocks only what is about the same instance.

    Args:
        limits: how many operations may run at a time.
        fail_fast: start nothing new once an operation has failed.
    """

    def __init__(self, limits: Limits | None = None, *, fail_fast: bool = False) -> None:
        self._limits = limits or Limits()
        self._fail_fast = fail_fast
        self._nodes: dict[str, Node] = {}
        self._queue = ReadyQueue(self._limits)
        self._waiting = Waiting()
        self._provided: set[Reference] = set()
        self._counts: Counter[State] = Counter()
        self._blocked: dict[str, tuple[str, ...]] = {}
        #: of each operation whose failure is none for others, the optional instances that it is about
        self._lost: dict[str, frozenset[str]] = {}
        self._stuck: dict[str, tuple[str, ...]] = {}
        self._stopped: str | None = None
        self._killed = False
        self._done = False
        self._out: list[events.Instruction] = []

    # -- what the outside uses ----------------------------------------------------------------------------------

    def handle(self, *happened: events.Event) -> list[events.Instruction]:
        """Take in what happened; return what to do, in this order.

        Events that belong together (an operation that succeeded and the operations of the instances it made) go into
        one call.

        Raises:
            InvalidTransition: an operation's state does not allow the event, or the job has ended.
        """
        self._out = []
        for event in happened:
            match event:
                case events.OperationsAdded(operations):
                    self._add(operations)
                case events.Provided(references):
                    self._provide(references)
                case events.NodesKnown(pattern, nodes):
                    self._queue.know(pattern, nodes)
                case events.NodeLeft(name):
                    self._queue.leave(name)
                case events.StopRequested(reason):
                    self._stop(reason)
                case events.KillRequested(reason):
                    self._kill(reason)
                case _:
                    self._apply(event)
        self._settle()
        return self._out

    def state(self, key: str) -> State:
        """The operation's state.

        Raises:
            KeyError: there is no such operation.
        """
        return self._nodes[key].state

    def waits(self, key: str) -> tuple[str, ...]:
        """What an operation still waits for: keys and references, in order, or a slot where none is free."""
        node = self._nodes[key]
        full = self._queue.full(node.host, node.groups, node.operation.nodes) if node.state is State.READY else None
        if full is not None:
            return (f"a slot {'in' if full[0] == 'group' else 'on'} {full[1]}",)
        return tuple(str(item) for item in self._waiting.missing(key))

    def nodes(self, pattern: str) -> tuple[str, ...]:
        """The nodes that a pattern means, as they were told last."""
        return self._queue.places.nodes(pattern)

    def place(self, key: str) -> str | None:
        """The node of a mesh that an operation which runs is given."""
        return self._nodes[key].place

    def take(self, pattern: str) -> str | None:
        """A node for a part of an operation, as for an operation, until `NodeLeft`; None if all are full."""
        return self._queue.places.take(pattern)

    # -- events about one operation -----------------------------------------------------------------------------

    def _apply(self, event: events.OperationEvent) -> None:  # noqa: C901, PLR0912 - a case each
        node = self._nodes.get(event.key)
        if node is None:
            raise InvalidTransition(event.key, f"{type(event).__name__} for an operation that is not known", ())
        if node.state not in _ALLOWED[type(event)]:
            raise InvalidTransition(
                event.key, f"{type(event).__name__} while it is {node.state.value}", tuple(node.story)
            )
        match event:
            case events.Placed():
                self._on_placed(node, event)
            case events.Misplaced():
                self._on_misplaced(node)
            case events.Started():
                node.started = True
            case events.Succeeded():
                self._end((node, State.SUCCEEDED, event, ""))
            case events.Skipped(reason=reason):
                self._end((node, State.SKIPPED, event, reason))
            case events.Cancelled(reason=reason):
                self._end((node, State.CANCELLED, event, reason))
            case events.Interrupted(error=error):
                self._end((node, State.INTERRUPTED, event, error))
            case events.Failed() | events.TimedOut():
                self._on_failed(node, event)
            case events.RetryDue():
                if node.state is State.RETRYING:  # else the job was stopped while the timer ran
                    self._ready(node)
            case events.Deferred():
                self._on_deferred(node, event)

    def _on_placed(self, node: Node, event: events.Placed) -> None:
        limited = self._queue.limited
        full = self._queue.exchange(limited(node.host, node.groups), limited(event.host, event.groups))
        if full is None:
            node.host, node.groups = event.host, event.groups
        else:
            self._put_back(node, f"no slot in {' '.join(full)}", event.host, event.groups)

    def _on_misplaced(self, node: Node) -> None:
        pattern = node.operation.nodes
        if pattern is None:
            raise InvalidTransition(node.operation.key, "it runs on no node", tuple(node.story))
        if node.place is not None:
            self._queue.leave(node.place)
        node.place = self._queue.places.take(pattern)
        if node.place is None:
            self._put_back(node, f"no node {pattern} has a place", node.host, node.groups)

    def _put_back(self, node: Node, cause: str, host: str | None, groups: tuple[str, ...]) -> None:
        """Have an operation that was not begun wait for slots."""
        if self._stopped and (self._killed or not node.started):
            self._end(self._abandonment(node))
            return
        self._move(node, State.READY, cause)
        node.host, node.groups, node.resumed = host, groups, True
        self._queue.push(node.operation.key, node.priority, host, groups, node.operation.nodes)

    def _on_failed(self, node: Node, event: events.Failed | events.TimedOut) -> None:
        final = isinstance(event, events.Failed) and event.final
        if final or self._stopped or node.attempt > node.operation.retries:
            self._end((node, State.FAILED, event, event.error))
            return
        self._move(node, State.RETRYING, event.error)
        seconds = node.operation.backoff * 2 ** min(node.attempt - 1, 32)
        self._out.append(events.RetryAfter(node.operation.key, min(seconds, events.MAX_BACKOFF)))

    def _on_deferred(self, node: Node, event: events.Deferred) -> None:
        if self._stopped and (self._killed or not node.started):
            self._end(self._abandonment(node))
            return
        needs = needs_of((), (), event.references)
        self._move(node, State.DEFERRED, "waits for " + ", ".join(event.references))
        node.resumed = True
        asked, node.asked = node.asked, node.asked | set(needs)
        if needs:  # of a reference that was no use when it came, the next value may be
            self._await(node, needs, useless=asked)
        else:
            self._end(self._blockage(node, ()))

    # -- events about the job -----------------------------------------------------------------------------------

    def _add(self, operations: tuple[events.ScheduledOperation, ...]) -> None:
        ranks = longest_paths(operations)
        added: list[Node] = []
        for operation in operations:
            if operation.key in self._nodes:
                raise EnsembleError(f"operation {operation.key} is in the job twice")
            if self._done:
                raise InvalidTransition(operation.key, "it is added after the end of the job", ())
            index = len(self._nodes)
            node = Node(operation, (-ranks[operation.key], index), operation.groups)
            self._nodes[operation.key] = node
            self._counts[State.WAITING] += 1
            added.append(node)
        for node in added:
            if node.state is not State.WAITING:
                continue  # an earlier one of the batch has ended, and this with it
            if self._stopped:
                self._end(self._abandonment(node))
            else:
                self._await(node, needs_of(node.operation.waits_for, node.operation.waits_end))

    def _provide(self, references: tuple[str, ...]) -> None:
        for reference in map(Reference, references):
            self._provided.add(reference)
            for key, _other in self._waiting.came(reference):
                self._met(self._nodes[key], reference)

    def _stop(self, reason: str) -> None:
        if self._stopped is not None:
            return
        self._stopped = reason
        self._abandon([node for node in self._nodes.values() if not (node.state is State.DEFERRED and node.started)])

    def _kill(self, reason: str) -> None:
        if self._killed:
            return
        self._killed = True
        self._stopped = self._stopped or reason
        self._abandon(list(self._nodes.values()))
        running = tuple(key for key, node in self._nodes.items() if node.state is State.RUNNING)
        if running:
            self._out.append(events.CancelRunning(running))

    def _abandon(self, nodes: list[Node]) -> None:
        """End those that do not run now, because the job stops."""
        self._end(*[self._abandonment(node) for node in nodes if node.state in IDLE])

    # -- moves --------------------------------------------------------------------------------------------------

    def _move(self, node: Node, state: State, cause: str = "") -> None:
        if state not in MOVES[node.state]:
            raise InvalidTransition(
                node.operation.key, f"it can't go from {node.state.value} to {state.value}", tuple(node.story)
            )
        if node.state is State.READY and state is not State.RUNNING:
            self._queue.discard(node.operation.key)
        if node.state is State.RUNNING:
            self._queue.release(node.host, node.groups, node.place)
            node.place = None
        self._counts[node.state] -= 1
        self._counts[state] += 1
        node.state = state
        node.story.append(f"{state.value} ({cause})" if cause else state.value)
        _LOG.debug("%s is %s", node.operation.key, node.story[-1])

    def _ready(self, node: Node) -> None:
        self._move(node, State.READY)
        self._queue.push(node.operation.key, node.priority, node.host, node.groups, node.operation.nodes)

    def _end(self, *endings: _Ended) -> None:
        """End operations, and then all that can't run because of their end, however long the chain."""
        for node, *_others in endings:
            self._waiting.forget(node.operation.key)  # so that the end of one does not set another free
        ending = deque(endings)
        failed = next(
            (node for node, state, *_others in endings if state in FAILURES and not node.operation.optional), None
        )
        while ending:
            current, how, event, cause = ending.popleft()
            if current.state in ENDED:
                continue
            key = current.operation.key
            if isinstance(event, events.Blocked):
                self._blocked[key] = event.by
            if lost := lost_with(current, event):
                self._lost[key] = lost
            if isinstance(event, events.Blocked | events.Cancelled):
                self._out.append(event)
            self._move(current, how, cause)
            self._waiting.forget(key)
            for name, has_to_succeed in self._waiting.came(key):
                dependant = self._nodes[name]
                if not has_to_succeed or self._satisfies(key, dependant):
                    self._met(dependant, key)
                elif how is State.CANCELLED and self._stopped:
                    ending.append(self._abandonment(dependant))
                else:
                    ending.append(self._blockage(dependant, self._blocked.get(key, (key,)), self._lost.get(key)))
        if failed is not None and (self._fail_fast or failed.operation.critical):
            self._stop(f"{failed.operation.key} {failed.state.value}")

    def _satisfies(self, key: str, dependant: Node) -> bool:
        """Whether an operation that has ended lets one run that needs it: it succeeded, or its failure is none."""
        lost = self._lost.get(key)
        if lost is not None:
            return lost.isdisjoint(dependant.operation.instances)
        return self._nodes[key].state in SATISFIED

    def _blockage(self, node: Node, by: tuple[str, ...], lost: frozenset[str] | None = None) -> _Ended:
        by = self._stuck.get(node.operation.key, by)
        cause = "by " + (", ".join(by) or "an unknown cause")
        blocked = events.Blocked(node.operation.key, by, lost or node.optional_instances)
        return node, State.BLOCKED, blocked, cause

    def _abandonment(self, node: Node) -> _Ended:
        """How an operation ends that does not continue because the job stops."""
        key, reason = node.operation.key, self._stopped or ""
        if node.state is State.RETRYING:
            return node, State.FAILED, events.Failed(key, reason), reason
        if node.state in (State.DEFERRED, State.RUNNING) and node.started:
            return node, State.INTERRUPTED, events.Interrupted(key, reason), reason
        return node, State.CANCELLED, events.Cancelled(key, reason), reason

    # -- waiting ------------------------------------------------------------------------------------------------

    def _has_ended(self, item: Item) -> bool:
        node = self._nodes.get(item) if isinstance(item, str) else None
        return node is not None and node.state in ENDED

    def _await(self, node: Node, needs: dict[Item, bool], useless: Container[Item] = ()) -> None:
        """Let an operation wait for what is not there yet; it is ready, or blocked, if nothing is left to wait for."""
        key = node.operation.key
        wait = False
        for item, has_to_succeed in needs.items():
            if isinstance(item, str) and self._has_ended(item):
                if has_to_succeed and not self._satisfies(item, node):
                    self._end(self._blockage(node, self._blocked.get(item, (item,)), self._lost.get(item)))
                    return
            elif item not in self._provided or item in useless:
                wait = True
                self._waiting.add(key, item, has_to_succeed)
        if not wait:
            self._ready(node)

    def _met(self, node: Node, item: Item) -> None:
        if self._waiting.met(node.operation.key, item):
            self._ready(node)

    def _settle(self) -> None:
        while True:
            self._dispatch()
            active = self._counts[State.READY] + self._counts[State.RUNNING] + self._counts[State.RETRYING]
            idle = self._counts[State.WAITING] + self._counts[State.DEFERRED]
            if active or not idle:
                break
            self._give_up()
        if not active and not self._done:
            self._done = True
            self._out.append(events.Done(self._stopped))

    def _dispatch(self) -> None:
        while self._counts[State.RUNNING] < self._limits.jobs:
            popped = self._queue.pop()
            if popped is None:
                return
            key, place = popped
            node = self._nodes[key]
            node.place = place
            self._move(node, State.RUNNING)
            node.attempt += not node.resumed
            node.resumed = False
            self._out.append(events.Run(key, node.attempt))

    def _give_up(self) -> None:
        """Nothing runs and nothing can: block what waits in a cycle or for what nothing sets, until something can."""
        for node, item in held_up(self._nodes, self._waiting):
            self._met(node, item)
        for node in [node for node in self._nodes.values() if node.state in PENDING]:
            while node.state in PENDING and not self._counts[State.READY]:
                culprits = self._waiting.culprits(node.operation.key, self._nodes)
                self._stuck.update((key, self.waits(key)) for key in culprits)
                self._end(*[self._blockage(self._nodes[key], self._stuck[key]) for key in culprits])


_LIVE = frozenset({State.RUNNING, *IDLE})
#: The states in which an operation may be when an event comes; in any other it is an InvalidTransition.
_ALLOWED: dict[type[events.OperationEvent], frozenset[State]] = {
    events.RetryDue: frozenset({State.RETRYING, *ENDED}),
    events.Skipped: _LIVE,
    events.Cancelled: _LIVE,
    **dict.fromkeys(
        (
            events.Placed,
            events.Misplaced,
            events.Started,
            events.Succeeded,
            events.Failed,
            events.TimedOut,
            events.Interrupted,
            events.Deferred,
        ),
        frozenset({State.RUNNING}),
    ),
}
