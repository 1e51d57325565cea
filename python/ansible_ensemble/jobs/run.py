"""Run: a plan is executed in this process, into a new journal."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.changes.history import newest_job
from ansible_ensemble.core.changeid import new_job_id
from ansible_ensemble.core.clock import now
from ansible_ensemble.engine.entry_builders import job_started_entry
from ansible_ensemble.engine.event_sink import Observer
from ansible_ensemble.engine.execute import JobExecution
from ansible_ensemble.engine.journal_entries import Entry, Finished, Skipped, Started
from ansible_ensemble.engine.lock_watch import LockWatch
from ansible_ensemble.engine.mesh import mesh_of
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import recorded_options
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.execution.workers import AnsibleWorker, Workers
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.records.journals import create_journal
from ansible_ensemble.records.repositories import starting_point
from ansible_ensemble.reports.progress import Progress
from ansible_ensemble.reports.style import Style, style_for
from ansible_ensemble.state.journal_upload import JournalUpload

if TYPE_CHECKING:
    from ansible_ensemble.lanes.surroundings import Surroundings
    from ansible_ensemble.mesh.workers import MeshWorkers


def run_plan(
    ensemble: Ensemble,
    plan: Plan,
    options: JobOptions,
    make_lanes: Callable[[], AnsibleWorker],
    *,
    show: Callable[[str], None],
    watch: LockWatch | None = None,
    start_upload: Callable[[Path], JournalUpload] | None = None,
    progress: bool = True,
    shown: bool = False,
    verbosity: int = 0,
    inventory: frozenset[str] = frozenset(),
    observers: Iterable[Observer] = (),
    approved_by: str = "",
    plan_digest: str = "",
    surroundings: Callable[[Path | None], Surroundings] | None = None,
) -> tuple[JobOutcome, Path]:
    """Execute a plan, and show its progress; returns the outcome and the journal.

    With `shown`, observers show what begins and ends, and progress only the rest. The journal of a dry run is among the
    planned files, so that nobody records it. `surroundings` gives what nodes of a mesh have to know of the inventory.
    """
    environment = ensemble.evaluator.environment
    environment.job = {"workflow": plan.workflow}
    environment.trace = lambda line: show(ensemble.redactor.text(line))
    mesh = _mesh(ensemble, plan, options, surroundings)
    job = plan.job or new_job_id(now(), newest_job(ensemble.folder))
    journal = create_journal(ensemble.planned if options.check else ensemble.folder, job, ensemble.base)
    upload = start_upload(journal.path) if start_upload is not None else None
    printers = [_ProgressLines(plan, ensemble, show, verbosity, shown=shown)] if progress else []

    async def run() -> JobOutcome:
        execution = JobExecution(
            ensemble,
            plan,
            options,
            job=job,
            journal=journal,
            workers=Workers(make_lanes),
            renderer=Renderer(ensemble, options, inventory),
            watch=watch,
            upload=upload,
            mesh=mesh,
            observers=(*observers, *printers),
        )
        # from here on the job has begun: a journal without its end is taken for that of a killed job
        recorded = recorded_options(options, ensemble.topology, ensemble.codec)
        start = starting_point(ensemble, options)
        started = job_started_entry(
            plan, job, recorded, start, ensemble.redactor, approved_by=approved_by, plan_digest=plan_digest
        )
        await journal.committed(journal.append(started.to_json()))
        reminders = [asyncio.create_task(one.remind()) for one in printers]
        try:
            return await execution.run()
        finally:
            for reminder in reminders:
                reminder.cancel()

    try:
        return asyncio.run(run()), journal.path
    finally:
        journal.close()
        if upload is not None:
            upload.close()


def _mesh(
    ensemble: Ensemble, plan: Plan, options: JobOptions, surroundings: Callable[[Path | None], Surroundings] | None
) -> MeshWorkers | None:
    """The workers of the ensemble's mesh; a plan that needs them does not begin without the key of their orders."""
    mesh = mesh_of(ensemble, options.mesh, surroundings)
    if mesh is not None and any(operation.node for operation in plan.operations):
        mesh.load_signer()
    return mesh


class _ProgressLines:
    """Shows the entries of a job as lines."""

    def __init__(
        self, plan: Plan, ensemble: Ensemble, show: Callable[[str], None], verbosity: int, *, shown: bool
    ) -> None:
        style = Style(style_for(sys.stdout, os.environ).colour)  # AWX reads it: lines of any length
        self._progress = Progress.of_plan(plan.to_json(), style, verbosity=verbosity)
        self._redactor = ensemble.redactor
        self._show = show
        self._shown = (Started, Finished, Skipped) if shown else ()

    def __call__(self, entry: Entry) -> None:
        lines = self._progress.lines(entry.to_json(), time.monotonic())
        for line in lines if not isinstance(entry, self._shown) else []:
            self._show(self._redactor.text(line))

    async def remind(self) -> None:
        """Name what has been running for long."""
        while True:
            await asyncio.sleep(1.0)
            for line in self._progress.tick(time.monotonic()):
                self._show(self._redactor.text(line))
