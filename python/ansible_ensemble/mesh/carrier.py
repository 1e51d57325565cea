"""Carries orders to the worker of a node, and brings back how they ended, over connections that may break."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, Self

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.mesh import control
from ansible_ensemble.mesh.control import MeshError, connect
from ansible_ensemble.mesh.hello import hello_of
from ansible_ensemble.mesh.messages import Acknowledge, Begin, Cancel, ended_of, to_text
from ansible_ensemble.mesh.nodes import SERVICE
from ansible_ensemble.mesh.signing import Connection, Signer
from ansible_ensemble.mesh.wire import BEAT, Wire

#: Seconds for which a node may be away before what it was to do counts as cut off.
PATIENCE = 60.0
#: Seconds between two attempts to connect.
_PAUSE = 1.0
#: Seconds that a worker gets to end an order.
_GRACE = 10.0


class _Sent(Struct):
    """An order that has not ended: its text, how often it has left, and where its outcome is awaited."""

    text: str
    ended: asyncio.Future[Outcome]
    times: int = 0
    is_cancelled: bool = False


class Carrier:
    """Has the worker of a node carry out commands; an async context, at whose end nobody waits for them any more.

    A connection that breaks is made again, and what has not ended is sent again: the worker knows it by its name. What
    left and is not heard of for too long has an outcome that is `cancelled`, for nobody knows it.

    Args:
        path: the socket of the control service of a Receptor node here.
        node: the id of the worker's node.
        signer: signs what the worker is told.
    """

    def __init__(self, path: str, node: str, signer: Signer) -> None:
        self._path = path
        self._node = node
        self._signer = signer
        self._open: dict[str, _Sent] = {}
        self._wire: Wire | None = None
        self._connection: Connection | None = None

    async def __aenter__(self) -> Self:
        self._connecting = asyncio.create_task(self._stay_connected())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._connecting.cancel()
        await asyncio.gather(self._connecting, return_exceptions=True)
        self._give_up(f"nobody waits for {self._node} any more")

    async def run(self, name: str, command: Command) -> Outcome:
        """The outcome of a command; cancelling ends it.

        Args:
            name: that of the order, by which the worker knows it when it is sent again.
            command: what to run; without a folder, in an empty one of its own.
        """
        sent = _Sent(to_text(Begin(name, command)), asyncio.get_running_loop().create_future())
        self._open[name] = sent
        try:
            async with asyncio.timeout(None if command.timeout is None else command.timeout + PATIENCE):
                await self._send(name, sent)
                return await asyncio.shield(sent.ended)
        except TimeoutError:
            await self._cancel(name, sent)
            _end(sent, f"{self._node} has not told how it ended")
            return sent.ended.result()
        except asyncio.CancelledError:
            await self._cancel(name, sent)
            raise
        finally:
            del self._open[name]

    async def acknowledge(self, name: str) -> None:
        """Have the worker forget an order whose outcome is safe here."""
        await self._tell(to_text(Acknowledge(name)))

    async def _cancel(self, name: str, sent: _Sent) -> None:
        """Have an order ended, and wait a while until it is."""
        if sent.times:
            sent.is_cancelled = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await self._send(name, sent)
                    await asyncio.shield(sent.ended)

    async def _send(self, name: str, sent: _Sent) -> None:
        """Send what is to become of an order; it may have left as soon as that begins."""
        if self._wire is not None:
            sent.times += not sent.is_cancelled
            await self._tell(to_text(Cancel(name)) if sent.is_cancelled else sent.text)

    async def _tell(self, text: str) -> None:
        """Send what is signed, if there is a connection."""
        if self._wire is not None and self._connection is not None:
            await self._wire.send({"told": text, "signature": self._signer.sign(self._connection.covered(text))})

    async def _stay_connected(self) -> None:
        heard = time.monotonic()
        while True:
            since = None
            try:
                async with Wire(await connect(self._path, self._node, SERVICE)) as wire:
                    async with asyncio.timeout(control.PATIENCE):
                        hello = hello_of(await wire.receive(), self._node)
                    since = time.monotonic()
                    self._wire, self._connection = wire, Connection(self._node, hello.challenge)
                    for name, sent in list(self._open.items()):
                        if name in self._open:
                            await self._send(name, sent)
                    while (message := await wire.receive()) is not None:
                        self._hear(message)
                problem = "it has hung up"
            except TimeoutError:
                problem = "no worker has answered"
            except EnsembleError as error:
                problem = str(error)
            finally:
                if since is not None and time.monotonic() - since > BEAT:  # else it may hang up for what it is told
                    heard = time.monotonic()
                self._wire = self._connection = None
            if time.monotonic() - heard > PATIENCE:
                self._give_up(f"{self._node} is away: {problem}")
            await asyncio.sleep(_PAUSE)

    def _hear(self, message: dict[str, Any]) -> None:
        sent = self._open.get(str(message.get("of")))
        if "refused" in message:
            problem = f"the worker of {self._node} refused it: {message['refused']}"
            for one in [sent] if "of" in message else self._open.values():
                if one is not None:
                    _end(one, problem, refused=True)
        elif sent is not None and not sent.ended.done():
            try:
                sent.ended.set_result(ended_of(message.get("ended")).outcome)
            except MeshError as error:
                _end(sent, f"the worker of {self._node} does not say how it ended: {error}")

    def _give_up(self, problem: str) -> None:
        for sent in self._open.values():
            _end(sent, problem)


def _end(sent: _Sent, problem: str, *, refused: bool = False) -> None:
    """End an order that does not come back.

    Nothing was done if it never left, or was refused at once; a worker that refuses it later may have done it before.
    """
    if sent.ended.done():
        return
    if sent.times > 1 or sent.is_cancelled or (sent.times and not refused):
        sent.ended.set_result(Outcome(ok=False, cancelled=True, error=problem))
    else:
        sent.ended.set_result(Outcome(ok=False, changed=False, unreachable=not refused, error=problem))
