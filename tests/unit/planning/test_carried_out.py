"""Plans of random graphs, carried out by the scheduler with random failures."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_ensemble.execution import events
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.planning.plan import Plan
from tests.unit.planning.test_planner import graphs
from tests.unit.planning.topologies import deployed, plan, topology


def carry_out(made: Plan, failing: set[str], jobs: int) -> tuple[list[str], set[str]]:
    """Run a plan; returns what ran, in order, and what was blocked."""
    scheduler = Scheduler(Limits(jobs=jobs))
    scheduled = tuple(
        events.ScheduledOperation(one.key, waits_for=tuple(one.waits_for), waits_end=tuple(one.waits_end))
        for one in made.operations
    )
    instructions = scheduler.handle(events.OperationsAdded(scheduled))
    ran: list[str] = []
    blocked: set[str] = set()
    while instructions:
        instruction, *instructions = instructions
        match instruction:
            case events.Run(key=key):
                ran.append(key)
                ended = events.Failed(key, "no") if key in failing else events.Succeeded(key)
                instructions += scheduler.handle(events.Started(key), ended)
            case events.Blocked(key=key):
                blocked.add(key)
    return ran, blocked


@given(graphs(), st.randoms(use_true_random=False), st.integers(1, 8))
@settings(max_examples=40)
def test_nothing_runs_before_what_it_needs_nor_after_it_failed(nodes, chance: random.Random, jobs: int):
    spec = topology(*nodes)
    for made in (plan(spec), plan(spec, deployed(*(one.name for one in nodes)), "undeploy")):
        keys = [operation.key for operation in made.operations]
        failing = set(chance.sample(keys, min(len(keys), 3)))
        ran, blocked = carry_out(made, failing, jobs)
        assert sorted([*ran, *blocked]) == sorted(keys)
        position = {key: index for index, key in enumerate(ran)}
        for operation in made.operations:
            needed = operation.waits_for
            if operation.key in position:
                assert all(position[key] < position[operation.key] and key not in failing for key in needed)
            else:
                assert any(key in failing or key in blocked for key in needed)
