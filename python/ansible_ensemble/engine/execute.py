"""Execute: runs the operations of a plan through the scheduler and the workers, each step into the journal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from ansible_ensemble.configurators.protocol import Basis, Configurator, Result, SubTask
from ansible_ensemble.core.changeid import task_id
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.engine.decision import Decision, History, Present, Verdict, decide
from ansible_ensemble.engine.driver import Driver
from ansible_ensemble.engine.entry_builders import failed_entry, job_finished_entry, started_entry
from ansible_ensemble.engine.event_sink import EventSink, Observer
from ansible_ensemble.engine.journal_entries import (
    Blocked,
    Cancelled,
    JobStopping,
    Mended,
    Noted,
    OperationsPlanned,
    Progressed,
    Skipped,
    Waiting,
)
from ansible_ensemble.engine.lock_watch import LockWatch
from ansible_ensemble.engine.outcome import REPORTED, Endings, JobOutcome
from ansible_ensemble.engine.placing import Placing
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.predictions import needs
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.engine.settle import entry_patch
from ansible_ensemble.engine.settlement import Settlement
from ansible_ensemble.engine.slots import slots_of
from ansible_ensemble.engine.stopping import Stopping
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.execution import events
from ansible_ensemble.execution.journal import Journal
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import State
from ansible_ensemble.execution.workers import Workers
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.instances.status import Priority, Status
from ansible_ensemble.planning.guard import Branch
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.state.journal_upload import JournalUpload
from ansible_ensemble.views.reads import Deferred

if TYPE_CHECKING:
    from ansible_ensemble.mesh.workers import MeshWorkers


class JobExecution:
    """One execution of a plan.

    Data flow: the scheduler says what to run; `_operate` renders and executes it; the result becomes patches, which go
    to the journal, and only then to the scheduler and the instances in memory.

    The watch tells when the job's lock is lost. With an upload, an operation begins only once the remote state has the
    journal's entry for it.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        plan: Plan,
        options: JobOptions,
        *,
        job: str,
        journal: Journal,
        workers: Workers,
        renderer: Renderer,
        watch: LockWatch | None = None,
        upload: JournalUpload | None = None,
        mesh: MeshWorkers | None = None,
        observers: Iterable[Observer] = (),
    ) -> None:
        self._ensemble = ensemble
        self._plan = plan
        self._options = options
        self._job = job
        self._endings = Endings(job)
        self._sink = EventSink(journal, (self._endings.take, *observers))
        self._workers = workers
        self._renderer = renderer
        self._mesh = mesh
        self._driver = Driver(workers, self._sub_task, self._tell_progress, self._note_made, mesh)
        self._planned = {operation.key: operation for operation in plan.operations}
        limits = Limits(jobs=options.parallel, per_host=options.jobs_per_host or None)
        if mesh is not None:
            limits = structs.replace(limits, per_node=mesh.per_node)
        self._scheduler = Scheduler(limits, fail_fast=options.fail_fast)
        self._placing = Placing(self._scheduler, self._feed, mesh)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._carried: dict[str, asyncio.Task[Result]] = {}
        self._cancelled: set[str] = set()
        self._cut_off: set[str] = set()  # of which a part was
        self._numbers = 0
        self._task_ids: dict[str, str] = {}
        self._history = History()
        self._settlement = Settlement(ensemble, self._sink, self._history, mesh)
        self._done: asyncio.Future[str | None] | None = None
        self._stopping = Stopping(options.grace, self._feed, self._tell_stop)
        self._watch = watch
        self._upload = upload
        self._lost_lock = False

    async def run(self) -> JobOutcome:
        """Run the plan to its end, or until it is stopped."""
        loop, since = asyncio.get_running_loop(), time.monotonic()
        self._done = loop.create_future()
        self._stopping.begin()
        watching = [loop.create_task(self._watch_for(self._watch.lost))] if self._watch is not None else []
        if self._upload is not None:
            self._upload.begin()
            failed, has_lost_lock = self._upload.failed, self._upload.has_lost_lock
            watching.append(loop.create_task(self._watch_for(lambda: failed, of_lock=has_lost_lock)))
        try:
            scheduled = tuple(self._scheduled(operation) for operation in self._plan.operations)
            self._feed(events.OperationsAdded(scheduled))
            stopped = await self._done
        finally:
            self._stopping.end()
            for task in (*watching, *self._running.values()):
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)
            await self._workers.close()
            if self._mesh is not None:
                await self._mesh.close()
        outcome = self._endings.outcome(stopped, self._stopping.signal, lost_lock=self._lost_lock)
        await self._sink.write(job_finished_entry(outcome, since=since))
        return outcome

    @staticmethod
    def _scheduled(operation: PlannedOperation) -> events.ScheduledOperation:
        ends = [name for name in (operation.instance, operation.target) if name is not None]
        return events.ScheduledOperation(
            key=operation.key,
            waits_for=tuple(operation.waits_for),
            waits_end=tuple(operation.waits_end),
            groups=tuple(operation.serial),
            critical=operation.priority == Priority.CRITICAL.value,
            optional=operation.optional,
            instances=tuple(ends),
            nodes=operation.node,
            retries=operation.retry.retries,
            backoff=operation.retry.backoff,
        )

    # -- the loop -----------------------------------------------------------------------------------------------

    def _feed(self, *happened: events.Event) -> None:
        """Feed events to the scheduler, and follow its instructions."""
        assert self._done is not None
        loop = asyncio.get_running_loop()
        self._placing.something_ended()
        for instruction in self._scheduler.handle(*happened):
            match instruction:
                case events.Run():
                    task = loop.create_task(self._operate(instruction))
                    self._running[instruction.key] = task
                    task.add_done_callback(partial(self._ended, instruction.key))
                case events.Blocked(key, by, lost):
                    self._sink.note(Blocked(key=key, by=by, optional=bool(lost)))
                case events.Cancelled(key, reason):
                    self._sink.note(Cancelled(key=key, reason=reason))
                case events.CancelRunning(keys):
                    for key in keys:
                        self._cancel(key)
                case events.RetryAfter(key, seconds):
                    loop.call_later(seconds, self._feed, events.RetryDue(key))
                case events.Done(stopped):
                    self._done.set_result(stopped)

    def _cancel(self, key: str) -> None:
        """Cancel an operation's execution, but neither its rendering nor its entries in the journal."""
        self._cancelled.add(key)
        if key in self._carried:
            self._carried[key].cancel()

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        if self._running.get(key) is task:
            del self._running[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            assert self._done is not None
            if not self._done.done():
                self._done.set_exception(error)

    async def _operate(self, run: events.Run) -> None:
        """Run one operation, from its rendering to its result in the journal."""
        planned = self._planned[run.key]
        if run.key in self._cancelled:
            self._feed(events.Cancelled(run.key))
            return
        decision = self._decide(planned)
        self._history.note(planned, decision)
        if decision.verdict is not Verdict.RUN:
            await self._skip(run.key, decision.reason, Basis.PREDICTED if self._options.check else Basis.NOT_RUN)
            return
        task_id_ = self._task_ids.get(run.key) or self._next_id()
        self._task_ids[run.key] = task_id_
        started, since = time.time(), time.monotonic()
        task: JobTask | None = None
        try:
            task = self._renderer.task(planned, task_id_)
            configurator = self._renderer.configurator(task)
            slots = slots_of(task, limited=self._options.jobs_per_host > 0) if configurator else None
            if (slots is not None and await self._wait(slots)) or not await self._is_placed(run.key, task):
                return  # it is rendered again once there is a slot, or was cancelled
        except Deferred as deferred:
            if self._options.check:
                await self._skip(run.key, needs(deferred.refs), Basis.NOT_RUN)
            else:
                await self._wait(events.Deferred(run.key, references=deferred.refs))
            return
        except EnsembleError as error:
            await self._fail_to_render(planned, task_id_, error)
            return
        entry = entry_patch(task)
        await self._sink.write(started_entry(task, run.attempt, started, entry))
        if entry:
            apply_patch(self._ensemble.instances, entry)
        self._feed(events.Started(run.key))
        try:
            result = await self._carried_out(run.key, task, configurator)
        except asyncio.CancelledError:
            result = _cancelled()
        except EnsembleError as error:
            result = _unable(task, error)
        if run.key in self._cut_off and not result.success:
            result = _cancelled(result.error)
        wrote = await self._settlement.settle(task, result, since)
        added: tuple[events.ScheduledOperation, ...] = ()
        try:
            added = self._plan_reported(result) if result.success else ()
        except EnsembleError as error:
            result.success, result.error = False, f"what it reported cannot be planned: {error}"
            await self._sink.write(failed_entry(planned, run.key + REPORTED, task_id_, result.error))
        self._report(run.key, result, wrote, added)

    async def _wait(self, event: events.Deferred | events.Placed | events.Misplaced) -> bool:
        """Send the scheduler what an operation needs; returns whether it has to wait, which the journal notes."""
        self._feed(event)
        state = self._scheduler.state(event.key)
        if state in (State.READY, State.DEFERRED):
            await self._sink.write(Waiting(key=event.key, for_=tuple(self._scheduler.waits(event.key))))
        return state is not State.RUNNING

    async def _skip(self, key: str, reason: str, basis: Basis) -> None:
        """End an operation that does not run; what depends on it does."""
        await self._sink.write(Skipped(key=key, reason=reason, basis=basis))
        self._feed(events.Skipped(key, reason))

    def _report(self, key: str, result: Result, wrote: list[str], added: tuple[events.ScheduledOperation, ...]) -> None:
        if result.success:
            branch = self._planned[key].guard.branch
            if branch is not None and (mended := self._failed(branch).intersection(branch.failed)):
                self._sink.note(Mended(by=key, keys=tuple(sorted(mended))))
            provided = tuple(ref[2:].replace("::", ".", 1) for ref in wrote)
            self._feed(events.Succeeded(key), events.OperationsAdded(added), events.Provided(provided))
            return
        if _is_cut_off(result):
            self._feed(events.Interrupted(key, result.error or "it was interrupted"))
        elif result.outcome is not None and result.outcome.timed_out:
            self._feed(events.TimedOut(key, result.error or "it took too long"))
        else:
            self._feed(events.Failed(key, result.error or "it failed"))

    def _plan_reported(self, result: Result) -> tuple[events.ScheduledOperation, ...]:
        """The operations that deploy the pending instances which an operation reported."""
        instances = self._ensemble.instances
        names = dict.fromkeys(item["name"] for item in result.instances)
        new = [name for name in names if (found := instances.get(name)) and found.status is Status.PENDING]
        if not new:
            return ()
        plan = plan_workflow(self._ensemble, "deploy", replace(self._options, instances=new, templates=[], limit=None))
        added = [operation for operation in plan.operations if operation.key not in self._planned]
        self._planned.update({operation.key: operation for operation in added})
        self._sink.note(OperationsPlanned(instances=tuple(new), operations=tuple(one.key for one in added)))
        return tuple(self._scheduled(operation) for operation in added)

    def _next_id(self) -> str:
        self._numbers += 1
        return task_id(self._job, self._numbers)

    def _decide(self, planned: PlannedOperation) -> Decision:
        instance = self._ensemble.instances.get(planned.instance)
        present = Present(
            failed=self._failed(planned.guard.branch),
            status=instance.status if instance is not None else None,
            unmet=partial(self._renderer.unmet, planned),
            reads_changed=partial(self._renderer.has_changed, planned),
        )
        return decide(planned, self._history, present)

    def _failed(self, branch: Branch | None) -> set[str]:
        """The operations that a branch depends on and that failed, or are blocked by one that did."""
        keys = {*branch.succeeded, *branch.failed} if branch is not None else set()
        failed = (State.FAILED, State.BLOCKED)
        return {key for key in keys & self._planned.keys() if self._scheduler.state(key) in failed}

    async def _carried_out(self, key: str, task: JobTask, configurator: Configurator | None) -> Result:
        """Execute an operation as a task that can be cancelled."""
        known = configurator is None or self._upload is None or await self._upload.uploaded()
        if key in self._cancelled:
            raise asyncio.CancelledError
        if not known:
            return Result(success=False, modified=False, error="it did not begin, as the state could not be told of it")
        self._carried[key] = asyncio.create_task(self._driver.carry_out(task, configurator))
        try:
            return await self._carried[key]
        finally:
            del self._carried[key]

    async def _sub_task(self, task: JobTask, order: SubTask) -> Result:
        """Run another operation as a sub-task, with its own change id and record."""
        started, since = time.time(), time.monotonic()
        planned = self._renderer.sub_operation(task, order)
        sub_task = self._renderer.task(planned, self._next_id())
        self._renderer.place(sub_task)
        configurator = self._renderer.configurator(sub_task)
        await self._placing.place_part(sub_task)
        try:
            result = await self._run_part(sub_task, configurator, started, since)
        finally:
            self._placing.part_ended(sub_task)
        if _is_cut_off(result):
            self._cut_off.add(task.planned.key.partition(">")[0])
        return result

    async def _run_part(
        self, sub_task: JobTask, configurator: Configurator | None, started: float, since: float
    ) -> Result:
        await self._sink.write(started_entry(sub_task, 1, started, entry_patch(sub_task)))
        try:
            result = await self._driver.carry_out(sub_task, configurator)
        except asyncio.CancelledError:
            await self._settlement.settle(sub_task, _cancelled(), since)
            raise
        except EnsembleError as error:
            await self._settlement.settle(sub_task, _unable(sub_task, error), since)
            raise
        await self._settlement.settle(sub_task, result, since)
        return result

    async def _is_placed(self, key: str, task: JobTask) -> bool:
        """Whether an operation runs here, or on a node that can take it; else it waits for one, or was cancelled."""
        pattern = task.planned.node
        if pattern is None:
            return True
        able = await self._placing.able(pattern)
        if self._scheduler.state(key) is not State.RUNNING:
            return False  # the job was stopped meanwhile
        if self._scheduler.place(key) not in able and await self._wait(events.Misplaced(key)):
            return False
        if key in self._cancelled:
            self._feed(events.Cancelled(key))
            return False
        self._placing.run_on(task, self._scheduler.place(key))
        return True

    async def _fail_to_render(self, planned: PlannedOperation, task: str, error: EnsembleError) -> None:
        """An operation that could not be rendered has changed nothing."""
        message = self._ensemble.redactor.text(str(error))
        await self._sink.write(failed_entry(planned, planned.key, task, message))
        self._feed(events.Started(planned.key), events.Failed(planned.key, message, final=True))

    async def _watch_for(
        self, lost: Callable[[], Awaitable[str]], *, of_lock: Callable[[], bool] = lambda: True
    ) -> None:
        """Stop the job when something is lost, such as the lock."""
        reason = await lost()
        self._lost_lock |= of_lock()
        self._feed(events.StopRequested(reason))
        with suppress(EnsembleError):  # the next entry will fail in the same way
            await self._sink.write(JobStopping(reason=reason, running=tuple(sorted(self._running))))

    async def _tell_progress(self, task: JobTask, text: str) -> None:
        await self._sink.write(Progressed(key=task.planned.key, text=self._ensemble.redactor.text(text)))

    async def _note_made(self, task: JobTask, made: dict[str, Any]) -> None:
        """Note in the journal what a task made, which stays recorded if the task fails."""
        patch = {"name": task.instance.name, "made": self._ensemble.redactor.marked(made)}
        await self._sink.write(Noted(key=task.planned.key, patches=(self._ensemble.codec.for_json(patch),)))
        apply_patch(self._ensemble.instances, patch)

    def _tell_stop(self, number: int) -> None:
        self._sink.tell(JobStopping(signal=number, running=tuple(sorted(self._running))))


def _cancelled(error: str | None = "it was cancelled") -> Result:
    return Result(success=False, error=error, outcome=Outcome(ok=False, cancelled=True))


def _is_cut_off(result: Result) -> bool:
    """Whether an operation had begun, and its end is unknown."""
    return not result.success and result.outcome is not None and result.outcome.cancelled


def _unable(task: JobTask, error: EnsembleError) -> Result:
    """The result of a configurator that raised an error; in a dry run a value may only be unset yet."""
    if task.check and isinstance(error, Deferred):
        return Result(success=True, messages=[needs(error.refs)], basis=Basis.NOT_RUN)
    return Result(success=False, modified=False, error=str(error))
