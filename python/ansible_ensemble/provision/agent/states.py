"""The states of an agent and what leads from one to another: a table, without I/O.

An agent carries out one instruction at a time. What happened then, and the state it is in, decide the next state and
the next instruction (docs/machines-agent.md, "States").
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

from msgspec import Struct


class Instruction(Enum):
    """What an agent does next; the value says it in words."""

    BEGIN = "fetch the machine, fail a job that was left behind, hear of the machine's changes"
    WAIT_FOR_RUNNABLE = "wait until the machine is runnable, in the agent's context"
    WAIT_FOR_CHANGE = "wait until the machine changes"
    ASK = "ask for the next job"
    RUN = "run the job, and mark it"
    GIVE_BACK = "mark the job as incomplete"
    CHANGE_STAGE = "change to the stage that `change-stage/map` names"
    LEAVE_BOOTENV = "make the machine not runnable until it has booted"
    REBOOT = "reboot"
    KEXEC = "boot the kernel that is loaded"
    POWEROFF = "power off"
    PAUSE = "sleep for 5 seconds"
    PAUSE_LONG = "sleep for 30 seconds"
    WAIT_FOR_BOOT = "sleep for 5 minutes"
    LEAVE = "leave"


class State(Enum):
    """Where an agent is; the value is the name of the field."""

    INIT = "AGENT_INIT"
    WAIT_FOR_RUNNABLE = "AGENT_WAIT_FOR_RUNNABLE"
    RUN_TASK = "AGENT_RUN_TASK"
    WAIT_FOR_CHANGE_STAGE = "AGENT_WAIT_FOR_CHANGE_STAGE"
    CHANGE_STAGE = "AGENT_CHANGE_STAGE"
    REBOOT = "AGENT_REBOOT"
    KEXEC = "AGENT_KEXEC"
    POWEROFF = "AGENT_POWEROFF"
    EXIT = "AGENT_EXIT"


class Happened(Enum):
    """What came of an instruction; the value says it in words."""

    READY = "all is ready"
    BOOTENV_CHANGED = "the machine is to boot another bootenv"
    REBOOT_OWED = "a job wanted a reboot, and there was none"
    POWEROFF_OWED = "a job wanted the power off, and it is on"
    RUNNABLE = "the machine is runnable"
    NOT_RUNNABLE = "the machine is not runnable"
    TIMED_OUT = "nothing changed for an hour, with `--oneshot` for a second"
    JOB = "there is a job"
    NO_JOB = "there is no job"
    NO_WORKFLOW = "there is no job, and the machine has no workflow"
    ENDED = "the job finished, or is incomplete"
    FAILED = "the job failed"
    REBOOT = "the job, or the map, wants a reboot"
    POWEROFF = "the job, or the map, wants the power off"
    STOP = "the job, or the map, wants the agent to stop"
    STAYED = "the map names no other stage"
    STAGE_CHANGED = "the machine is in another stage"
    INSTALLING = "an installer runs, which boots the machine itself"
    KEXEC_READY = "a kernel is loaded, and may be booted"
    KEXEC_NOT_READY = "the machine has to be rebooted"
    LEFT = "the machine goes down, and the agent with it"
    UP_AGAIN = "the machine is up again, and the agent still there"
    SKIPPED = "the agent has a context, or `--skip-power`"
    ERROR = "there was an error"
    SLEPT = "the time is over"
    INTERRUPTED = "a signal told the agent to end"
    GIVEN_BACK = "the job is marked, or cannot be"


class When(Enum):
    """With which option a transition counts."""

    ALWAYS = ""
    ONESHOT = "--oneshot"
    EXIT_ON_FAILURE = "--exit-on-failure"


class Transition(Struct, frozen=True):
    """A row of the table: in a state, after something happened, the next state and what to do there."""

    state: State
    happened: Happened
    to: State
    instruction: Instruction
    when: When = When.ALWAYS


#: What an agent does first in a state.
FIRST = MappingProxyType(
    {
        State.INIT: Instruction.BEGIN,
        State.WAIT_FOR_RUNNABLE: Instruction.WAIT_FOR_RUNNABLE,
        State.RUN_TASK: Instruction.ASK,
        State.WAIT_FOR_CHANGE_STAGE: Instruction.WAIT_FOR_CHANGE,
        State.CHANGE_STAGE: Instruction.CHANGE_STAGE,
        State.REBOOT: Instruction.REBOOT,
        State.KEXEC: Instruction.KEXEC,
        State.POWEROFF: Instruction.POWEROFF,
        State.EXIT: Instruction.LEAVE,
    }
)


#: What an agent says before an instruction; the field's tools look for these lines.
SAID = MappingProxyType(
    {
        Instruction.BEGIN: ("Agent in init",),
        Instruction.WAIT_FOR_RUNNABLE: ("Agent waiting for tasks", "Waiting on machine to become runnable"),
        Instruction.ASK: ("Agent running task",),
        Instruction.WAIT_FOR_CHANGE: (
            "Agent waiting stage change",
            "Current tasks finished, wait for stage or bootenv to change",
        ),
        Instruction.CHANGE_STAGE: (
            "Agent changing stage",
            "Current tasks finished, check to see if stage needs to change",
        ),
        Instruction.REBOOT: ("Agent rebooting",),
        Instruction.KEXEC: ("Agent booting the loaded kernel",),
        Instruction.POWEROFF: ("Agent powering off",),
        Instruction.LEAVE: ("Agent exiting",),
    }
)


def _row(
    state: State,
    happened: Happened,
    to: State,
    instruction: Instruction | None = None,
    when: When = When.ALWAYS,
) -> Transition:
    return Transition(state, happened, to, instruction or FIRST[to], when)


def _errors(state: State, pause: Instruction = Instruction.PAUSE) -> tuple[Transition, ...]:
    """After an error an agent begins anew, after a while."""
    return (
        _row(state, Happened.ERROR, State.EXIT, when=When.EXIT_ON_FAILURE),
        _row(state, Happened.ERROR, State.INIT, pause),
    )


def _bootenv(state: State) -> tuple[Transition, ...]:
    """A machine that is to boot another bootenv does, unless an installer runs, which does it itself."""
    return (
        _row(state, Happened.BOOTENV_CHANGED, state, Instruction.LEAVE_BOOTENV),
        _row(state, Happened.INSTALLING, State.EXIT),
        _row(state, Happened.KEXEC_READY, State.KEXEC),
        _row(state, Happened.KEXEC_NOT_READY, State.REBOOT),
    )


def _waiting(state: State) -> tuple[Transition, ...]:
    return (
        _row(state, Happened.RUNNABLE, State.RUN_TASK),
        _row(state, Happened.NOT_RUNNABLE, State.WAIT_FOR_RUNNABLE),
        _row(state, Happened.TIMED_OUT, State.EXIT, when=When.ONESHOT),
        _row(state, Happened.TIMED_OUT, state),
        *_bootenv(state),
        *_errors(state),
    )


#: Of rows for the same state and event the first counts whose option is there.
TABLE: tuple[Transition, ...] = (
    _row(State.INIT, Happened.READY, State.WAIT_FOR_RUNNABLE),
    _row(State.INIT, Happened.REBOOT_OWED, State.REBOOT),
    _row(State.INIT, Happened.POWEROFF_OWED, State.POWEROFF),
    *_bootenv(State.INIT),
    *_errors(State.INIT, Instruction.PAUSE_LONG),
    _row(State.INIT, Happened.SLEPT, State.INIT),
    *_waiting(State.WAIT_FOR_RUNNABLE),
    _row(State.RUN_TASK, Happened.JOB, State.RUN_TASK, Instruction.RUN),
    _row(State.RUN_TASK, Happened.NO_JOB, State.WAIT_FOR_CHANGE_STAGE),
    _row(State.RUN_TASK, Happened.NO_WORKFLOW, State.CHANGE_STAGE),
    _row(State.RUN_TASK, Happened.NOT_RUNNABLE, State.WAIT_FOR_RUNNABLE),
    _row(State.RUN_TASK, Happened.ENDED, State.WAIT_FOR_RUNNABLE),
    _row(State.RUN_TASK, Happened.FAILED, State.EXIT, when=When.EXIT_ON_FAILURE),
    _row(State.RUN_TASK, Happened.FAILED, State.WAIT_FOR_RUNNABLE),
    _row(State.RUN_TASK, Happened.REBOOT, State.REBOOT),
    _row(State.RUN_TASK, Happened.POWEROFF, State.POWEROFF),
    _row(State.RUN_TASK, Happened.STOP, State.EXIT),
    _row(State.RUN_TASK, Happened.INTERRUPTED, State.RUN_TASK, Instruction.GIVE_BACK),
    _row(State.RUN_TASK, Happened.GIVEN_BACK, State.EXIT),
    *_errors(State.RUN_TASK),
    *_waiting(State.WAIT_FOR_CHANGE_STAGE),
    _row(State.CHANGE_STAGE, Happened.STAYED, State.WAIT_FOR_CHANGE_STAGE),
    _row(State.CHANGE_STAGE, Happened.STAGE_CHANGED, State.WAIT_FOR_RUNNABLE),
    _row(State.CHANGE_STAGE, Happened.POWEROFF, State.POWEROFF),
    _row(State.CHANGE_STAGE, Happened.STOP, State.EXIT),
    *_bootenv(State.CHANGE_STAGE),
    *_errors(State.CHANGE_STAGE),
    _row(State.REBOOT, Happened.LEFT, State.EXIT),
    _row(State.REBOOT, Happened.UP_AGAIN, State.INIT),
    _row(State.REBOOT, Happened.SKIPPED, State.EXIT),
    _row(State.REBOOT, Happened.ERROR, State.EXIT),
    _row(State.KEXEC, Happened.LEFT, State.KEXEC, Instruction.WAIT_FOR_BOOT),
    _row(State.KEXEC, Happened.SLEPT, State.REBOOT),
    _row(State.KEXEC, Happened.UP_AGAIN, State.INIT),
    _row(State.KEXEC, Happened.SKIPPED, State.EXIT),
    _row(State.KEXEC, Happened.ERROR, State.REBOOT),
    _row(State.POWEROFF, Happened.LEFT, State.EXIT),
    _row(State.POWEROFF, Happened.SKIPPED, State.EXIT),
    _row(State.POWEROFF, Happened.ERROR, State.EXIT),
    *(
        _row(state, Happened.INTERRUPTED, State.EXIT)
        for state in State
        if state not in (State.RUN_TASK, State.EXIT)
    ),
)  # fmt: skip


class Impossible(Exception):
    """Something happened that cannot happen in that state."""


def next_step(state: State, happened: Happened, options: frozenset[When] = frozenset()) -> Transition:
    """The row of the table that counts.

    Args:
        state: where the agent is.
        happened: what came of its instruction.
        options: those of `When` that it was started with.

    Raises:
        Impossible: there is none.
    """
    for row in TABLE:
        if (row.state, row.happened) == (state, happened) and row.when in {When.ALWAYS, *options}:
            return row
    raise Impossible(f"{state.value}: {happened.value}")
