"""A service that is deployed over simulated nodes, by as many jobs as that takes."""

from __future__ import annotations

import random

from msgspec import Struct

from tests.simulation.control import Control, Journal, Place
from tests.simulation.world import Clock, Deeds, Setting, Worker

_MOST_JOBS = 40


class _Fate:
    """What goes wrong, for whichever control process there is then."""

    def __init__(self, clock: Clock, setting: Setting, chance: random.Random, span: float) -> None:
        self.control: Control | None = None
        for node in range(setting.nodes):
            for _ in range(_times(setting.cuts, chance)):
                clock.after(chance.uniform(0.0, span), self._strike, "cut", node)
            for _ in range(_times(setting.partitions, chance)):
                clock.after(chance.uniform(0.0, span), self._strike, "part", node, chance.expovariate(1 / 60.0))
            for _ in range(_times(setting.kills, chance)):
                clock.after(chance.uniform(0.0, span), self._strike, "kill", node, chance.expovariate(1 / 10.0))
        for _ in range(setting.deaths):
            clock.after(chance.uniform(0.0, span), self._strike, "die")

    def _strike(self, how: str, *arguments: float) -> None:
        if self.control is not None:
            getattr(self.control, how)(*arguments)


class Figures(Struct):
    """What came of it.

    Attributes:
        makespan: seconds until all was done, of the simulation; jobs: how many that took.
        bound: the longer of the critical path, and all work on all that can work.
        messages: for each operation.
        repeated: how many operations were begun more than once.
        most_out: how many were out at a time.
    """

    makespan: float
    bound: float
    jobs: int
    messages: float
    repeated: int
    most_out: int


def simulate(setting: Setting, seed: int) -> Figures:
    """Deploy; the order of what happens, and all that goes wrong, follows from the seed."""
    chance = random.Random(seed)
    count = setting.operations
    seconds = [chance.expovariate(1 / setting.seconds) for _ in range(count)]
    fails = [chance.random() < setting.fails for _ in range(count)]
    needs = [_needs(one, setting, chance) for one in range(count)]
    clock, deeds = Clock(), Deeds(seconds, fails)
    workers = [Worker(clock, deeds, setting, chance) for _ in range(setting.nodes)]
    place = Place(clock, workers, deeds, chance)
    journal = Journal({}, set(), set())
    longest = [0.0] * count
    for one in range(count):
        longest[one] = seconds[one] + max((longest[need] for need in needs[one]), default=0.0)
    bound = max(max(longest), sum(seconds) / (setting.nodes * setting.at_once))
    jobs = messages = most_out = 0
    fate = _Fate(clock, setting, chance, bound * 1.5)
    while len(journal.finished) < count:
        jobs += 1
        assert jobs <= _MOST_JOBS, "it never comes to its end"
        fate.control = control = Control(place, journal, setting, jobs)
        control.run(needs)
        while not control.is_over:
            assert clock.step(), "the job waits for what never comes"
        control.die()
        messages, most_out = messages + control.messages, max(most_out, control.most_out)
        while journal.out:  # it was killed: the next one collects, and may be killed, too
            fate.control = control = Control(place, journal, setting, jobs)
            control.collect()
            while not control.is_over:
                assert clock.step(), "nothing collects what is out"
            control.die()
            messages += control.messages
        fails[:] = [False] * count  # somebody mended it
    assert deeds.done == journal.finished == set(range(count)), "something was lost"
    repeated = sum(tries > 1 for tries in deeds.tries.values())
    return Figures(clock.now, bound, jobs, messages / count, repeated, most_out)


def _needs(one: int, setting: Setting, chance: random.Random) -> tuple[int, ...]:
    least = max(0, one - setting.reach * setting.nodes)
    wanted = chance.randint(0, setting.needs) if one else 0
    return tuple(sorted({chance.randrange(least, one) for _ in range(wanted)}))


def _times(mean: float, chance: random.Random) -> int:
    return int(mean) + (chance.random() < mean % 1)
