"""Carries orders to the worker of a node, and brings back how they ended, over connections that may break."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, ModuleCall, Outcome, Play
from ansible_ensemble.mesh import control
from ansible_ensemble.mesh.control import MeshError, connect
from ansible_ensemble.mesh.exchange import GRACE, PATIENCE, Due, Exchange
from ansible_ensemble.mesh.handshake import meet
from ansible_ensemble.mesh.known_nodes import KnownNodes, UntrustedNode
from ansible_ensemble.mesh.messages import Acknowledge, Begin, Cancel, Content, Offer, outcome_of, to_text
from ansible_ensemble.mesh.nodes import SERVICE
from ansible_ensemble.mesh.signing import Connection, Signer, unseal
from ansible_ensemble.mesh.trees import Around, Tree
from ansible_ensemble.mesh.wire import BEAT, Wire

#: Seconds between two attempts to connect.
_PAUSE = 1.0
#: Characters of a refusal that are told.
_REFUSAL = 2000


class _Sent(Struct):
    """An order that has not ended, and where its outcome is awaited."""

    text: str
    key: str
    tree: Tree | None
    around: Around | None
    ended: asyncio.Future[Outcome]


class Carrier:
    """Has the worker of a node carry out commands; an async context, at whose end nobody waits for them any more.

    A connection that breaks is made again, and what has not ended is sent again: the worker knows it by its name. What
    left and is not heard of for too long has an outcome that is `cancelled`, for nobody knows it.

    Args:
        path: the socket of the control service of a Receptor node here.
        node: the id of the worker's node.
        signer: signs what the worker is told.
        known: the keys that nodes are known by; None trusts any.
        collects: orders are those of a job that was killed: they are asked for, and ended if they have not ended.
    """

    def __init__(
        self, path: str, node: str, signer: Signer, *, known: KnownNodes | None = None, collects: bool = False
    ) -> None:
        self._path = path
        self._node = node
        self._signer = signer
        self._known = known
        self._collects = collects
        self._exchange = Exchange()
        self._open: dict[str, _Sent] = {}
        self._wire: Wire | None = None
        self._connection: Connection | None = None
        self._offers: dict[str, asyncio.Task[bool]] = {}
        self._lacking: dict[str, asyncio.Future[list[str] | str | None]] = {}

    async def __aenter__(self) -> Self:
        self._connecting = asyncio.create_task(self._stay_connected())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._connecting.cancel()
        await asyncio.gather(self._connecting, return_exceptions=True)
        self._give_up(f"nobody waits for {self._node} any more")

    async def run(
        self, name: str, order: Command | ModuleCall | Play, tree: Tree | None = None, around: Around | None = None
    ) -> Outcome:
        """The outcome of an order; cancelling ends it.

        Args:
            name: that of the order, by which the worker knows it when it is sent again.
            order: what to do; a command without a folder runs in an empty one of its own.
            tree: the files that it finds there, in the place of those here; a command finds none.
            around: inventory and variables, where it wants them.
        """
        files = {} if tree is None else {"tree": tree.digest, "root": str(tree.root)}
        if around is not None:
            files |= {"around": around.tree.digest, "around_key": around.key, "hosts": around.hosts}
        begin = Begin.of(name, "", order, **files)
        begin = replace(begin, key=self._signer.key_for(name, begin.digest))
        sent = _Sent(to_text(begin), begin.key, tree, around, asyncio.get_running_loop().create_future())
        self._open[name] = sent
        self._exchange.add(name, is_begun=self._collects)
        sending = asyncio.create_task(self._send(name, sent))
        try:
            async with asyncio.timeout(None if order.timeout is None else order.timeout + PATIENCE):
                return await asyncio.shield(sent.ended)
        except TimeoutError:
            sending.cancel()
            await self._cancel(name, sent)
            self._end(name, f"{self._node} has not told how it ended")
            return sent.ended.result()
        except asyncio.CancelledError:
            sending.cancel()
            await self._cancel(name, sent)
            raise
        finally:
            sending.cancel()
            del self._open[name]
            self._exchange.forget(name)

    async def acknowledge(self, name: str) -> None:
        """Have the worker forget an order whose outcome is safe here."""
        await self._tell(to_text(Acknowledge(name)))

    async def _cancel(self, name: str, sent: _Sent) -> None:
        """Have an order ended, and wait a while until it is."""
        if self._exchange.cancel(name):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._send(name, sent)
                    await asyncio.shield(sent.ended)

    async def _send(self, name: str, sent: _Sent) -> None:
        """Send what is to become of an order, once its files are there; it may have left as soon as that begins."""
        if self._exchange.due(name) is Due.CANCEL:
            await self._tell(to_text(Cancel(name, sent.key)))
        if self._exchange.due(name) is not Due.BEGIN:
            return
        try:
            for tree in (sent.tree, sent.around.tree if sent.around else None):
                if tree is not None and not await self._have(tree):
                    return
        except (EnsembleError, OSError) as error:  # OSError: a file is gone
            self._end(name, f"{self._node} does not take the project's files: {error}", refused=True)
            return
        if self._exchange.due(name) is Due.BEGIN:
            self._exchange.leaves(name)
            await self._tell(sent.text)

    async def _have(self, tree: Tree) -> bool:
        """Have the worker have files; False if the connection is lost before it does."""
        if tree.digest not in self._offers:
            self._offers[tree.digest] = asyncio.create_task(self._offer(tree))
        try:
            return await asyncio.shield(self._offers[tree.digest])
        except (EnsembleError, OSError):
            self._offers.pop(tree.digest, None)  # the next order may find it mended
            raise

    async def _offer(self, tree: Tree) -> bool:
        wire, text = self._wire, to_text(Offer(tree.digest, tree.files))
        for _attempt in range(2):
            answer = self._lacking[tree.digest] = asyncio.get_running_loop().create_future()
            await self._tell(text)
            lacking = None if self._wire is not wire else await answer
            if isinstance(lacking, str):
                raise MeshError(lacking)
            if not lacking:
                return lacking is not None
            for digest in sorted(set(map(str, lacking))):
                content = base64.b64encode(tree.content(digest)).decode()
                if self._wire is not wire:
                    return False
                await self._tell(to_text(Content(digest, content)))
        raise MeshError("it does not keep them")

    async def _tell(self, text: str) -> None:
        """Send what is signed, if there is a connection."""
        if self._wire is not None and self._connection is not None:
            await self._wire.send(self._connection.tell(self._signer, text))

    async def _stay_connected(self) -> None:
        heard = time.monotonic()
        while True:
            since, sending = None, list[asyncio.Task[None]]()
            try:
                async with Wire(await connect(self._path, self._node, SERVICE)) as wire:
                    async with asyncio.timeout(control.PATIENCE):
                        met = await meet(wire, self._node, self._known)
                    since = time.monotonic()
                    self._wire, self._connection = wire, met.connection
                    self._exchange.connected()
                    sending = [asyncio.create_task(self._send(name, sent)) for name, sent in self._open.items()]
                    while (message := await wire.receive()) is not None:
                        try:
                            self._hear(message)
                        except Exception as error:  # orders are answered for whatever it says
                            said = f"{type(error).__name__}: {error}"
                            raise MeshError(f"it says what nobody understands: {said}") from error
                problem = "it has hung up"
            except TimeoutError:
                problem = "no worker has answered"
            except UntrustedNode as error:
                problem = str(error)
                self._turn_down(problem)
            except EnsembleError as error:
                problem = str(error)
            finally:
                if since is not None and time.monotonic() - since > BEAT:  # else it may hang up for what it is told
                    heard = time.monotonic()
                self._wire = self._connection = None
                self._exchange.lost()
                for task in sending:
                    task.cancel()
                for answer in self._lacking.values():
                    if not answer.done():
                        answer.set_result(None)
                self._offers.clear()
                self._lacking.clear()
            if time.monotonic() - heard > PATIENCE:
                self._give_up(f"{self._node} is away: {problem}")
            await asyncio.sleep(_PAUSE)

    def _hear(self, message: dict[str, Any]) -> None:
        name = str(message.get("of"))
        sent, lacking = self._open.get(name), self._lacking.get(name)
        if isinstance(message.get("lacking"), list):
            if lacking is not None and not lacking.done():
                lacking.set_result(message["lacking"])
        elif "refused" in message and sent is None and "of" in message:
            for waiting in self._lacking.values():  # a file, or all of them
                if not waiting.done():
                    waiting.set_result(_refusal(message))
        elif "refused" in message:
            for one in [name] if "of" in message else self._exchange.open:
                self._end(one, f"the worker of {self._node} refused it: {_refusal(message)}", refused=True)
        elif sent is not None and not sent.ended.done():
            try:
                ended = unseal(sent.key, name, message.get("ended"))
                sent.ended.set_result(outcome_of(ended, None if sent.tree is None else sent.tree.root))
            except Exception as error:  # whatever it says, the order is answered for
                self._end(name, f"the worker of {self._node} does not say how it ended: {error}")

    def _turn_down(self, problem: str) -> None:
        """End the orders that have not left; the node may come back that has the others."""
        for name in self._exchange.open:
            if not self._exchange.has_left(name):
                self._end(name, problem, refused=True)

    def _give_up(self, problem: str) -> None:
        for name in self._exchange.open:
            self._end(name, problem)

    def _end(self, name: str, problem: str, *, refused: bool = False) -> None:
        """End an order that does not come back."""
        ended = self._open[name].ended
        if ended.done():
            return
        if self._exchange.is_done(name, refused=refused) is None:
            ended.set_result(Outcome(ok=False, cancelled=True, error=problem))
        else:
            ended.set_result(Outcome(ok=False, changed=False, unreachable=not refused, error=problem))


def _refusal(message: dict[str, Any]) -> str:
    return str(message["refused"])[:_REFUSAL]
