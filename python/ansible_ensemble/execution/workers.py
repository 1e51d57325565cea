"""The workers of a job: each order goes to what can execute it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from ansible_ensemble.core.orders import Command, ModuleCall, Order, Outcome, Play, Request
from ansible_ensemble.execution.conversation import Answer, converse
from ansible_ensemble.execution.kept_program import KeptPrograms
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.execution.watchdog import Watchdog

#: Takes a line for people.
Tell = Callable[[str], Awaitable[None]]


class AnsibleWorker(Protocol):
    """What executes modules and plays (`lanes.ansible_lanes.AnsibleLanes`)."""

    async def run(self, order: ModuleCall | Play, *, tell: Tell | None = None, answer: Answer | None = None) -> Outcome:
        """Carry out an order.

        `tell` gets a line for each task of a play that is to be told of, `answer` what a module call asks.
        """

    async def close(self) -> None:
        """End everything."""


class Workers:
    """Carries out orders; Ansible is made ready when the first order for it comes.

    Should this process be killed, a watchdog ends the commands it left.

    Args:
        ansible: makes the Ansible worker.
        grace: seconds that a subprocess gets between TERM and KILL.
    """

    def __init__(self, ansible: Callable[[], AnsibleWorker], *, grace: float = 5.0) -> None:
        self._make_ansible = ansible
        self._ansible: AnsibleWorker | None = None
        self._grace = grace
        self._watchdog = Watchdog()
        self._kept = KeptPrograms(grace, self._watchdog)

    async def run(self, order: Order, tell: Tell | None = None) -> Outcome:
        """Carry out an order; cancelling ends whatever it started. `tell` gets lines about tasks of a play."""
        if isinstance(order, Command):
            return await run_command(order, grace=self._grace, watchdog=self._watchdog)
        if isinstance(order, Request):
            return await self._kept.ask(order)
        return await self._worker().run(order, tell=tell)

    async def converse(self, order: Command | ModuleCall, answer: Answer) -> Outcome:
        """Carry out an order and answer what it asks; cancelling ends it."""
        if isinstance(order, Command):
            return await converse(order, answer, self.run)
        return await self._worker().run(order, answer=answer)

    def _worker(self) -> AnsibleWorker:
        if self._ansible is None:
            self._ansible = self._make_ansible()
        return self._ansible

    async def close(self) -> None:
        """End what is still running."""
        try:
            if self._ansible is not None:
                await self._ansible.close()
        finally:
            await self._kept.close()
            self._watchdog.close()
