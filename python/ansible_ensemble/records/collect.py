"""Collect: nodes of a mesh are asked how the orders of a killed job ended, and its journal gets what they finished."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ansible_ensemble.configurators.protocol import SubTask
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.engine.decision import History
from ansible_ensemble.engine.driver import Driver
from ansible_ensemble.engine.event_sink import EventSink
from ansible_ensemble.engine.journal_entries import Noted, OperationEntry, Started
from ansible_ensemble.engine.mesh import mesh_of
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.engine.settlement import Settlement
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.execution.journal import Journal
from ansible_ensemble.execution.workers import AnsibleWorker, Workers
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.records.job_journal import Folded

if TYPE_CHECKING:
    from ansible_ensemble.mesh.workers import MeshWorkers
    from ansible_ensemble.planning.planned_operation import PlannedOperation


def collect(ensemble: Ensemble, options: JobOptions, folded: Folded, path: Path) -> list[str]:
    """Write to the journal of a killed job how its operations ended on nodes; what runs there is ended.

    An operation is rendered again for that. If this gives another order than the one that left, for files or values
    were changed meanwhile, its outcome is not taken: it would be recorded as that of what is not known to have run.

    Args:
        ensemble: as the job saw it when it began; it is changed.
        options: those of the job, with the socket of this call.
        folded: its journal, as it was read.
        path: of the journal.

    Returns:
        Warnings.
    """
    try:
        mesh = mesh_of(ensemble, options.mesh, collects=True)
        if mesh is None:
            return []
        mesh.load_signer()
        planned = {one.key: one for one in plan_workflow(ensemble, folded.header.workflow, options).operations}
    except EnsembleError as error:
        return [f"Nodes were not asked for what they finished: {error}"]
    for entry in folded.entries:
        for patch in entry.patches if isinstance(entry, (OperationEntry, Noted)) else ():
            apply_patch(ensemble.instances, ensemble.codec.open_json(patch))
    begun = [(planned[one.key], one) for one in folded.interrupted if one.ordered_as and one.key in planned]
    journal = Journal.reopen(path)
    try:
        asyncio.run(_collect(ensemble, options, EventSink(journal, ()), mesh, begun))
    finally:
        journal.close()
    return []


async def _collect(
    ensemble: Ensemble,
    options: JobOptions,
    sink: EventSink,
    mesh: MeshWorkers,
    begun: list[tuple[PlannedOperation, Started]],
) -> None:
    renderer = Renderer(ensemble, options)
    settlement = Settlement(ensemble, sink, History(), mesh)
    driver = Driver(Workers(_no_lanes), _no_sub_task, _heard, _noted, mesh)

    async def ask(planned: PlannedOperation, started: Started) -> None:
        since = time.monotonic() - max(0.0, time.time() - started.time)
        try:
            task = renderer.task(planned, started.task)
            task.node, task.ordered_as = started.node, started.ordered_as
            result = await driver.carry_out(task, renderer.configurator(task))
        except EnsembleError:
            return  # it stays interrupted
        if result.success or (result.outcome is not None and not result.outcome.cancelled):
            await settlement.settle(task, result, since)

    try:
        await asyncio.gather(*(ask(planned, started) for planned, started in begun))
    finally:
        await mesh.close()


def _no_lanes() -> AnsibleWorker:
    raise EnsembleError("nothing is executed here")


async def _no_sub_task(_task: JobTask, order: SubTask) -> NoReturn:
    raise EnsembleError(f"the part {order.operation} is not asked for")


async def _heard(_task: JobTask, _text: str) -> None:
    """It was told when it happened."""


async def _noted(_task: JobTask, _made: dict[str, Any]) -> None:
    """It is in the journal."""
