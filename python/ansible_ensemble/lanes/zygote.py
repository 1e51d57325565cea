"""The client side of the zygote: start it, ask it to run a module."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.execution.output import BoundedOutput
from ansible_ensemble.lanes import frames
from ansible_ensemble.lanes.returned import ReturnedJson

_LOG = logging.getLogger(__name__)


class ModuleRun(Struct, frozen=True):
    """The result of a module's process: its exit code and what it printed, within bounds."""

    code: int
    stdout: bytes
    stderr: bytes


class Zygote:
    """A zygote. Forks inherit the object and may use it at the same time.

    Args:
        collection_paths: folders that hold an `ansible_collections` folder, in order of search.
        redirections: those of core's own imports.
        later: whether it waits for `start`; requests wait with it.
    """

    def __init__(self, collection_paths: list[str], redirections: Mapping[str, Any], *, later: bool = False) -> None:
        self._arguments = [json.dumps(redirections, default=dict), *collection_paths]
        self._control, self._theirs = socket.socketpair()
        self._process: subprocess.Popen[bytes] | None = None
        if not later:
            self.start()

    @property
    def waiting(self) -> socket.socket | None:
        """Where requests wait, if it has not started: of no use to other children of the job."""
        return None if self._process else self._theirs

    def start(self) -> None:
        """Start it."""
        program = Path(__file__).with_name("zygote_main.py")
        # -P: the folder of the program must not be searched for the modules' imports
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(program), *self._arguments],
            stdin=self._theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._theirs.close()
        _LOG.debug("zygote %d began", self._process.pid)

    def run(self, request: dict[str, Any]) -> ModuleRun | None:
        """Run a module and wait for it; None if the zygote could not take the request: then nothing was run.

        The request has `module` (its Python name), `arguments` (JSON), `profile`, `path`, `modlib_path`, `folder`,
        `environment`. The module is ended if this call is left by an exception (a task's timeout).
        """
        with contextlib.ExitStack() as stack:
            mine, theirs = socket.socketpair()
            stack.callback(mine.close)
            (out, out_end), (err, err_end) = os.pipe(), os.pipe()
            stack.callback(os.close, out)
            stack.callback(os.close, err)
            try:
                socket.send_fds(self._control, [b"r"], [theirs.fileno(), out_end, err_end])
            except OSError:
                return None
            finally:
                theirs.close()
                os.close(out_end)
                os.close(err_end)
            try:
                frames.send(mine, request)
            except OSError:
                return None
            return _collect(mine, out, err)

    def close(self) -> None:
        """End the zygote and every module that it runs."""
        self._control.close()
        if self._process:
            self._process.wait()
        else:
            self._theirs.close()


def _collect(connection: socket.socket, out: int, err: int) -> ModuleRun | None:
    stdout, stderr = ReturnedJson(), BoundedOutput()
    printed: dict[int, ReturnedJson | BoundedOutput] = {out: stdout, err: stderr}
    answer = bytearray()
    with selectors.DefaultSelector() as selector:
        for source in (connection.fileno(), out, err):
            selector.register(source, selectors.EVENT_READ)
        while selector.get_map():
            for key, _events in selector.select():
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                elif key.fd in printed:
                    printed[key.fd].add(data)
                else:
                    answer += data
    if not answer:
        return None
    # started, but no exit code: the zygote was killed, and the module with it
    code = int(answer[1:]) if len(answer) > 1 else -9
    return ModuleRun(code, stdout.content(), stderr.content())
