"""A request as handlers see it: who sends it, what it says, and work on the store on its behalf.

Whether it is allowed is decided in the same transaction as what it does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from aiohttp import web
from aiohttp.http import HttpProcessingError
from msgspec import Struct, field

from ansible_ensemble.core.page_files import PageFile
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.answers import BYTES, JSON
from ansible_ensemble.provision.server.hub import Hub
from ansible_ensemble.provision.server.identity import Identity, Names, Proof, anything, named
from ansible_ensemble.provision.server.log import Log
from ansible_ensemble.provision.server.login import Login
from ansible_ensemble.provision.server.metrics import Metrics
from ansible_ensemble.provision.server.settings import Settings
from ansible_ensemble.provision.server.socket import Socket
from ansible_ensemble.provision.server.tokens import Token, signed
from ansible_ensemble.provision.service.actions import Action
from ansible_ensemble.provision.service.grants import refuse_grants
from ansible_ensemble.provision.store.transaction import Reader, Store, Transaction

T = TypeVar("T")

#: How long a body may be, and how many seconds it may take.
BODY_BYTES = 10 * 2**20
BODY_SECONDS = 120

#: A longer body is not read before its sender is known.
_SHORT_BODY = 64 * 2**10

_PATCHES = "application/json-patch+json"


class Server(Struct):
    """What all requests share; nothing of it is the truth about anything, that is in the store.

    Attributes:
        token_key: of tokens.
        actions: that can be asked for.
        log: its latest lines.
        pages: what is shown in browsers, by the names of files.
        sockets: that are open.
        is_stopping: whether the server stops.
        clock: tells the seconds since 1970.
        silent: connections that sent no request yet, and what closes them.
        begun: how many requests are being answered.
        is_idle: whether there are none.
    """

    store: Store
    settings: Settings
    token_key: bytes
    login: Login
    hub: Hub
    metrics: Metrics
    actions: Sequence[Action] = ()
    log: Log = field(default_factory=Log)
    pages: Mapping[str, PageFile] = {}
    sockets: set[Socket] = field(default_factory=set)
    is_stopping: asyncio.Event = field(default_factory=asyncio.Event)
    clock: Callable[[], float] = time.time
    silent: dict[asyncio.BaseProtocol, asyncio.TimerHandle] = {}
    begun: int = 0
    is_idle: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self, connection: asyncio.BaseProtocol) -> None:
        """Note that a request is being answered; its connection is no silent one."""
        if closing := self.silent.pop(connection, None):
            closing.cancel()
        self.begun += 1
        self.is_idle.clear()

    def end(self) -> None:
        """Note that a request was answered."""
        self.begun -= 1
        if not self.begun:
            self.is_idle.set()

    def tell(self, events: Sequence[Event]) -> None:
        """Tell those who listen of events."""
        self.metrics.events += len(events)
        self.hub.publish(events)

    def stop(self) -> None:
        """Take leave of those who listen or wait."""
        self.is_stopping.set()
        if not self.begun:
            self.is_idle.set()
        for socket in tuple(self.sockets):
            socket.end()

    async def until_stopping(self, awaited: Coroutine[Any, Any, Any]) -> None:
        """Wait for something, and no longer when the server stops."""
        tasks = [asyncio.ensure_future(awaited), asyncio.ensure_future(self.is_stopping.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


#: Where the application has its `Server`.
SERVER: web.AppKey[Server] = web.AppKey("server", Server)


class Call:
    """A request.

    Attributes:
        request: the request.
        server: who answers it.
        proof: what it shows of who sends it.
    """

    def __init__(self, request: web.Request, server: Server, proof: Proof) -> None:
        self.request, self.server, self.proof = request, server, proof

    def part(self, name: str) -> str:
        """A part of the path."""
        return self.request.match_info[name]

    @property
    def kind(self) -> str:
        """The kind of the objects that the path is about."""
        return self.part("kind")

    @property
    def key(self) -> str:
        """The object that the path names."""
        return self.part("key")

    def has(self, name: str) -> bool:
        """Whether the query says `name=true`.

        Raises:
            Refused: 400, it says something else.
        """
        text = self.request.query.get(name, "false")
        if text not in ("true", "false"):
            raise Refused(400, f"{name} must be true or false", type=self.request.method)
        return text == "true"

    async def body(self) -> bytes:
        """The body of the request, which is JSON.

        Raises:
            Refused: 400, it is said to be something else; 403, it is long and nobody's; 408, it takes too long; 413,
                it is too long.
        """
        request = self.request
        if request.body_exists and request.content_type not in (JSON, _PATCHES):
            raise Refused(400, f"Invalid content type: {request.content_type}", type=request.method)
        await self.refuse_burden()
        async with in_time(request):
            return await request.read()

    async def refuse_burden(self) -> None:
        """Refuse a body that is too long, and a long one of somebody whom the server does not know.

        Raises:
            Refused: 403, nobody known sends it.
            HTTPRequestEntityTooLarge: it is too long.
        """
        request = self.request
        length = request.content_length if request.body_exists else 0
        if length is not None and length > BODY_BYTES:
            raise web.HTTPRequestEntityTooLarge(BODY_BYTES, length)
        if length is None or length > _SHORT_BODY:
            await self.server.store.read(self.proof.identity)

    async def read(self, need: Need, function: Callable[[Reader], T], names: Names = anything, key: str = "") -> T:
        """What a function finds in the store, if the sender may see it.

        Args:
            need: what has to be allowed.
            function: finds it.
            names: by which claims may mean what the request is about.
            key: of what it is about, for the refusal.

        Raises:
            Refused: 403, it is not allowed; and what the function raises.
        """

        def run(reader: Reader) -> T:
            self.admitted(reader, need, names, key)
            return function(reader)

        return await self.server.store.read(run)

    async def transact(
        self, need: Need, function: Callable[[Transaction], T], names: Names = anything, key: str = ""
    ) -> T:
        """What a function returns that changes the store, if the sender may do that; see `read`.

        Raises:
            Refused: 403, it is not allowed, or grants what the sender does not have; and what the function raises.
        """

        def run(transaction: Transaction) -> T:
            identity = self.admitted(transaction, need, names, key)
            result = function(transaction)
            refuse_grants(transaction, identity, need.scope)
            return result

        return await self.server.store.transact(run, self.proof.principal)

    def admitted_to(self, reader: Reader, action: str) -> Identity:
        """Who sends the request, if this may be done with the object that the path names; see `admitted`."""
        return self.admitted(reader, Need(self.kind, action), named(self.kind, self.key), self.key)

    async def see(self, action: str, function: Callable[[Reader], T]) -> T:
        """What a function finds of the object that the path names, if the sender may do this with it; see `read`."""
        return await self.read(Need(self.kind, action), function, named(self.kind, self.key), self.key)

    async def change(self, action: str, function: Callable[[Transaction], T], paths: tuple[str, ...] = ()) -> T:
        """What a function makes of the object that the path names, if the sender may do this with it; see `transact`.

        Args:
            action: what is done with it.
            function: does it.
            paths: of an update, what it changes; without any, it may be everything.
        """
        return await self.transact(Need(self.kind, action, paths), function, named(self.kind, self.key), self.key)

    async def alter(
        self, action: str, function: Callable[[Transaction], Any], paths: tuple[str, ...] = (), *, looks: bool = False
    ) -> Any:
        """What a function makes of the object that the path names, for who may get that; see `change`.

        Args:
            action: what is done with it.
            function: does it.
            paths: of an update, what it changes; without any, it may be everything.
            looks: whether what becomes of it tells what the object has.

        Returns:
            What the function returns; for who may not get the object, nothing but the key of one.
        """

        def run(transaction: Transaction) -> Any:
            get, names = Need(self.kind, "get"), named(self.kind, self.key)
            identity = self.proof.identity(transaction)
            if looks:
                identity.refuse(transaction, get, names, self.key)
            is_seen = identity.may(transaction, get, names)
            made = function(transaction)
            return made if is_seen else _key_of(made)

        return await self.change(action, run, paths)

    def token(self, identity: Identity, wanted: Token, secret: str) -> str:
        """The text of a token for who sends the request; it allows no more than the sender may."""
        life = self.server.settings.token_life * 86400
        return signed(identity.token_of(wanted, self.server.clock(), life), self.server.token_key, secret)

    def admitted(self, reader: Reader, need: Need, names: Names = anything, key: str = "") -> Identity:
        """Who sends the request, if it is allowed."""
        identity = self.proof.identity(reader)
        identity.refuse(reader, need, names, key)
        return identity


def _key_of(made: Any) -> dict[str, str] | None:
    return {made.key_field(): made.key} if isinstance(made, Object) else None


@asynccontextmanager
async def in_time(request: web.Request) -> AsyncIterator[None]:
    """In it, the body of a request is read.

    Raises:
        Refused: 400, it is not encoded as it says; 408, it takes too long.
    """
    try:
        async with asyncio.timeout(BODY_SECONDS):
            yield
    except TimeoutError:
        raise Refused(408, "The request takes too long", type=request.method) from None
    except (HttpProcessingError, web.RequestPayloadError):
        raise Refused(400, "The body is not encoded as the request says", type=request.method) from None


def refuse_unless_bytes(request: web.Request) -> None:
    """Refuse what is not sent as bytes."""
    if request.content_type != BYTES:
        raise Refused(415, f"Invalid content type: {request.content_type}", type=request.method)
