"""The driver of configurators: executes their orders, and sends them the results."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.configurators.protocol import Basis, Configurator, Conversation, Note, Progress, Result, SubTask
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import Command, Order, Outcome, Request
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.execution.workers import Workers

if TYPE_CHECKING:
    from ansible_ensemble.mesh.workers import MeshWorkers

_Ordered = Order | SubTask | Conversation | Progress | Note
_Returned = TypeVar("_Returned")


class Driver:
    """Drives configurators: each order goes to the workers, each sub-task to its own operation.

    `tell` gets the progress of tasks, `note` what they made. The orders of a task for which a node of a
    mesh was chosen are executed there.
    """

    def __init__(
        self,
        workers: Workers,
        run_sub_task: Callable[[JobTask, SubTask], Awaitable[Result]],
        tell: Callable[[JobTask, str], Awaitable[None]],
        note: Callable[[JobTask, dict[str, Any]], Awaitable[None]],
        mesh: MeshWorkers | None = None,
    ) -> None:
        self._workers = workers
        self._run_sub_task = run_sub_task
        self._tell = tell
        self._note = note
        self._mesh = mesh

    async def carry_out(self, task: JobTask, configurator: Configurator | None) -> Result:
        """Execute a task; without a configurator there is nothing to do."""
        if configurator is None:
            await asyncio.sleep(0.0 if task.check else task.planned.pause)
            return Result(success=True, modified=False)
        if task.check and not configurator.can_dry_run(task):
            modified = False if task.setting("changed_when") is False else None
            return Result(success=True, modified=modified, basis=Basis.NOT_RUN)
        if not task.check:
            task.check_preconditions()
        try:
            with closing(configurator.run(task)) as steps:
                return await self._drive(task, steps)
        except EnsembleError:
            raise
        except Exception as error:  # a bug in a configurator fails its operation only
            return Result(success=False, error=f"{configurator.name} raised {type(error).__name__}: {error}")

    async def _drive(self, task: JobTask, steps: Generator[_Ordered, object, _Returned]) -> _Returned:
        """Execute each order of a generator, which gets results and errors; returns what it returns."""
        step: Callable[[Any], _Ordered] = steps.send  # or steps.throw, which takes errors
        answer: object = None
        while True:
            try:
                order = step(answer)
            except StopIteration as stop:
                returned: _Returned = stop.value
                return returned
            try:
                step, answer = steps.send, await self._ordered(task, order)
            except EnsembleError as error:
                step, answer = steps.throw, error

    async def _ordered(self, task: JobTask, order: _Ordered) -> object:
        match order:
            case Progress():
                await self._tell(task, order.text)
                return None
            case Note():
                await self._note(task, order.made)
                return None
            case SubTask():
                return await self._run_sub_task(task, order)
            case _ if task.node is not None:
                return await self._run_elsewhere(task, task.node, order)
            case _:
                try:
                    return await self._run_here(task, order)
                finally:
                    if self._mesh is not None:
                        self._mesh.look_again()

    async def _run_here(self, task: JobTask, order: Order | Conversation) -> Outcome:
        if isinstance(order, Conversation):
            answer = order.answer
            return await self._workers.converse(order.order, lambda asked: self._drive(task, answer(asked)))
        return await self._workers.run(order, partial(self._tell, task))

    async def _run_elsewhere(self, task: JobTask, node: str, order: Order | Conversation) -> Outcome:
        """Have a node carry out an order; a line of shell finds nothing of the controller's folders there."""
        if isinstance(order, Request | Conversation) or self._mesh is None:
            raise InvalidInput(f"it is planned on {node}, which cannot do it", hint="make a new plan")
        if isinstance(order, Command) and resolve(task.operation, task.root).configurator == "script":
            own = order.argv[0] == sys.executable  # theirs is another one
            order = replace(order, argv=("python3", *order.argv[1:]) if own else order.argv)
        elif isinstance(order, Command):
            folder = task.inputs.get("cwd")
            if folder is not None and not PurePath(str(folder)).is_absolute():
                problem = f'the folder "{folder}" is none of {node}'
                raise InvalidInput(problem, task.operation.place, "name it from its root")
            order = replace(order, cwd=None if folder is None else str(folder))
        task.orders.append(name := f"{task.ordered_as}.{len(task.orders) + 1}")
        outcome = await self._mesh.run(node, name, order)
        for line in outcome.told:
            await self._tell(task, line)
        return outcome
