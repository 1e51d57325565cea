"""The nodes of a mesh, as one of them knows them and as each tells of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, to_builtins

from ansible_ensemble.mesh.control import CONTROL, MeshError, Status, connect, local_control, status_of

#: The service that a worker of ours is published as.
SERVICE = "ensemble"
#: How many nodes are asked at once.
_AT_ONCE = 32


class Node(Struct, frozen=True):
    """A node.

    Attributes:
        name: its id.
        is_here: whether it is the one that was asked.
        is_reachable: whether there is a route to it.
        via: the next node on the way to it.
        version: of its Receptor, where it tells one.
        cpus, memory: its processors, and its memory in MiB.
        services: names of its services.
        work_types: names of the types of work that it takes.
        problem: why it told nothing of itself; what is known of it is then what it advertised.
    """

    name: str
    is_here: bool = False
    is_reachable: bool = True
    via: str | None = None
    version: str | None = None
    cpus: int | None = None
    memory: int | None = None
    services: tuple[str, ...] = ()
    work_types: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def has_worker(self) -> bool:
        """Whether it offers the service of a worker."""
        return SERVICE in self.services

    @property
    def document(self) -> dict[str, Any]:
        """It in JSON."""
        return {**to_builtins(self), "has_worker": self.has_worker}


async def look_around(path: str) -> list[Node]:
    """The nodes of the mesh of the node whose control service listens on a socket; this one first."""
    async with await local_control(path) as stream:
        status = await status_of(stream, path)
    routes, turns = status.routes or {}, asyncio.Semaphore(_AT_ONCE)

    async def look_at(name: str) -> Node:
        if name not in routes:
            return _node(name, status, is_reachable=False)
        async with turns:
            try:
                async with await connect(path, name, CONTROL) as stream:
                    own = await status_of(stream, name)
                if own.node != name:
                    raise MeshError(f"it answers as {own.node}")
            except MeshError as error:
                return _node(name, status, via=routes[name], problem=str(error))
        return _node(name, own, own, via=routes[name])

    others = sorted({*_known(status)} - {status.node})
    return [_node(status.node, status, status, is_here=True), *await asyncio.gather(*map(look_at, others))]


def _node(name: str, known: Status, own: Status | None = None, **more: Any) -> Node:
    """A node by what somebody knows of its services, and by what it tells of itself if it does."""
    services = [one for one in known.services or () if one.node == name]
    return Node(
        name,
        version=own.version or None if own else None,
        cpus=own.cpus if own else None,
        memory=own.memory if own else None,
        services=tuple(sorted(one.name for one in services)),
        work_types=tuple(sorted({work.name for one in services for work in one.work_types or ()})),
        **more,
    )


def _known(status: Status) -> Iterator[str]:
    """Names of the nodes that a node has heard of."""
    yield from status.routes or ()
    for name, neighbours in (status.costs or {}).items():
        yield name
        yield from neighbours or ()
    for one in status.services or ():
        yield one.node
