"""The scheduler against a naive one, over random events; and what holds of it after every step."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ansible_ensemble.execution import events
from ansible_ensemble.execution.events import Done, Instruction, Run, ScheduledOperation
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import ENDED, SATISFIED, State

PENDING = (State.WAITING, State.DEFERRED)
IDLE = (State.WAITING, State.DEFERRED, State.READY, State.RETRYING)


def validate(scheduler: Scheduler) -> None:
    """Check the invariants by looking at every operation."""
    nodes, limits, queue = scheduler._nodes, scheduler._limits, scheduler._queue
    counts = Counter(node.state for node in nodes.values())
    assert counts == +scheduler._counts
    running = [node for node in nodes.values() if node.state is State.RUNNING]
    assert len(running) <= limits.jobs
    for resource, count in Counter(r for one in running for r in queue.limited(one.host, one.groups)).items():
        assert count <= queue._limit(resource), resource
    assert len(queue) == counts[State.READY]
    if len(running) < limits.jobs:
        idle = [key for key, resources in queue._resources.items() if queue._full(resources) is None]
        assert not idle, "operations that may run do not"
    for key, node in nodes.items():
        missing = scheduler._waiting.missing(key)
        assert bool(missing) == (node.state in PENDING), (key, node.state, missing)
        for item in missing:
            assert item not in nodes or nodes[item].state not in ENDED, (key, item)
    assert scheduler._done == all(node.state in ENDED for node in nodes.values())


class Naive:
    """The same rules as the scheduler's, by the shortest way to write them down, whatever it costs."""

    def __init__(self, limits: Limits, fail_fast: bool) -> None:
        self.limits = limits
        self.fail_fast = fail_fast
        self.ops: dict[str, ScheduledOperation] = {}
        self.rank: dict[str, int] = {}
        self.slots: dict[str, tuple[str | None, tuple[str, ...]]] = {}
        self.state: dict[str, State] = {}
        self.attempt: Counter[str] = Counter()
        self.started: set[str] = set()
        self.needs: dict[str, dict[str, bool]] = {}
        self.provided: set[str] = set()
        self.asked: defaultdict[str, set[str]] = defaultdict(set)
        self.stop_reason: str | None = None
        self.killed = False

    def add(self, *operations: ScheduledOperation) -> None:
        batch = {op.key: op for op in operations}

        def rank(key: str) -> int:
            behind = [k for k, op in batch.items() if key in (*op.waits_for, *op.waits_end)]
            return 1 + max(map(rank, behind), default=0.0)

        for op in operations:
            self.ops[op.key] = op
            self.rank[op.key], self.slots[op.key] = rank(op.key), (None, op.groups)
            self.needs[op.key] = {**dict.fromkeys(op.waits_end, False), **dict.fromkeys(op.waits_for, True)}
            self.state[op.key] = State.WAITING
            if self.stop_reason:
                self.abandon(op.key)

    def abandon(self, key: str) -> None:
        if self.state[key] is State.RETRYING:
            self.state[key] = State.FAILED
        elif self.state[key] in (State.DEFERRED, State.RUNNING) and key in self.started:
            self.state[key] = State.INTERRUPTED
        else:
            self.state[key] = State.CANCELLED

    def fail(self, key: str, final: bool = False) -> None:
        if final or self.stop_reason or self.attempt[key] > self.ops[key].retries:
            self.end(key, State.FAILED)
        else:
            self.state[key] = State.RETRYING

    def end(self, key: str, state: State) -> None:
        self.state[key] = state
        if self.fail_fast and state in (State.FAILED, State.INTERRUPTED):
            self.spread()
            self.stop("fail fast")

    def stop(self, reason: str) -> None:
        if not self.stop_reason:
            self.stop_reason = reason
            for key in [key for key in self.ops if self.state[key] in IDLE and not self.is_under_way(key)]:
                self.abandon(key)

    def is_under_way(self, key: str) -> bool:
        return self.state[key] is State.DEFERRED and key in self.started

    def kill(self) -> None:
        self.stop_reason, self.killed = self.stop_reason or "kill", True
        for key in self.ops:
            if self.state[key] in IDLE:
                self.abandon(key)

    def defer(self, key: str, references: set[str]) -> None:
        if self.stop_reason and (self.killed or key not in self.started):
            self.abandon(key)
            return
        new = references & self.provided - self.asked[key]
        self.state[key], self.needs[key] = State.DEFERRED, dict.fromkeys(references - new, True)
        self.asked[key] |= references

    def provide(self, reference: str) -> None:
        self.provided.add(reference)
        for needs in self.needs.values():
            needs.pop(reference, None)

    def place(self, key: str, host: str | None, groups: tuple[str, ...]) -> None:
        others = [k for k in self.ops if self.state[k] is State.RUNNING and k != key]
        if self.fits((host, groups), others):
            self.slots[key] = host, groups
        elif self.stop_reason and (self.killed or key not in self.started):
            self.abandon(key)
        else:
            self.slots[key], self.state[key] = (host, groups), State.READY

    def spread(self) -> None:
        """Let every end take effect, until nothing changes."""
        before = None
        while before != self.state:
            before = dict(self.state)
            for key in self.ops:
                if self.state[key] in PENDING:
                    ends = {k: self.state[k] for k in self.needs[key] if self.state.get(k) in ENDED}
                    bad = [end for k, end in ends.items() if self.needs[key][k] and end not in SATISFIED]
                    if State.CANCELLED in bad and self.stop_reason:
                        self.abandon(key)
                    elif bad:
                        self.state[key] = State.BLOCKED
                    elif len(ends) == len(self.needs[key]):
                        self.state[key] = State.READY

    def settle(self) -> list[str]:
        """What starts to run, in order."""
        ran: list[str] = []
        while True:
            self.spread()
            ran += self.dispatch()
            if any(state in (State.READY, State.RUNNING, State.RETRYING) for state in self.state.values()):
                return ran
            pending = [key for key in self.ops if self.state[key] in PENDING]
            if not pending:
                return ran
            path = [pending[0]]
            while path[-1] not in path[:-1]:
                missing = sorted(k for k in self.needs[path[-1]] if self.state.get(k) not in ENDED)
                if any(k not in self.ops for k in missing):
                    path = [path[-1]] * 2
                else:
                    path.append(missing[0])
            for key in path[path.index(path[-1]) :]:
                self.state[key] = State.BLOCKED

    def dispatch(self) -> list[str]:
        ran: list[str] = []
        while True:
            running = [key for key in self.ops if self.state[key] is State.RUNNING]
            ready = [k for k in self.ops if self.state[k] is State.READY and self.fits(self.slots[k], running)]
            if not ready or len(running) >= self.limits.jobs:
                return ran
            best = min(ready, key=self.order)
            self.state[best] = State.RUNNING
            ran.append(best)

    def order(self, key: str) -> tuple[int, int]:
        return -self.rank[key], list(self.ops).index(key)

    def fits(self, slots: tuple[str | None, tuple[str, ...]], running: list[str]) -> bool:
        host, groups = slots
        taken = [self.slots[key] for key in running]
        if any(group in others for group in groups for _, others in taken):
            return False
        limit = self.limits.per_host
        return host is None or limit is None or sum(other == host for other, _ in taken) < limit


def runs(instructions: list[Instruction]) -> list[str]:
    """The keys that instructions run, in order."""
    return [item.key for item in instructions if isinstance(item, Run)]


def is_done(instructions: list[Instruction]) -> bool:
    """Whether the job ends with these instructions."""
    assert sum(isinstance(item, Done) for item in instructions) <= 1
    return bool(instructions) and isinstance(instructions[-1], Done)


REFERENCES = st.sampled_from(["r1", "r2", "r3"])
HOSTS = st.sampled_from([None, "h1", "h2"])
GROUPS = st.lists(st.sampled_from(["g1", "g2", "g3"]), max_size=2).map(tuple)


@st.composite
def batch(draw, first: int, size: int, extra: tuple[str, ...] = ()):
    """Operations that wait for earlier ones, and now and then for one that never comes."""
    operations = []
    for number in range(first, first + draw(st.integers(0, size))):
        earlier = [f"k{i}" for i in range(number)] + list(extra)
        some = st.lists(st.sampled_from(earlier), max_size=3, unique=True).map(tuple) if earlier else st.just(())
        operations.append(
            ScheduledOperation(
                f"k{number}",
                waits_for=draw(some),
                waits_end=draw(some),
                groups=draw(GROUPS),
                retries=draw(st.sampled_from([0, 0, 1, 2])),
            )
        )
    return tuple(operations)


class SchedulerAgainstNaive(RuleBasedStateMachine):
    @initialize(
        jobs=st.integers(1, 4),
        per_host=st.sampled_from([None, 1, 2]),
        fail_fast=st.sampled_from([False, False, True]),
        operations=batch(0, 12, ("never",)),
    )
    def begin(self, jobs, per_host, fail_fast, operations):
        limits = Limits(jobs=jobs, per_host=per_host)
        self.scheduler = Scheduler(limits, fail_fast=fail_fast)
        self.naive = Naive(limits, fail_fast)
        self.count = len(operations)
        self.done = False
        self.naive.add(*operations)
        self.feed(events.OperationsAdded(operations))

    def feed(self, *what):
        instructions = self.scheduler.handle(*what)
        assert runs(instructions) == self.naive.settle()
        assert not self.done or not is_done(instructions)
        self.done = self.done or is_done(instructions)

    def pick(self, data, state: State) -> str:
        return data.draw(st.sampled_from([key for key, s in self.naive.state.items() if s is state]))

    def has(self, state: State) -> bool:
        return state in self.naive.state.values()

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(data=st.data(), start=st.booleans())
    def succeed(self, data, start):
        key = self.pick(data, State.RUNNING)
        if start:
            self.feed(events.Started(key))
            self.naive.started.add(key)
        self.naive.state[key] = State.SUCCEEDED
        self.feed(events.Succeeded(key))

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(data=st.data())
    def start(self, data):
        key = self.pick(data, State.RUNNING)
        self.naive.started.add(key)
        self.feed(events.Started(key))

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(data=st.data(), host=HOSTS, groups=GROUPS)
    def place(self, data, host, groups):
        key = self.pick(data, State.RUNNING)
        self.naive.place(key, host, groups)
        self.feed(events.Placed(key, host, groups))

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(data=st.data(), how=st.sampled_from(["fail", "final", "time", "interrupt"]))
    def fail(self, data, how):
        key = self.pick(data, State.RUNNING)
        self.naive.attempt[key] = self.scheduler._nodes[key].attempt
        if how == "interrupt":
            self.naive.end(key, State.INTERRUPTED)
            self.feed(events.Interrupted(key))
        else:
            self.naive.fail(key, final=how == "final")
            self.feed(events.TimedOut(key) if how == "time" else events.Failed(key, "no", final=how == "final"))

    @precondition(lambda self: self.has(State.RETRYING))
    @rule(data=st.data())
    def retry(self, data):
        key = self.pick(data, State.RETRYING)
        self.naive.state[key] = State.READY
        self.feed(events.RetryDue(key))

    @rule(data=st.data(), skip=st.booleans())
    def cancel_or_skip(self, data, skip):
        live = [key for key, state in self.naive.state.items() if state in (*IDLE, State.RUNNING)]
        if live:
            key = data.draw(st.sampled_from(live))
            self.naive.state[key] = State.SKIPPED if skip else State.CANCELLED
            self.feed(events.Skipped(key) if skip else events.Cancelled(key))

    @precondition(lambda self: self.has(State.RUNNING) and not self.done)
    @rule(data=st.data())
    def add(self, data):
        operations = data.draw(batch(self.count, 4))
        self.count += len(operations)
        self.naive.add(*operations)
        self.feed(events.OperationsAdded(operations))

    @precondition(lambda self: self.has(State.RUNNING))
    @rule(data=st.data(), references=st.sets(REFERENCES, min_size=1))
    def defer(self, data, references):
        key = self.pick(data, State.RUNNING)
        self.naive.defer(key, references)
        self.feed(events.Deferred(key, tuple(sorted(references))))

    @rule(reference=REFERENCES)
    def provide(self, reference):
        self.naive.provide(reference)
        self.feed(events.Provided((reference,)))

    @rule(which=st.sampled_from(["stop", "kill", "none", "none"]))
    def stop(self, which):
        if which == "stop":
            self.naive.stop("x")
            self.feed(events.StopRequested("x"))
        elif which == "kill":
            self.naive.kill()
            self.feed(events.KillRequested())

    @invariant()
    def agree(self):
        if hasattr(self, "naive"):
            assert {key: self.scheduler.state(key) for key in self.naive.ops} == self.naive.state
            validate(self.scheduler)


TestSchedulerAgainstNaive = SchedulerAgainstNaive.TestCase
TestSchedulerAgainstNaive.settings = settings(stateful_step_count=30)
