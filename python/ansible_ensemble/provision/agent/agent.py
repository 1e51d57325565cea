"""An agent: takes one machine from state to state, by what it asks of the server and does on a host."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from ansible_ensemble.provision.agent import power
from ansible_ensemble.provision.agent.beginning import begin
from ansible_ensemble.provision.agent.current_job import CurrentJob
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.stage_map import STAGE_MAP, after_stage, next_stage
from ansible_ensemble.provision.agent.states import FIRST, SAID, Happened, Instruction, State, next_step
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects.content import Stage
from ansible_ensemble.provision.objects.machine import Machine

#: What ends a wait; None while it lasts.
After = Callable[[Machine, Machine, str], Happened | None]

#: What wakes an agent whose machine has nothing to run.
_WATCHED = ("current_task", "tasks", "runnable", "boot_env", "stage", "context")


def after_runnable(held: Machine, fresh: Machine, context: str) -> Happened | None:
    """What ends the wait for a runnable machine; None while it lasts.

    Args:
        held: the machine as the agent knew it; its bootenv is the one that runs.
        fresh: the machine as it is.
        context: the agent's.
    """
    return _after(held, fresh, context) if fresh.runnable else None


def after_change(held: Machine, fresh: Machine, context: str) -> Happened | None:
    """What ends the wait for another stage, or anything else to do; None while it lasts. Arguments as above."""
    changed = any(getattr(held, name) != getattr(fresh, name) for name in _WATCHED)
    return _after(held, fresh, context) if changed else None


def _after(held: Machine, fresh: Machine, context: str) -> Happened | None:
    elsewhere = fresh.boot_env != held.boot_env
    if not fresh.available or not (fresh.context == context or elsewhere):
        return None
    if elsewhere and not context:
        return Happened.BOOTENV_CHANGED
    if fresh.context == context and fresh.runnable:
        return Happened.RUNNABLE
    return Happened.NOT_RUNNABLE


_CONFLICT = 409
#: What a signal does not break off: who asks has to hear the answer, to give the job back.
_WHOLE = (Instruction.ASK, Instruction.GIVE_BACK)
_POWER = (State.REBOOT, State.KEXEC, State.POWEROFF)


class Agent:
    """Takes one machine from state to state until it is to leave.

    Args:
        now: what it has to work with; the client and the watch of it are open.
        key: the machine: its UUID, or `Name:...`.
    """

    def __init__(self, now: Situation, key: str) -> None:
        self._now, self._key = now, key
        self._job: CurrentJob | None = None
        self._instruction = FIRST[State.INIT]
        self._doing: asyncio.Task[Happened] | None = None
        self._signal = 0
        self._has_failed = False

    async def run(self) -> int:
        """Work until there is a reason to leave; the exit code: 0, 1 after a failure, 128+N after the signal N."""
        happened = Happened.READY
        try:
            happened = await self._work()
        except asyncio.CancelledError:  # by a second signal, maybe while it leaves
            if not self._signal:
                raise
        return self._exit_code(happened)

    async def _work(self) -> Happened:
        """Carry out instructions until one is to leave; what happened last."""
        state, happened = State.INIT, Happened.READY
        try:
            while self._instruction is not Instruction.LEAVE:
                self._announce(state)
                happened = await self._carry_out()
                row = next_step(state, happened, self._now.options.whens)
                self._instruction = row.instruction
                state = state if row.to is State.EXIT else row.to
            self._announce(state)
            return happened
        finally:
            await self._now.leave()

    def stop(self, number: int) -> None:
        """End the script that runs, give its job back, and leave, because of a signal."""
        self._signal = number
        self._now.say(f"The agent is told to end by {signal.Signals(number).name}")
        if self._job:
            self._job.is_cut = True
        if self._doing and self._instruction not in _WHOLE and not (self._job and self._job.is_marking):
            self._doing.cancel()

    def _announce(self, state: State) -> None:
        """Say what is done next; who powers the machine off or on leaves without a word."""
        if self._instruction is Instruction.LEAVE and state in _POWER:
            return
        for line in SAID.get(self._instruction, ()):
            self._now.say(line)

    async def _carry_out(self) -> Happened:
        """What comes of the instruction."""
        if self._signal and self._instruction is not Instruction.GIVE_BACK:
            return Happened.INTERRUPTED
        self._doing = asyncio.create_task(self._do())
        try:
            return await self._doing
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._signal or (task and task.cancelling()):
                raise
            return Happened.INTERRUPTED
        except (RequestFailed, HostFailed) as error:
            self._now.say(f"Error: {error}")
            return Happened.ERROR

    async def _do(self) -> Happened:
        match self._instruction:
            case Instruction.BEGIN:
                return await begin(self._now, self._now.machine.uuid or self._key)
            case Instruction.WAIT_FOR_RUNNABLE:
                return await self._wait(after_runnable)
            case Instruction.WAIT_FOR_CHANGE:
                return await self._wait(after_change)
            case Instruction.ASK:
                return await self._ask()
            case Instruction.RUN:
                return await self._run_job()
            case Instruction.GIVE_BACK:
                return await self._give_back()
            case Instruction.CHANGE_STAGE:
                return await self._change_stage()
            case Instruction.LEAVE_BOOTENV:
                return await power.leave_bootenv(self._now)
            case Instruction.REBOOT:
                return await power.reboot(self._now)
            case Instruction.KEXEC:
                return await power.kexec(self._now)
            case Instruction.POWEROFF:
                return await power.poweroff(self._now)
        await asyncio.sleep(self._now.options.pauses[self._instruction])
        return Happened.SLEPT

    async def _ask(self) -> Happened:
        """Ask for the next job; a refusal because the machine was paused meanwhile is no error."""
        now = self._now
        try:
            job = await now.client.next_job(now.machine.uuid, now.context)
        except RequestFailed as error:
            if error.error.code == _CONFLICT and not (await now.look()).runnable:
                return Happened.NOT_RUNNABLE
            raise
        if job is None or not job.state:
            return Happened.NO_JOB if now.machine.workflow else Happened.NO_WORKFLOW
        self._job = CurrentJob(now, job)
        return Happened.JOB

    async def _run_job(self) -> Happened:
        assert self._job  # there is one after it was asked for
        job, self._has_failed = self._job, True
        try:
            async with self._now.turn:
                happened = await job.run()
        except (RequestFailed, HostFailed):
            self._job = None
            raise
        self._has_failed, self._job = job.outcome.failed, None
        return happened

    async def _give_back(self) -> Happened:
        """Give the job back that the agent has, if it has one."""
        try:
            if self._job:
                await self._job.give_back()
        except RequestFailed as error:
            self._now.say(f"Error giving the job back: {error}")
        return Happened.GIVEN_BACK

    async def _wait(self, after: After) -> Happened:
        """Look at the machine, and again whenever it changes, until that ends the wait or nothing changes for long.

        What was heard of the machine saves a look, if it ends the wait.
        """
        now, changed, fresh = self._now, True, self._now.changes.heard()
        happened = after(now.machine, fresh, now.context) if fresh else None
        while changed and happened is None:
            now.changes.look()
            fresh = await now.look()
            happened = after(now.machine, fresh, now.context)
            changed = happened is not None or await now.changes.wait(now.options.wait)
        if fresh and happened is not Happened.BOOTENV_CHANGED:
            now.machine = fresh
        now.say(f"Wait: finished with {'complete' if happened else 'timeout'}")
        return happened or Happened.TIMED_OUT

    async def _change_stage(self) -> Happened:
        """Change to the stage that the map of stages names."""
        now, before = self._now, self._now.machine
        found = next_stage(await now.param(STAGE_MAP), before)
        if found is None:
            return Happened.STAYED
        stage = await now.client.get(Stage, found.name)
        change = [
            {"op": "test", "path": "/Stage", "value": before.stage},
            {"op": "replace", "path": "/Stage", "value": found.name},
        ]
        after = await now.client.patch(Machine, before.uuid, change)
        now.machine = after.replaced(boot_env=before.boot_env)
        return after_stage(found, stage, before)

    def _exit_code(self, happened: Happened) -> int:
        if self._signal:
            return 128 + self._signal
        in_vain = happened in (Happened.ERROR, Happened.FAILED)
        return int(in_vain or (happened is Happened.TIMED_OUT and self._has_failed))
