"""Receptor nodes on loopback, each linked to the one before it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.sshd import free_port

_BUILT = Path(__file__).parents[3] / ".build" / "receptor"
RECEPTOR = shutil.which("receptor") or (str(_BUILT) if _BUILT.exists() else None)

needs_receptor = pytest.mark.skipif(RECEPTOR is None, reason="there is no receptor; `make receptor` builds it with Go")


class Receptors:
    """Nodes, by their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._last: int | None = None

    def socket(self, name: str) -> Path:
        """Where the control service of a node listens."""
        return self.folder / f"{name}.sock"

    def worker(self, name: str) -> Path:
        """Where a worker of a node is to listen."""
        return self.folder / f"{name}.worker"

    def begin(self, name: str, more: Sequence[dict[str, Any]] = ()) -> None:
        """Begin a node, which dials the one that was begun before it."""
        peer = [{"tcp-peer": {"address": f"127.0.0.1:{self._last}"}}] if self._last else []
        self._last = free_port()
        settings = [
            {"node": {"id": name, "datadir": str(self.folder / "data")}},
            {"log-level": {"level": "error"}},
            {"control-service": {"service": "control", "filename": str(self.socket(name))}},
            {"tcp-listener": {"port": self._last, "bindaddr": "127.0.0.1"}},
            *peer,
            *more,
        ]
        file = self.folder / f"{name}.yml"
        file.write_text(json.dumps(settings))
        self._begin(name)

    def _begin(self, name: str) -> None:
        assert RECEPTOR is not None
        with (self.folder / f"{name}.log").open("ab") as log:
            words = [RECEPTOR, "--config", str(self.folder / f"{name}.yml")]
            self._processes[name] = subprocess.Popen(words, stdout=log, stderr=log)

    def restart(self, name: str) -> None:
        """Kill a node, and begin it again."""
        self.kill(name)
        self._begin(name)

    def kill(self, name: str) -> None:
        """Kill a node."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def end(self) -> None:
        """Kill all nodes."""
        for name in list(self._processes):
            self.kill(name)


@contextmanager
def receptors() -> Iterator[Receptors]:
    """Nodes in a folder whose name leaves room for those of sockets."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    nodes = Receptors(folder)
    try:
        yield nodes
    finally:
        nodes.end()
        shutil.rmtree(folder)
