"""Every edge between the states of an agent, without I/O: transitions.txt has them as the documentation means them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from ansible_ensemble.provision.agent.states import (
    FIRST,
    TABLE,
    Happened,
    Impossible,
    Instruction,
    State,
    When,
    next_step,
)

_FILE = Path(__file__).with_name("transitions.txt")
CASES = [tuple(line.split()) for line in _FILE.read_text().splitlines() if not line.startswith("#")]
_OPTIONS = [When.ONESHOT, When.EXIT_ON_FAILURE]
_SETS = [frozenset(some) for size in range(3) for some in combinations(_OPTIONS, size)]


@pytest.mark.parametrize(("state", "happened", "option", "to", "instruction"), CASES)
def test_an_edge(state: str, happened: str, option: str, to: str, instruction: str) -> None:
    special = {When[other[2]] for other in CASES if other[:2] == (state, happened) and other[2] != "-"}
    for options in _SETS:
        taken = When[option] in options if option != "-" else not special & options
        if taken:
            row = next_step(State[state], Happened[happened], options)
            assert (row.to, row.instruction) == (State[to], Instruction[instruction]), options


def test_there_are_no_other_edges() -> None:
    known = {case[:2] for case in CASES}
    for state in State:
        for happened in Happened:
            if (state.name, happened.name) not in known:
                with pytest.raises(Impossible):
                    next_step(state, happened)
    assert len(TABLE) == len(CASES)


def test_every_state_and_every_instruction_is_reached() -> None:
    reached, instructions = {State.INIT}, {FIRST[State.INIT]}
    for _ in State:
        rows = [row for row in TABLE if row.state in reached]
        reached |= {row.to for row in rows}
        instructions |= {row.instruction for row in rows}
    assert reached == set(State)
    assert instructions == set(Instruction)


def test_a_signal_ends_an_agent_in_every_state() -> None:
    for state in set(State) - {State.EXIT}:
        row = next_step(state, Happened.INTERRUPTED)
        if row.instruction is Instruction.GIVE_BACK:
            row = next_step(row.to, Happened.GIVEN_BACK)
        assert row.instruction is Instruction.LEAVE
