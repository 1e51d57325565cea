"""A server that can be killed and comes back at its address, and what is seen of it from outside."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from tests.integration.provision.served import Served


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Lasting:
    """A server on the loopback; everybody knows its password.

    Attributes:
        endpoint: `https://HOST:PORT`.
        folder: what it keeps.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.port = folder, free_port()
        self.endpoint = f"https://127.0.0.1:{self.port}"
        self._options = ("--port", str(self.port), "--default-user", *options)
        self.start()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self._served = Served(self.folder, *self._options)

    def kill(self) -> None:
        """End it at once, as when the power fails."""
        self._served.stop(signal.SIGKILL)

    def stop(self) -> int:
        """Tell it to stop; its exit code."""
        return self._served.stop()

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._served.process.poll() is None

    @property
    def memory(self) -> int:
        """The bytes of memory that it has."""
        pages = int(Path(f"/proc/{self._served.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def processor(self) -> float:
        """The seconds of a processor that its process has used."""
        fields = Path(f"/proc/{self._served.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def complaints(self) -> list[str]:
        """Lines of its log, of all its lives, that tell of mistakes of its own."""
        lines = self._served.log.splitlines()
        return [line for line in lines if any(word in line for word in ("Traceback", " ERROR ", "never retrieved"))]
