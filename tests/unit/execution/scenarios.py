"""Scenarios of the scheduler: scripts of events and what they lead to."""

from __future__ import annotations

from dataclasses import dataclass, field

from ansible_ensemble.execution.events import (
    Blocked,
    CancelRunning,
    Done,
    Event,
    Instruction,
    OperationsAdded,
    RetryAfter,
    Run,
    ScheduledOperation,
)
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler


def op(key: str, *waits_for: str, **more: object) -> ScheduledOperation:
    return ScheduledOperation(key, waits_for=waits_for, **more)  # type: ignore[arg-type]


def shown(instructions: list[Instruction]) -> list[str]:
    """Instructions in a few words each, but for `Cancelled`."""
    words = []
    for instruction in instructions:
        match instruction:
            case Run(key, attempt):
                words.append(f"run {key}" + (f" #{attempt}" if attempt > 1 else ""))
            case RetryAfter(key, seconds):
                words.append(f"retry {key} in {seconds:g}")
            case CancelRunning(keys):
                words.append("cancel " + " ".join(keys))
            case Blocked(key, by):
                words.append(f"{key} blocked by {' '.join(by)}")
            case Done():
                words.append("done")
    return words


@dataclass
class Scenario:
    name: str
    operations: list[ScheduledOperation]
    first: list[str]
    steps: list[tuple[Event | tuple[Event, ...], list[str]]]
    ends: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    fail_fast: bool = False


def follow(scenario: Scenario) -> None:
    """Give a scheduler the events of a scenario, and see what they lead to."""
    scheduler = Scheduler(scenario.limits, fail_fast=scenario.fail_fast)
    assert shown(scheduler.handle(OperationsAdded(tuple(scenario.operations)))) == scenario.first
    for happened, expected in scenario.steps:
        what = happened if isinstance(happened, tuple) else (happened,)
        assert shown(scheduler.handle(*what)) == expected, what
    assert {key: scheduler.state(key).value for key in scenario.ends} == scenario.ends
