"""A worker: it listens on a socket that a Receptor node publishes, and answers those who come over the mesh."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.handshake import prove
from ansible_ensemble.mesh.hello import Hello, own_hello
from ansible_ensemble.mesh.messages import Acknowledge, Begin, Cancel, Content, Offer, Told, from_text
from ansible_ensemble.mesh.orders import Orders
from ansible_ensemble.mesh.signing import Connection, KnownKeys, Signer
from ansible_ensemble.mesh.wire import Wire

#: How many are answered at once.
_MOST = 100


class Work(Struct, frozen=True):
    """What a worker does for those who sign it: their keys, and their orders."""

    keys: KnownKeys
    orders: Orders


async def serve(path: Path, node: str, key: Signer, tell: Callable[[str], None], work: Work | None = None) -> None:
    """Answer those who connect to a socket, until the process is told to stop.

    Args:
        path: the socket's file, which is made and removed; only this user may connect.
        node: the id of the Receptor node that publishes it.
        key: proves that the worker is that node's.
        tell: shows a line to who started it.
        work: what it does; without, it says what it has, and does nothing.
    """
    listening = _listening(path)
    made = path.lstat()
    talks: set[asyncio.Task[None]] = set()

    def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(talks) >= _MOST:
            writer.close()
            return
        talk = asyncio.create_task(_answer(Wire(Stream(reader, writer)), hello, key, work))
        talks.add(talk)
        talk.add_done_callback(partial(_gone, talks, tell))

    hello = own_hello(node)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    server = await asyncio.start_unix_server(come, sock=listening)
    try:
        tell(f"The worker of {node} listens on {path}, with the key {key.public.fingerprint}.")
        await stopped.wait()
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        if work is not None:
            await work.orders.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(made, path.lstat()):
                path.unlink()


async def _answer(wire: Wire, hello: Hello, key: Signer, work: Work | None) -> None:
    """Talk with one who came."""
    hello = replace(hello, challenge=secrets.token_hex(32))
    connection: Connection | None = None
    async with wire:
        await wire.send({"hello": to_builtins(hello)})
        replies: set[asyncio.Task[None]] = set()
        try:
            while (message := await wire.receive()) is not None:
                match message:
                    case {"ping": token, **rest} if not rest:
                        await wire.send({"pong": token})
                    case {"share": str(share), **rest} if not rest and connection is None:
                        proof, connection = prove(key, hello, share)
                        await wire.send(to_builtins(proof), seals=connection.answers)
                    case {"told": str(sealed), "signature": str(signature), **rest} if not rest and connection:
                        try:
                            if work is None:
                                raise MeshError("it executes nothing, for it was given no keys")
                            text, covered = connection.heard(sealed)
                            who, told = _signed(work, covered, signature), from_text(text)
                        except MeshError as error:
                            await wire.send({"refused": str(error)})
                            raise
                        doing = _do(wire, work.orders, who, told)
                        if isinstance(told, Begin | Cancel):
                            reply = asyncio.create_task(doing)
                            replies.add(reply)
                            reply.add_done_callback(replies.discard)
                        else:
                            await doing
                    case _:
                        raise MeshError(f"nobody here knows what to do with {_shown(message)}")
        finally:
            for reply in replies:
                reply.cancel()


def _signed(work: Work, covered: bytes, signature: str) -> str:
    """Who signed it, of those who may."""
    who = work.keys.signer(covered, signature)
    if who is None:
        raise MeshError("it was not signed by a key that is known here")
    return who


async def _do(wire: Wire, orders: Orders, who: str, told: Told) -> None:
    """Do what somebody told, who may."""
    try:
        match told:
            case Acknowledge(name):
                orders.acknowledge(who, name)
            case Content(name, data):
                orders.trees.add(name, data)
            case Offer(name, files):
                await wire.send({"lacking": orders.trees.lacking(name, files), "of": name})
            case Begin():
                await wire.send({"ended": await orders.ended(who, told), "of": told.name})
            case Cancel():
                await wire.send({"ended": await orders.cancelled(who, told), "of": told.name})
    except (EnsembleError, OSError) as error:  # OSError: what is known of orders cannot be written
        await wire.send({"refused": str(error), "of": told.name})


def _gone(talks: set[asyncio.Task[None]], tell: Callable[[str], None], talk: asyncio.Task[None]) -> None:
    talks.discard(talk)
    error = None if talk.cancelled() else talk.exception()
    if isinstance(error, EnsembleError):
        tell(f"A connection was ended: {error}.")
    elif error is not None:
        raise error


def _listening(path: Path) -> socket.socket:
    """A socket at a path, in the place of one that a worker left there which is gone."""
    listening = socket.socket(socket.AF_UNIX)
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise MeshError(f"somebody listens on {path} already", hint="end that worker, or name another socket")
        if path.is_socket():
            path.unlink()
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
    except OSError as error:
        listening.close()
        raise MeshError(f"{path} cannot be listened on: {error.strerror or error}") from error
    except MeshError:
        listening.close()
        raise
    return listening


def _shown(message: dict[str, Any]) -> str:
    return repr(sorted(message))[:60]
