"""The job that an agent has: carried out on the host, logged, and marked by how it ended."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.provision.agent.exit_codes import FAILED, SMOOTH, Outcome
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.job_run import JobRun
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.parameters import is_sealed

#: Bytes that are sent at once, at most; seconds until fewer are sent; bytes that may wait before output has to.
_CHUNK, _QUIET, _FULL = 65536, 1.0, 16 * 65536


class JobLog:
    """Sends what is written: 64 KiB at once, or after a second what there is. The first refusal ends it.

    Args:
        client: to whom it is sent.
        job: the UUID of the job.
        say: is told why nothing more is sent.
    """

    def __init__(self, client: Client, job: str, say: Callable[[str], None]) -> None:
        self._client, self._job, self._say = client, job, say
        self._held = bytearray()
        self._due = asyncio.Event()
        self._is_open = True
        self._sender: asyncio.Task[None] | None = None

    async def write(self, data: bytes) -> None:
        """Have data sent; waits while much is waiting already."""
        if not self._is_open:
            return
        self._held += data
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        if len(self._held) >= _CHUNK:
            self._due.set()
        if len(self._held) >= _FULL:
            await self.flush()

    async def flush(self) -> None:
        """Have everything sent that was written."""
        if self._sender:
            self._due.set()
            await asyncio.shield(self._sender)

    async def _send(self) -> None:
        while self._held:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), _QUIET)
            self._due.clear()
            while self._held:
                chunk = bytes(self._held[:_CHUNK])
                del self._held[:_CHUNK]
                await self._put(chunk)

    async def _put(self, chunk: bytes) -> None:
        try:
            await self._client.append_log(self._job, chunk)
        except RequestFailed as error:
            self._say(f"The log is sent no further: {error}")
            self._is_open = False
            self._held.clear()


_ASKED = {"reboot": Happened.REBOOT, "poweroff": Happened.POWEROFF, "stop": Happened.STOP}
#: Bytes of a line that is said before its end has come.
_LONGEST = 65536
#: What a machine keeps to itself.
_SECRET = "Secret"


class CurrentJob:
    """A job, from the answer that gave it to its end.

    Attributes:
        outcome: how it ended.
        is_marking: whether the server is told its state, which is not to be broken off.
        is_cut: whether it is to be broken off then.
    """

    def __init__(self, now: Situation, job: Job) -> None:
        self.outcome: Outcome = SMOOTH
        self.is_marking = self.is_cut = False
        self._now, self._job = now, job
        self._unfinished = b""
        self._log = JobLog(now.client, job.uuid, now.say)

    async def run(self) -> Happened:
        """Carry the job out, and mark it and its machine by how that ended.

        Raises:
            HostFailed: the job could not be carried out; it is failed.
        """
        now, job = self._now, self._job
        now.say(f"Runner created for task {job.workflow}:{job.stage}:{job.task} ({job.current_index}:{job.next_index})")
        prefix, _other = split_entry(job.task)
        if self._is_over:
            return Happened.ENDED
        now.job, now.stopping = job.uuid, False
        now.save()
        with self._marking():
            self._job = await now.mark_job(job, "running")
        if self.is_cut:
            raise asyncio.CancelledError
        try:
            self.outcome = await self._refused(prefix) if prefix else await self._carried_out(job)
        except (RequestFailed, HostFailed) as error:
            await self._note(str(error))
            self.outcome = FAILED
            await self._end()
            raise
        await self._end()
        return Happened.FAILED if self.outcome.failed else _ASKED.get(self.outcome.exit_state, Happened.ENDED)

    async def give_back(self) -> None:
        """Mark the job as incomplete, so that it is given out again; the machine stays runnable."""
        if self._is_over:
            return
        await self._note(f"The agent was told to end; task {self._job.task} is incomplete")
        await self._log.flush()
        await self._now.mark_job(self._job, "incomplete", "stop")

    @property
    def _is_over(self) -> bool:
        """Whether the server itself has done what there was to do."""
        return bool(split_entry(self._job.task)[0]) and self._job.state in ("finished", "failed")

    async def _carried_out(self, job: Job) -> Outcome:
        now = self._now
        sane = await now.tasks.is_sane(job.task)
        run = JobRun(
            now.host,
            job,
            sane,
            now.folder,
            await self._variables(),
            self._facts,
            self._set_params,
            self._write,
            self._note,
        )
        await self._note(f"Starting task {job.task} on {job.uuid}")
        return await run.run(await now.client.job_actions(job.uuid, await now.host.system()))

    async def _variables(self) -> Mapping[str, str]:
        now, temporary = self._now, posixpath.dirname(self._now.folder)
        return {
            **now.options.variables,
            "TMPDIR": temporary,
            "TMP": temporary,
            "RS_RUNNER_DIR": now.folder,
            "RS_UUID": now.machine.uuid,
            "RS_JOB_UUID": self._job.uuid,
            "RS_ENDPOINT": now.settings.endpoints[0],
            "RS_TOKEN": self._job.token or await now.token(),
        }

    async def _refused(self, prefix: str) -> Outcome:
        await self._note(f"This agent does not carry out entries like {prefix}:")
        return FAILED

    async def _end(self) -> None:
        """Mark the job, and before it its machine if nothing may follow: who is gone in between leaves it said."""
        now, outcome = self._now, self.outcome
        await self._note(f"Task {self._job.task} {outcome.state}")
        if outcome.asks:
            await self._note(f"Task signalled {outcome.exit_state}")
        await self._log.flush()
        with self._marking():
            if not outcome.is_smooth:
                now.stopping = True
                now.save()
                await now.set_runnable(False)
            await now.mark_job(self._job, outcome.state, outcome.exit_state)

    @contextmanager
    def _marking(self) -> Iterator[None]:
        self.is_marking = True
        try:
            yield
        finally:
            self.is_marking = False

    async def _facts(self) -> Mapping[str, Any]:
        """The params of the machine, secure ones open and marked as sensitive, and the machine."""
        now = self._now
        kept = await now.client.params(now.machine, aggregate=True)
        params = await now.client.params(now.machine, aggregate=True, decode=True)
        params |= {name: mark_sensitive(params[name]) for name in params if is_sealed(kept.get(name))}
        machine = {name: value for name, value in plain(await now.look()).items() if name != _SECRET}
        return {**params, "machine": machine}

    async def _set_params(self, params: Mapping[str, Any]) -> None:
        for name, value in params.items():
            await self._now.client.set_param(self._now.machine, name, value)

    async def _note(self, line: str) -> None:
        """Say a line of the agent's own, in the log too."""
        begin = "\n" if self._unfinished else ""
        await self._write(f"{begin}{line}\n".encode())

    async def _write(self, data: bytes) -> None:
        """Say and log what a script prints."""
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        if len(self._unfinished) > _LONGEST:
            lines, self._unfinished = [*lines, self._unfinished], b""
        for line in lines:
            self._now.say(line.decode(errors="replace"))
        await self._log.write(data)
