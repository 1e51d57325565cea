"""The control service of a Receptor node: what it knows of the mesh, and streams to services of other nodes.

Commands are lines of JSON, and so are most answers. The stream that `connect` asks for is the connection itself from
then on.
"""

from __future__ import annotations

import asyncio
import json
from typing import Self

from msgspec import DecodeError, Struct, field
from msgspec.json import decode

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex

#: Seconds that an answer may take; a node notices only after thirty that another one is gone.
PATIENCE = 10.0
#: The service by which nodes ask each other what they are.
CONTROL = "control"

_BANNER = regex(r"Receptor Control, node (.+)\n")
#: Bytes of an answer: a mesh may have thousands of nodes.
_LONGEST = 1 << 26
#: Characters of something else that an error shows.
_SHOWN = 60
_HINT = "name the socket of a Receptor node's control service"


class MeshError(EnsembleError):
    """The mesh, or a node of it, did not do what was asked."""


class WorkType(Struct, frozen=True):
    """A type of work that a node takes."""

    name: str = field(name="WorkType")


class Service(Struct, frozen=True):
    """A service as its node advertises it."""

    node: str = field(name="NodeID")
    name: str = field(name="Service")
    work_types: tuple[WorkType, ...] | None = field(name="WorkCommands", default=None)


class Status(Struct, frozen=True):
    """What a node tells of itself and of the mesh, as far as it is of use.

    Attributes:
        node: its id.
        version: of its Receptor; empty where that was built without one.
        cpus, memory: its processors, and its memory in MiB.
        services: services, of all nodes, that it has heard of.
        routes: the next node on the way to each that it can reach.
        costs: connections between nodes that it has heard of, by the names of both.
    """

    node: str = field(name="NodeID")
    version: str = field(name="Version", default="")
    cpus: int | None = field(name="SystemCPUCount", default=None)
    memory: int | None = field(name="SystemMemoryMiB", default=None)
    services: tuple[Service, ...] | None = field(name="Advertisements", default=None)
    routes: dict[str, str] | None = field(name="RoutingTable", default=None)
    costs: dict[str, dict[str, float] | None] | None = field(name="KnownConnectionCosts", default=None)


class Stream(Struct):
    """A connection to a service, both ways; an async context, at whose end it is closed."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.writer.close()


async def local_control(path: str) -> Stream:
    """A connection to the control service of the node that listens on a socket."""
    try:
        stream = Stream(*await asyncio.open_unix_connection(path, limit=_LONGEST))
    except FileNotFoundError as error:
        raise MeshError(f"there is no socket {path}", hint=_HINT) from error
    except PermissionError as error:
        hint = "ask who runs the node to let you, by owner and permissions of its control service"
        raise MeshError(f"you may not use the socket {path}", hint=hint) from error
    except ConnectionRefusedError as error:
        raise MeshError(f"nobody listens on {path}", hint=f"start its Receptor node, or {_HINT}") from error
    except OSError as error:
        raise MeshError(f"{path} cannot be connected to: {error.strerror or error}", hint=_HINT) from error
    return stream


async def status_of(stream: Stream, name: str) -> Status:
    """What the node tells whose control service a fresh connection leads to; `name` is what errors call it."""
    await _greeted(stream, name)
    answer = await _asked(stream, {"command": "status"}, name)
    try:
        return decode(answer, type=Status)
    except DecodeError as error:
        raise MeshError(f"{name} answers no status: {error}") from error


async def connect(path: str, node: str, service: str) -> Stream:
    """A stream to a service of a node.

    That it is there does not mean that somebody listens at its end: Receptor connects first and looks later.
    """
    stream = await local_control(path)
    try:
        await _greeted(stream, path)
        answer = await _asked(stream, {"command": "connect", "node": node, "service": service}, path)
        if answer.strip() != "Connecting":
            raise MeshError(f"there is no way to {node}: {shown(answer.removeprefix('ERROR: '))}")
    except BaseException:
        stream.writer.close()
        raise
    return stream


async def _greeted(stream: Stream, name: str) -> None:
    banner = await _line(stream, name)
    if not _BANNER.fullmatch(banner):
        raise MeshError(f"{name} is no control service of Receptor: it says {shown(banner)}", hint=_HINT)


async def _asked(stream: Stream, command: dict[str, str], name: str) -> str:
    stream.writer.write(json.dumps(command).encode() + b"\n")
    return await _line(stream, name)


async def _line(stream: Stream, name: str) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            line = await stream.reader.readline()
    except TimeoutError as error:
        raise MeshError(f"{name} has not answered within {PATIENCE:g} s") from error
    except (OSError, ValueError) as error:
        raise MeshError(f"{name} cannot be read: {error}") from error
    if not line:
        raise MeshError(f"{name} has hung up")
    return line.decode(errors="replace")


def shown(text: str) -> str:
    """What somebody else says, for a message: quoted, and cut where it is long."""
    text = text.strip()
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
