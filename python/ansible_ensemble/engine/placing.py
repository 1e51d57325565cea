"""Placing: operations get a place on a node of a mesh, as the scheduler gives them out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_hex
from typing import TYPE_CHECKING

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.execution.events import Event, NodeLeft, NodesKnown
from ansible_ensemble.execution.scheduler import Scheduler

if TYPE_CHECKING:
    from ansible_ensemble.mesh.workers import MeshWorkers


class Placing:
    """Tells the scheduler which nodes there are, and tasks which of them they are given.

    Args:
        scheduler: of the job; feed: sends it events.
        mesh: the nodes; None if there is no mesh.
    """

    def __init__(self, scheduler: Scheduler, feed: Callable[[Event], None], mesh: MeshWorkers | None) -> None:
        self._scheduler = scheduler
        self._feed = feed
        self._mesh = mesh
        self._changed = asyncio.Event()

    async def able(self, pattern: str) -> tuple[str, ...]:
        """The nodes that can take operations which are planned on such nodes."""
        if self._mesh is None:
            raise InvalidInput(f"it is planned on {pattern}, and there is no mesh", hint="make a new plan")
        able = await self._mesh.able(pattern)
        if able != self._scheduler.nodes(pattern):
            self._feed(NodesKnown(pattern, able))
        return able

    def run_on(self, task: JobTask, node: str | None) -> None:
        """Have a task run on a node, by orders with names of their own."""
        task.node, task.ordered_as = node, f"{task.id}-{token_hex(8)}"

    async def place_part(self, task: JobTask) -> None:
        """Have a part of an operation run on a node, once one has a place, if it does not run here."""
        pattern = task.planned.node
        while pattern is not None and task.node is None:
            await self.able(pattern)
            self.run_on(task, self._scheduler.take(pattern))
            if task.node is None:
                self._changed.clear()
                await self._changed.wait()

    def part_ended(self, task: JobTask) -> None:
        """Free the place of a part of an operation."""
        if task.node is not None:
            self._feed(NodeLeft(task.node))

    def something_ended(self) -> None:
        """Look for places again."""
        self._changed.set()
