"""The states of a scheduled operation and the moves between them."""

from __future__ import annotations

from enum import Enum

from ansible_ensemble.core.errors import EnsembleError


class State(str, Enum):
    """The state of an operation in a job.

    `waiting` for others; `ready` to run; `running`; `retrying` after a failed attempt; `deferred` until something it
    asked for is there; and, for good: `succeeded`, `failed`, `blocked` (one it needs did not succeed), `skipped`
    (there was nothing to do), `cancelled` (ended or never begun because the job stops), `interrupted`
    (started, outcome unknown).
    """

    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    RETRYING = "retrying"
    DEFERRED = "deferred"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


#: States that an operation never leaves.
ENDED = frozenset({State.SUCCEEDED, State.FAILED, State.BLOCKED, State.SKIPPED, State.CANCELLED, State.INTERRUPTED})

#: Ended states that let those run which need the operation: what is skipped was not needed, or exists already.
SATISFIED = frozenset({State.SUCCEEDED, State.SKIPPED})

#: Ended states that make a job with fail-fast stop.
FAILURES = frozenset({State.FAILED, State.INTERRUPTED})

#: States of an operation that waits for others.
PENDING = frozenset({State.WAITING, State.DEFERRED})

#: States of an operation that has not ended and does not run.
IDLE = frozenset({State.READY, State.RETRYING, *PENDING})

#: The states that may follow each state.
MOVES: dict[State, frozenset[State]] = {
    State.WAITING: frozenset({State.READY, State.BLOCKED, State.SKIPPED, State.CANCELLED}),
    State.READY: frozenset({State.RUNNING, State.SKIPPED, State.CANCELLED}),
    State.RUNNING: frozenset({State.READY, State.RETRYING, State.DEFERRED, *ENDED}),
    State.RETRYING: frozenset({State.READY, State.FAILED, State.SKIPPED, State.CANCELLED}),
    State.DEFERRED: frozenset({State.READY, State.BLOCKED, State.SKIPPED, State.CANCELLED, State.INTERRUPTED}),
    **{state: frozenset[State]() for state in ENDED},
}


class InvalidTransition(EnsembleError):
    """An event came that the operation's state does not allow: a defect of the caller.

    Attributes:
        key: the operation.
        story: the states it went through, each with what caused it, oldest first.
    """

    def __init__(self, key: str, problem: str, story: tuple[str, ...]) -> None:
        super().__init__(f"operation {key}: {problem}; its story: {' > '.join(story) or 'none'}")
        self.key = key
        self.problem = problem
        self.story = story

    def __reduce__(self) -> tuple[type[InvalidTransition], tuple[str, str, tuple[str, ...]]]:
        return (type(self), (self.key, self.problem, self.story))
