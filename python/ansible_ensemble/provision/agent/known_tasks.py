"""What agents of one process know of tasks: hundreds of machines run the same ones at once."""

from __future__ import annotations

import asyncio
import time

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.objects.content import Task
from ansible_ensemble.provision.rules.features import SANE_EXIT_CODES, flags_of

#: Seconds that an answer counts: a task that is changed now could as well have been changed a moment later.
_LIFE = 1.0


class KnownTasks:
    """Tasks as the server has just told them; agents that ask at the same time have one answer."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._answers: dict[str, tuple[float, asyncio.Task[Task]]] = {}

    async def is_sane(self, name: str) -> bool:
        """Whether a task has the sane exit codes."""
        until, answer = self._answers.get(name, (0.0, None))
        if answer is None or time.monotonic() >= until:
            answer = asyncio.create_task(self._client.get(Task, name))
            self._answers[name] = (time.monotonic() + _LIFE, answer)
        return SANE_EXIT_CODES in flags_of(await asyncio.shield(answer))
