"""Settlement: a result goes to the journal, then to the instances in memory; folders of what it rendered move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ansible_ensemble.configurators.protocol import Result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.by_name import ByName
from ansible_ensemble.engine.decision import History
from ansible_ensemble.engine.entry_builders import finished_entry
from ansible_ensemble.engine.event_sink import EventSink
from ansible_ensemble.engine.settle import settle, touched
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.projects.folders import task_failed, task_succeeded

if TYPE_CHECKING:
    from ansible_ensemble.mesh.workers import MeshWorkers


class Settlement:
    """Makes results of tasks count.

    Args:
        ensemble: whose instances they change.
        sink: where they are written first.
        history: is told what became of values.
        mesh: forgets the orders of what is settled.
    """

    def __init__(self, ensemble: Ensemble, sink: EventSink, history: History, mesh: MeshWorkers | None = None) -> None:
        self._ensemble = ensemble
        self._sink = sink
        self._history = history
        self._mesh = mesh
        self._settling = ByName()

    async def settle(self, task: JobTask, result: Result, since: float) -> list[str]:
        """Settle a result under the locks of its instances; returns the refs of what was written."""
        async with self._settling.hold(touched(task, result)):
            return await self._settle_alone(task, result, since)

    async def finish_on_node(self, task: JobTask) -> None:
        """Have the node of a task, if it has one, forget its orders."""
        if self._mesh is not None and task.node is not None:
            await self._mesh.finish(task.node, task.orders)

    async def _settle_alone(self, task: JobTask, result: Result, since: float) -> list[str]:
        """Turn a result into patches, write them, then apply them."""
        ensemble, instances = self._ensemble, self._ensemble.instances
        if result.outcome is not None and not task.check:
            task.note_looked_up(result.outcome.looked_up)
        configured = ensemble.operations.configured(task.instance.name)
        try:
            settled = settle(task, result, instances, ensemble.redactor, configured)
        except InvalidInput as error:
            result.success, result.error = False, str(error)
            result.outputs.clear()
            result.instances.clear()
            settled = settle(task, result, instances, ensemble.redactor, configured)
        await self._sink.write(finished_entry(task, result, settled, since=since, codec=ensemble.codec))
        await self.finish_on_node(task)
        if result.success:
            ensemble.operation_outputs.set(task.owner, task.operation.full_name, result.outputs)
        for patch in settled.patches:
            self._history.note_values(instances.get(patch["name"]), patch)
            apply_patch(instances, patch)
        if result.success and result.outcome is not None and result.outcome.changed is False:
            self._history.unchanged.add(task.planned.key)
        self._move_folder(task, result)
        return settled.wrote

    def _move_folder(self, task: JobTask, result: Result) -> None:
        """What the task rendered goes to `active`, or to `failed.<changeid>` (docs/rules.md, "Generated files")."""
        if task.check:
            return
        name = task.planned.key.partition(":")[2]
        if result.success:
            task_succeeded(self._ensemble.folder, task.instance.name, name)
        else:
            task_failed(self._ensemble.folder, task.instance.name, name, task.id)
