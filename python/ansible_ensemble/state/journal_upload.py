"""Upload of the journal of a running job to a remote state, by a process of its own.

A job's process must neither wait for a network nor have threads. Should it be killed, this one uploads the journal once
more. Requests that come during an upload share the next one.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.state.helper import start_helper

_MODULE = "ansible_ensemble.state.journal_upload_main"
_PATIENCE = 30.0


class JournalUpload:
    """Uploads a journal when it is asked to, and when the journal has grown.

    Attributes:
        failed: gets the reason once the journal can no longer be uploaded.
        pid: of its process.
    """

    def __init__(
        self,
        kind: str,
        values: Mapping[str, str],
        *,
        name: str,
        journal: Path,
        lock_id: str,
        patience: float = _PATIENCE,
    ) -> None:
        """Start the process.

        Args:
            kind: of the location.
            values: what the store is opened by.
            name: of the journal in the state.
            journal: the file.
            lock_id: of the lock there.
            patience: seconds for which an unreachable location is tried again.
        """
        self._process = start_helper(_MODULE, str(os.getpid()), stdout=subprocess.PIPE)
        self.pid = self._process.pid
        order: dict[str, Any] = {
            "kind": kind,
            "values": dict(values),
            "name": name,
            "journal": str(journal),
            "lock": lock_id,
        }
        order["patience"] = patience
        self._send(json.dumps(order))
        self._rest = b""
        self._lost = False
        self._asked: asyncio.Future[bool] | None = None
        self._next: asyncio.Future[bool] | None = None

    def begin(self) -> None:
        """Read the answers of the process, in the running loop."""
        self.failed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        assert self._process.stdout is not None
        asyncio.get_running_loop().add_reader(self._process.stdout.fileno(), self._listen)

    def has_lost_lock(self) -> bool:
        """Whether it failed because another job holds the lock of the state."""
        return self._lost

    async def uploaded(self) -> bool:
        """Wait until all that is in the journal now is uploaded; False if it cannot be."""
        if self.failed.done():
            return False
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        mine = self._next
        if self._asked is None:
            self._ask()
        return await asyncio.shield(mine)

    def close(self) -> None:
        """Upload the end of the journal, and end the process."""
        self._send("end")  # for a process forked from ours may hold the pipe open
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait()

    def _ask(self) -> None:
        self._asked, self._next = self._next, None
        self._send("upload")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except BrokenPipeError:  # its end is heard as well
            return

    def _listen(self) -> None:
        assert self._process.stdout is not None
        chunk = os.read(self._process.stdout.fileno(), 65536)
        if not chunk:
            self._fail("the process that uploads the journal has ended", lost=False)
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            answer = json.loads(line)
            if answer["error"]:
                self._fail(answer["error"], lost=answer["lost"])
            else:
                self._answer(True)

    def _answer(self, uploaded: bool) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and not asked.done():
            asked.set_result(uploaded)
        if self._next is not None:
            self._ask()

    def _fail(self, why: str, *, lost: bool) -> None:
        assert self._process.stdout is not None
        asyncio.get_running_loop().remove_reader(self._process.stdout.fileno())
        if not self.failed.done():
            self._lost = lost
            self.failed.set_result(why)
        for waiting in (self._asked, self._next):
            if waiting is not None and not waiting.done():
                waiting.set_result(False)
        self._asked = self._next = None
