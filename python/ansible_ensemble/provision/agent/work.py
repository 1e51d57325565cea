"""The jobs of an agent: it asks for the next one, carries it out, and says how that ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.provision.agent.exit_codes import FAILED, SMOOTH, Outcome
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.job_log import JobLog
from ansible_ensemble.provision.agent.job_run import JobRun
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.objects.content import Task
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.features import SANE_EXIT_CODES, flags_of

_ASKED = {"reboot": Happened.REBOOT, "poweroff": Happened.POWEROFF, "stop": Happened.STOP}


class Work:
    """One job after the other.

    Attributes:
        outcome: how the latest job ended.
    """

    def __init__(self, now: Situation) -> None:
        self.outcome: Outcome = SMOOTH
        self._now = now
        self._job = Job()
        self._log: JobLog

    async def ask(self) -> Happened:
        """Ask for the next job.

        Raises:
            RequestFailed: the server refuses, as for a machine that is not runnable, or cannot be reached.
        """
        now = self._now
        job = await now.client.next_job(now.machine.uuid, now.context)
        if job is None or not job.state:
            return Happened.NO_JOB if now.machine.workflow else Happened.NO_WORKFLOW
        self._job, self._log = job, JobLog(now.client, job.uuid, now.say)
        now.say(f"Runner created for task {job.workflow}:{job.stage}:{job.task} ({job.current_index}:{job.next_index})")
        return Happened.JOB

    async def run(self) -> Happened:
        """Carry the job out, and mark it and its machine by how that ended.

        Raises:
            RequestFailed: the server refuses, or cannot be reached.
            HostFailed: the job could not be carried out; it is failed.
        """
        now, job = self._now, self._job
        prefix, _ = split_entry(job.task)
        if prefix and job.state in ("finished", "failed"):
            return Happened.ENDED
        now.job = job.uuid
        now.save()
        self._job = await now.mark_job(job, "running")
        try:
            self.outcome = await self._refused(prefix) if prefix else await self._carried_out(job)
        except (RequestFailed, HostFailed) as error:
            await self._failed(error)
            raise
        await self._finish()
        return self._next()

    async def give_back(self) -> Happened:
        """Mark the job as incomplete, so that it is given out again; the machine stays runnable."""
        now = self._now
        try:
            await self._note(f"The agent was told to end; task {self._job.task} is incomplete")
            await self._log.flush()
            await now.mark_job(self._job, "incomplete", "stop")
        except RequestFailed as error:
            now.say(f"Error giving the job back: {error}")
        return Happened.GIVEN_BACK

    async def _carried_out(self, job: Job) -> Outcome:
        now = self._now
        task = await now.client.get(Task, job.task)
        variables = {
            **now.options.variables,
            "RS_RUNNER_DIR": now.folder,
            "RS_UUID": now.machine.uuid,
            "RS_ENDPOINT": now.settings.endpoints[0],
            "RS_TOKEN": job.token or await now.token(),
        }
        sane = SANE_EXIT_CODES in flags_of(task)
        run = JobRun(now.host, job, sane, now.folder, variables, self._facts, self._set_params, self._write)
        await self._note(f"Starting task {job.task} on {job.uuid}")
        return await run.run(await now.client.job_actions(job.uuid, await now.host.system()))

    async def _refused(self, prefix: str) -> Outcome:
        await self._note(f"This agent does not carry out entries like {prefix}:")
        return FAILED

    async def _failed(self, error: Exception) -> None:
        """Mark the job as failed because of an error."""
        await self._note(str(error))
        await self._log.flush()
        self.outcome = FAILED
        await self._now.mark_job(self._job, "failed", "failed")

    async def _finish(self) -> None:
        now, outcome = self._now, self.outcome
        await self._note(f"Task {self._job.task} {outcome.state}")
        if outcome.asks:
            await self._note(f"Task signalled {outcome.exit_state}")
        await self._log.flush()
        if not outcome.is_smooth:
            await now.set_runnable(False)
        await now.mark_job(self._job, outcome.state, outcome.exit_state)

    def _next(self) -> Happened:
        if self.outcome.failed:
            return Happened.FAILED
        return _ASKED.get(self.outcome.exit_state, Happened.ENDED)

    async def _facts(self) -> Mapping[str, Any]:
        now = self._now
        return {**await now.client.params(now.machine, aggregate=True), "machine": plain(await now.look())}

    async def _set_params(self, params: Mapping[str, Any]) -> None:
        for name, value in params.items():
            await self._now.client.set_param(self._now.machine, name, value)

    async def _note(self, line: str) -> None:
        await self._write(f"{line}\n".encode())

    async def _write(self, data: bytes) -> None:
        self._now.say(data.decode(errors="replace").removesuffix("\n"))
        await self._log.write(data)
