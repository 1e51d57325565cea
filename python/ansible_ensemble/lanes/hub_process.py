"""The hub's process as the job sees it: forked when an executor first wants a connection kept."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable

from ansible_ensemble.lanes import processes, remote_hub

_LOG = logging.getLogger(__name__)


class HubProcess:
    """The process of the hub.

    Attributes:
        control: where executors ask it; None if nothing listens.
    """

    def __init__(self) -> None:
        self.control: socket.socket | None = None
        self._waiting: socket.socket | None = None
        self._pid = 0

    @property
    def inherited(self) -> list[int]:
        """Descriptors that are of no use to other children of the job."""
        return [self._waiting.fileno()] if self._waiting else []

    def listen(self, inherited: Callable[[], list[int]]) -> None:
        """Start it as soon as an executor asks for it.

        Args:
            inherited: gives the job's descriptors then that it has to close.
        """
        self.control, self._waiting = socket.socketpair()
        asyncio.get_running_loop().add_reader(self._waiting, self._start, inherited)

    def close(self) -> None:
        """End it, with all connections and what runs by them."""
        self._stop_listening()
        if self.control:
            self.control.close()
            self.control = None
        if self._pid:
            processes.kill(self._pid)
            self._pid = 0

    def _start(self, inherited: Callable[[], list[int]]) -> None:
        assert self.control is not None
        assert self._waiting is not None
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            remote_hub.start(self._waiting, parent, [self.control.fileno(), *inherited()])
        _LOG.debug("the hub of kept connections, %d, began", self._pid)
        self._stop_listening()

    def _stop_listening(self) -> None:
        if self._waiting:
            asyncio.get_running_loop().remove_reader(self._waiting)
            self._waiting.close()
            self._waiting = None
