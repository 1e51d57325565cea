"""A trial of the workers of a mesh: what they have, beside what is here, and how long a message takes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.orders import Command
from ansible_ensemble.mesh import control
from ansible_ensemble.mesh.carrier import Carrier
from ansible_ensemble.mesh.control import MeshError, connect
from ansible_ensemble.mesh.handshake import meet
from ansible_ensemble.mesh.hello import Hello, own_hello
from ansible_ensemble.mesh.known_nodes import KnownNodes
from ansible_ensemble.mesh.nodes import SERVICE, Node, look_around
from ansible_ensemble.mesh.signing import Signer
from ansible_ensemble.mesh.wire import Wire

_AT_ONCE = 32
#: Characters of a version that are shown.
_SHOWN = 60


class Trial(Struct, frozen=True):
    """How a node's worker did.

    Attributes:
        node: the node's id.
        hello: what it has; None if it did not get so far.
        key: the public key of its node, as in a file of ssh-keygen; fingerprint: as ssh-keygen shows it.
        seconds: how long a message took there and back.
        executes: whether it executed what it was told; None if it was told nothing.
        problem: why nothing can be done there.
        differences: what it has otherwise than this machine, in words.
    """

    node: str
    hello: Hello | None = None
    key: str | None = None
    fingerprint: str | None = None
    seconds: float | None = None
    executes: bool | None = None
    problem: str | None = None
    differences: tuple[str, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """It in JSON."""
        return dict(to_builtins(self))


async def try_nodes(
    path: str, names: Collection[str], signer: Signer | None = None, known: KnownNodes | None = None
) -> list[Trial]:
    """Try the workers of the nodes of these names, or all that nodes publish; each executes what a signer signs."""
    nodes = await look_around(path)
    all_names = {node.name for node in nodes}
    for name in names:
        if name not in all_names:
            hint = nearest(name, sorted(all_names)) or "`mesh status` shows those that are known"
            raise MeshError(f"there is no node {name}", hint=hint)
    chosen = [node for node in nodes if (node.name in names if names else node.has_worker)]
    if not chosen:
        raise MeshError(
            "no node publishes a worker", hint=f"nodes publish it as the service {SERVICE}; see docs/mesh.md"
        )
    here, turns = own_hello(""), asyncio.Semaphore(_AT_ONCE)

    async def tried(node: Node) -> Trial:
        if not node.is_reachable:
            return Trial(node.name, problem="there is no way to it")
        async with turns:
            try:
                async with asyncio.timeout(control.PATIENCE):
                    return await _tried(path, node.name, here, signer, known)
            except TimeoutError:
                return Trial(node.name, problem=f"no worker has answered within {control.PATIENCE:g} s")
            except EnsembleError as error:
                return Trial(node.name, problem=str(error))

    return list(await asyncio.gather(*map(tried, chosen)))


async def _tried(path: str, name: str, here: Hello, signer: Signer | None, known: KnownNodes | None) -> Trial:
    async with Wire(await connect(path, name, SERVICE)) as wire:
        met = await meet(wire, name, known)
        since = time.monotonic()
        await wire.send({"ping": name})
        if await wire.receive() != {"pong": name}:
            raise MeshError(f"the worker of {name} answers something else")
        seconds = time.monotonic() - since
    differences = tuple(_differences(met.hello, here))
    trial = Trial(name, met.hello, met.key.line, met.key.fingerprint, seconds, differences=differences)
    if signer is None:
        return trial
    async with Carrier(path, name, signer, known=known) as carrier:
        order = f"check-{secrets.token_hex(8)}"
        outcome = await carrier.run(order, Command(("true",)))
        await carrier.acknowledge(order)
    return replace(trial, executes=outcome.ok, problem=outcome.error)


def _differences(there: Hello, here: Hello) -> Iterator[str]:
    if there.version != here.version:
        yield f"ansible-ensemble {there.version[:_SHOWN]}, here {here.version}"
    if _minor(there.ansible_core) != _minor(here.ansible_core):
        yield f"ansible-core {there.ansible_core[:_SHOWN]}, here {here.ansible_core}"
    for name, version in here.collections.items():
        if name not in there.collections:
            yield f"no collection {name}"
        elif there.collections[name] != version:
            yield f"{name} {there.collections[name][:_SHOWN]}, here {version}"


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]
