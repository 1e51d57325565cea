"""Copy an example, with ports that are free on this machine: copy.py EXAMPLE FOLDER INPUT=PORT[,PORT] ..."""

from __future__ import annotations

import shutil
import socket
import sys
from contextlib import ExitStack, suppress
from pathlib import Path


def free_ports(wanted: list[int]) -> list[int]:
    """The ports, and others in place of those that are taken; all of them are different."""
    with ExitStack() as held:
        return [_held(held, port) for port in wanted]


def _held(held: ExitStack, port: int) -> int:
    """The port, or one that the system finds; held until all are found, so that none is found twice."""
    listener = held.enter_context(socket.socket())
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with suppress(OSError):
        listener.bind(("127.0.0.1", port))
        return port
    listener.bind(("127.0.0.1", 0))
    return int(listener.getsockname()[1])


def main(example: Path, folder: Path, *inputs: str) -> None:
    """Copy the example, and add the inputs to its ensemble."""
    shutil.copytree(example, folder)
    named = [
        (name, [int(port) for port in ports.split(",")]) for name, _, ports in (one.partition("=") for one in inputs)
    ]
    found = iter(free_ports([port for _, ports in named for port in ports]))
    with (folder / "ensemble.yaml").open("a", encoding="utf-8") as ensemble:  # it ends with its inputs
        for name, ports in named:
            free = [next(found) for _ in ports]
            ensemble.write(f"    {name}: {free if len(free) > 1 else free[0]}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
