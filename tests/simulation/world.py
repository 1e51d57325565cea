"""Simulated time, and the workers of simulated nodes: real ledgers, with a dictionary in the place of a disk."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from msgspec import Struct

from ansible_ensemble.mesh.exchange import LEFT, SILENCE
from ansible_ensemble.mesh.ledger import Known, Ledger

#: How an order ends.
DONE, FAILED, CANCELLED, CUT_OFF = "done", "failed", "cancelled", "cut off"


class Setting(Struct, frozen=True, kw_only=True):
    """What is simulated.

    Attributes:
        nodes, operations: how many there are.
        at_once, per_node, jobs: the limits of a worker, of a node and of the job.
        needs: how many earlier operations one waits for at most; reach: how far back they are.
        seconds: the mean time that an operation takes.
        latency: the mean seconds of a message on its way; of a tenth of the nodes, ten times as many.
        cpu: seconds of the control process for each operation.
        skew: by how much clocks of nodes are fast or slow, as a share.
        fails: the share of operations that fail.
        cuts, partitions, kills: how many each node has, on average, of connections that break, times without a way, and
            deaths of its worker.
        deaths: how often the control process is killed.
    """

    nodes: int
    operations: int
    at_once: int = 4
    per_node: int = 6
    jobs: int = 1_000_000
    needs: int = 3
    reach: int = 50
    seconds: float = 20.0
    latency: float = 0.02
    cpu: float = 0.0
    skew: float = 0.0
    fails: float = 0.0
    cuts: float = 0.0
    partitions: float = 0.0
    kills: float = 0.0
    deaths: int = 0


class Clock:
    """Time that passes as nothing is left to do in it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._number = 0
        self._due: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []

    def after(self, seconds: float, what: Callable[..., None], *arguments: Any) -> None:
        self._number += 1
        heappush(self._due, (self.now + seconds, self._number, what, arguments))

    def step(self) -> bool:
        """Do what is due next; False if nothing is."""
        if not self._due:
            return False
        self.now, _number, what, arguments = heappop(self._due)
        what(*arguments)
        return True


class Notes(dict[str, str]):
    """What a node's disk keeps."""

    def read(self, name: str) -> str | None:
        return self.get(name)

    def write(self, name: str, text: str) -> None:
        self[name] = text

    def remove(self, name: str) -> None:
        self.pop(name, None)


class Deeds:
    """What really happened, as nobody in the simulation knows it; it refuses what must not."""

    def __init__(self, seconds: list[float], fails: list[bool]) -> None:
        self.seconds = seconds
        self.fails = fails
        self.done: set[int] = set()
        self.running: set[int] = set()
        self.tries = Counter[int]()
        self._orders: set[str] = set()

    def begin(self, name: str) -> None:
        operation = operation_of(name)
        assert name not in self._orders, f"the order {name} is carried out again"
        self._orders.add(name)
        assert operation not in self.running, f"{operation} runs twice at a time"
        assert operation not in self.done, f"{operation} runs again, though it was done"
        self.running.add(operation)
        self.tries[operation] += 1

    def end(self, operation: int, *, done: bool) -> None:
        self.running.remove(operation)
        if done:
            self.done.add(operation)


class Link:
    """A connection of the control process with a node. Each end notices by itself that it is gone."""

    def __init__(self) -> None:
        self.here = self.there = True


class Worker:
    """The worker of a node, and the way to it."""

    def __init__(self, clock: Clock, deeds: Deeds, setting: Setting, chance: random.Random) -> None:
        self._clock = clock
        self._deeds = deeds
        self._setting = setting
        self.latency = chance.expovariate(1 / setting.latency) * (10 if chance.random() < 0.1 else 1)
        self._rate = 1 + chance.uniform(-setting.skew, setting.skew)  # of its clock
        self._notes = Notes()
        self.is_parted = False
        self.link: Link | None = None  # the newest
        self._links: list[Link] = []
        self._held: list[Callable[[], None]] = []  # what is on its way while there is none
        self.hung_up: Callable[[Link], None] = lambda _link: None
        self.told: Callable[[str, str], None] = lambda _name, _ended: None
        self._chance = chance
        self._alone = 0  # counts the times that somebody came or went
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.lives = True
        self._ledger: Ledger[str] = Ledger(self._notes)
        self._runs: dict[str, object] = {}  # what runs, with a mark of this run of it
        self._turns: deque[str] = deque()

    # -- the way ------------------------------------------------------------------------------------------------

    def connect(self) -> Link | None:
        if self.is_parted or not self.lives:
            return None
        self.link = Link()
        self._links.append(self.link)
        self._alone += 1
        return self.link

    def carry(self, link: Link, end: str, what: Callable[..., None], *arguments: Any) -> None:
        """Bring something to an end of a connection (`here` or `there`), if that is still there then."""

        def arrive() -> None:
            if self.is_parted:
                self._held.append(arrive)
            elif getattr(link, end):
                what(*arguments)

        self._clock.after(self.latency, arrive)

    def part(self, seconds: float) -> None:
        """There is no way for some time."""
        if self.is_parted:
            return
        self.is_parted = True
        self._clock.after(seconds, self._join)
        for link in self._links:
            self._clock.after(SILENCE / self._rate, self._silent, link)

    def _join(self) -> None:
        self.is_parted = False
        held, self._held = self._held, []
        again = self._chance.uniform(0.0, 5.0)
        for arrive in held:
            self._clock.after(again, arrive)

    def _silent(self, link: Link) -> None:
        if self.is_parted or not link.here:
            self._lose(link)

    def left(self, link: Link) -> None:
        """The other end is gone; that is noticed at once, or late."""
        self._clock.after(self._chance.choice((self.latency, SILENCE / self._rate)), self._silent, link)

    def _lose(self, link: Link) -> None:
        if link in self._links:
            self._links.remove(link)
            link.there = False
            self.carry(link, "here", lambda: self.hung_up(link))
        if self.link is link:
            self.link = None
            self._alone += 1
            self._clock.after(LEFT / self._rate, self._leave, self._alone)

    def _leave(self, alone: int) -> None:
        if self._alone == alone:
            for name in list(self._runs) + list(self._turns):
                self._end(name, CANCELLED)

    # -- what it does -------------------------------------------------------------------------------------------

    def begin(self, name: str) -> None:
        entry = self._ledger.begin(name)
        if entry.known is Known.NEW:
            self._turns.append(name)
            self._next()
        elif entry.known is not Known.RUNS:
            self._tell(name, entry.ended or CUT_OFF)

    def cancel(self, name: str) -> None:
        entry = self._ledger.cancel(name, CANCELLED)
        if entry.known is Known.RUNS:
            self._end(name, CANCELLED)
        else:
            self._tell(name, entry.ended or CUT_OFF)

    def acknowledge(self, name: str) -> None:
        self._ledger.acknowledge(name)

    def kill(self, seconds: float) -> None:
        """The worker dies with what it runs, and is begun anew some time later."""
        if not self.lives:
            return
        for name in self._runs:
            self._deeds.end(operation_of(name), done=False)
        self.lives = False
        self._runs.clear()
        self._turns.clear()
        for link in self._links:
            link.there = False
        self._links.clear()
        self.link = None
        self._clock.after(seconds, self._begin_anew)

    def _next(self) -> None:
        while self._turns and len(self._runs) < self._setting.at_once:
            name, mark = self._turns.popleft(), object()
            self._runs[name] = mark
            assert len(self._runs) <= self._setting.at_once
            self._deeds.begin(name)
            self._clock.after(self._deeds.seconds[operation_of(name)], self._ran, name, mark)

    def _ran(self, name: str, mark: object) -> None:
        if self._runs.get(name) is mark:
            self._end(name, FAILED if self._deeds.fails[operation_of(name)] else DONE)

    def _end(self, name: str, how: str) -> None:
        if self._runs.pop(name, None) is not None:
            self._deeds.end(operation_of(name), done=how is DONE)
        else:
            self._turns.remove(name)
        self._ledger.end(name, how)
        self._tell(name, how)
        self._next()

    def _tell(self, name: str, how: str) -> None:
        if self.link is not None:
            self.carry(self.link, "here", self.told, name, how)


def operation_of(name: str) -> int:
    """The operation that an order is of."""
    return int(name.partition(".")[0])
