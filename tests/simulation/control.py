"""The control process of a simulation: the real scheduler and the real exchange of orders, without a connection."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

from msgspec import Struct

from ansible_ensemble.execution import events
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.mesh.exchange import PATIENCE, SILENCE, Due, Exchange
from tests.simulation.world import CANCELLED, CUT_OFF, DONE, Clock, Deeds, Link, Setting, Worker, operation_of

#: Seconds after which the mesh knows that there is no way to a node, and between two attempts to connect.
_KNOWN, _PAUSE = 10.0, 1.0
_PATTERN = "*"


class Journal(Struct):
    """What outlives the control process: by operation the order that is out and its node, and what is finished."""

    out: dict[int, tuple[str, int]]
    finished: set[int]
    unknown: set[int]


class Place(Struct):
    """Where it happens."""

    clock: Clock
    workers: list[Worker]
    deeds: Deeds
    chance: random.Random


class _Reached:
    """A node, as the control process knows it."""

    def __init__(self) -> None:
        self.exchange = Exchange()
        self.link: Link | None = None
        self.heard = 0.0
        self.tries = False


class Control:
    """A job, from its plan to its end or its death; or what collects the orders of one that died."""

    def __init__(self, place: Place, journal: Journal, setting: Setting, number: int) -> None:
        self._clock, self._workers, self._deeds, self._chance = place.clock, place.workers, place.deeds, place.chance
        self._journal, self._setting, self._number = journal, setting, number
        self._nodes = [_Reached() for _ in self._workers]
        self._able = {f"n{node}": node for node in range(len(self._workers))}
        self._has = Counter[int]()
        self._busy = 0.0
        self._needs: list[tuple[int, ...]] = []
        self.is_over = False
        self.messages = 0
        self.most_out = 0
        self._scheduler = Scheduler(Limits(jobs=setting.jobs, per_node=setting.per_node))
        self._collecting = False

    # -- a job --------------------------------------------------------------------------------------------------

    def run(self, needs: list[tuple[int, ...]]) -> None:
        """Begin a job of what is not finished."""
        self._needs = needs
        left = [one for one in range(len(needs)) if one not in self._journal.finished]
        known = self._journal.finished
        operations = tuple(
            events.ScheduledOperation(
                str(one), tuple(str(need) for need in needs[one] if need not in known), nodes=_PATTERN
            )
            for one in left
        )
        self._listen()
        self._feed(events.NodesKnown(_PATTERN, tuple(self._able)), events.OperationsAdded(operations))

    def _listen(self) -> None:
        for node, worker in enumerate(self._workers):
            worker.told = partial(self._hear, node)
            worker.hung_up = partial(self._hung_up, node)

    def collect(self) -> None:
        """Ask for what a job that died had told the nodes."""
        self._collecting = True
        self._listen()
        for name, node in list(self._journal.out.values()):
            self._nodes[node].exchange.add(name, is_begun=True)
        for node, reached in enumerate(self._nodes):
            if reached.exchange.open:
                self._connect(node)
        self._end_collecting()

    def die(self) -> None:
        """It is killed."""
        self.is_over = True
        for worker, reached in zip(self._workers, self._nodes, strict=True):
            if reached.link is not None:
                reached.link.here = False
                worker.left(reached.link)

    def _feed(self, *happened: events.Event) -> None:
        for instruction in self._scheduler.handle(*happened):
            if isinstance(instruction, events.Run):
                self._busy = max(self._busy, self._clock.now) + self._setting.cpu
                place = self._scheduler.place(instruction.key)
                assert place is not None, "nodes are known from the first on"
                self._has[int(place[1:])] += 1
                assert self._has[int(place[1:])] <= self._setting.per_node
                self._clock.after(self._busy - self._clock.now, self._begin, int(instruction.key), int(place[1:]))
            elif isinstance(instruction, events.Done):
                self.is_over = True
        self.most_out = max(self.most_out, len(self._journal.out))
        assert len(self._journal.out) <= self._setting.jobs

    def _begin(self, operation: int, node: int) -> None:
        """An order is in the journal, and leaves."""
        if self.is_over:
            return
        assert self._journal.finished.issuperset(self._needs[operation]), "what it waits for is not finished"
        assert operation not in self._journal.out
        assert operation not in self._journal.finished
        if operation in self._journal.unknown:  # it is checked first, by a look at what is there
            self._journal.unknown.remove(operation)
            assert operation not in self._deeds.running, f"{operation} still runs, though it was given up"
            if operation in self._deeds.done:
                self._has[node] -= 1
                self._journal.finished.add(operation)
                self._feed(events.Started(str(operation)), events.Succeeded(str(operation)))
                return
        name = f"{operation}.{self._number}"
        self._journal.out[operation] = (name, node)
        self._nodes[node].exchange.add(name)
        self._feed(events.Started(str(operation)))
        self._send(node, name)
        self._connect(node)

    def _settle(self, node: int, operation: int, how: str) -> None:
        """The end of an order is in the journal."""
        name, _node = self._journal.out.pop(operation)
        self._nodes[node].exchange.forget(name)
        self._has[node] -= 1
        key = str(operation)
        if how == DONE:
            self._journal.finished.add(operation)
        elif how in (CANCELLED, CUT_OFF):
            self._journal.unknown.add(operation)
        if self._collecting:
            self._end_collecting()
        elif how == DONE:
            self._feed(events.Succeeded(key))
        elif how in (CANCELLED, CUT_OFF):
            self._feed(events.Interrupted(key))
        else:
            self._feed(events.Failed(key))

    def _end_collecting(self) -> None:
        self.is_over = not self._journal.out

    # -- the exchange -------------------------------------------------------------------------------------------

    def _send(self, node: int, name: str) -> None:
        reached, worker = self._nodes[node], self._workers[node]
        due = reached.exchange.due(name)
        if due is None or reached.link is None:
            return
        self.messages += 1
        if due is Due.CANCEL:
            worker.carry(reached.link, "there", worker.cancel, name)
        else:
            reached.exchange.leaves(name)
            worker.carry(reached.link, "there", worker.begin, name)

    def _hear(self, node: int, name: str, how: str) -> None:
        reached, worker = self._nodes[node], self._workers[node]
        if self.is_over or not reached.exchange.is_open(name) or reached.link is None:
            return
        if how == CUT_OFF:
            assert operation_of(name) not in self._deeds.done, "what a node had finished is lost"
        self.messages += 2
        worker.carry(reached.link, "there", worker.acknowledge, name)
        self._settle(node, operation_of(name), how)

    def _connect(self, node: int) -> None:
        reached = self._nodes[node]
        if reached.link is None and not reached.tries and not self.is_over:
            reached.tries, reached.heard = True, self._clock.now
            self._try(node)

    def _try(self, node: int) -> None:
        reached = self._nodes[node]
        if self.is_over:
            return
        link = self._workers[node].connect()
        if link is None:
            if self._clock.now - reached.heard > PATIENCE:
                self._give_up(node)
                reached.tries = bool(reached.exchange.open)
                if not reached.tries:
                    return
            self._clock.after(_PAUSE, self._try, node)
            return
        reached.tries, reached.link = False, link
        reached.exchange.connected()
        for name in reached.exchange.open:
            self._send(node, name)

    def _give_up(self, node: int) -> None:
        exchange = self._nodes[node].exchange
        for name in exchange.open:
            nothing = exchange.is_done(name, refused=False) is False
            self._settle(node, operation_of(name), "unreachable" if nothing else CANCELLED)

    # -- what befalls it ----------------------------------------------------------------------------------------

    def cut(self, node: int) -> None:
        """The connection with a node breaks."""
        reached, worker = self._nodes[node], self._workers[node]
        if reached.link is not None and not self.is_over:
            reached.link.here = False
            worker.left(reached.link)
            reached.link = None
            reached.exchange.lost()
            if reached.exchange.open:
                self._connect(node)

    def _hung_up(self, node: int, link: Link) -> None:
        if self._nodes[node].link is link:
            self.cut(node)

    def part(self, node: int, seconds: float) -> None:
        """There is no way to a node for some time."""
        self._workers[node].part(seconds)
        self._clock.after(self._chance.choice((1.0, SILENCE)), self._missing, node)
        self._clock.after(_KNOWN, self._look, node)
        self._clock.after(seconds + _KNOWN, self._look, node)

    def kill(self, node: int, seconds: float) -> None:
        """The worker of a node dies."""
        self._workers[node].kill(seconds)
        self._clock.after(self._workers[node].latency, self.cut, node)

    def _missing(self, node: int) -> None:
        if self._workers[node].is_parted:
            self.cut(node)

    def _look(self, node: int) -> None:
        """What the mesh tells of its nodes."""
        name = f"n{node}"
        if self.is_over or self._collecting or (name in self._able) == (not self._workers[node].is_parted):
            return
        if self._workers[node].is_parted and len(self._able) > 1:
            del self._able[name]
        else:
            self._able[name] = node
        self._feed(events.NodesKnown(_PATTERN, tuple(self._able)))
