"""Deploys over simulated nodes, where much goes wrong: nothing is lost, nothing that was finished runs again.

The simulation itself refuses at each step what must not be: an order that is carried out twice, an operation that runs
before what it needs, twice at a time or though it was done, more than a limit allows, a result that is lost.
TORTURE_SEEDS says how many are tried beside those of `make test`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.execution.places import Places
from ansible_ensemble.mesh.exchange import Exchange
from ansible_ensemble.mesh.ledger import Entry, Known, Ledger
from tests.simulation import control
from tests.simulation.simulation import simulate
from tests.simulation.world import Setting

CALM = Setting(nodes=10, operations=3000, needs=2, reach=100)
ROUGH = Setting(
    nodes=3, operations=60, needs=1, skew=0.05, fails=0.02, cuts=2.0, partitions=1.0, kills=0.5, deaths=2, jobs=15
)
SEEDS = 200
AT_ONCE = 100


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_nothing_is_lost_and_nothing_runs_again(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        simulate(ROUGH, seed)


@pytest.mark.matrix
@pytest.mark.parametrize("first", range(SEEDS, SEEDS + int(os.environ.get("TORTURE_SEEDS", "0")), AT_ONCE))
def test_the_same_of_many_more(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        simulate(replace(ROUGH, nodes=2 + seed % 4, operations=40 + seed % 50, latency=0.02 * (1 + seed % 30)), seed)


@pytest.mark.parametrize("seed", range(2))
def test_it_takes_hardly_longer_than_it_must(seed: int) -> None:
    figures = simulate(CALM, seed)
    assert figures.makespan <= 1.15 * figures.bound
    assert (figures.jobs, figures.repeated, figures.messages) == (1, 0, 3.0)


def test_a_seed_says_all() -> None:
    assert simulate(ROUGH, 7) == simulate(ROUGH, 7) != simulate(ROUGH, 8)


def _begin_again(ledger: Ledger[str], name: str, entry: Callable[..., Entry] = Ledger._entry) -> Entry:
    found = entry(ledger, name)
    return Entry(Known.NEW) if found.known is Known.CUT_OFF else found


def _forget(ledger: Ledger[str], name: str, _ended: str) -> None:
    ledger._running.discard(name)


def _least_of_all(places: Places, pattern: str) -> str:
    return min(places.nodes(pattern), key=places._taken.__getitem__)


@pytest.mark.parametrize(
    ("where", "what", "other", "problem"),
    [
        (Ledger, "begin", lambda _ledger, _name: Entry(Known.NEW), "still runs|carried out again"),
        (Ledger, "_entry", _begin_again, "carried out again"),
        (Ledger, "end", _forget, "lost"),
        (Exchange, "is_done", lambda _exchange, _name, *, refused: refused, "runs again"),
        (Places, "_least", _least_of_all, r"^$|assert"),
        (control, "PATIENCE", 35.0, "still runs"),
    ],
)
def test_it_would_notice(monkeypatch: pytest.MonkeyPatch, where: Any, what: str, other: Any, problem: str) -> None:
    """A rule that is broken is found within the seeds of `make test`."""
    monkeypatch.setattr(where, what, other)
    with pytest.raises(AssertionError, match=problem):
        for seed in range(SEEDS):
            simulate(replace(ROUGH, needs=0, jobs=1000), seed)
