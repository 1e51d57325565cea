"""The websocket on which clients hear of events."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.rules.claims import ALL, Need
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.filters import Match
from ansible_ensemble.provision.server.identity import Proof, named
from ansible_ensemble.provision.server.socket import Socket
from ansible_ensemble.provision.store.transaction import Reader


async def listen(call: Call) -> web.StreamResponse:
    """Tell a client of the events that it asks for, as long as it may see what they are about."""
    await call.server.store.read(call.proof.identity)
    server, proof = call.server, call.proof.lasting()

    async def allow(matches: list[Match]) -> None:
        await server.store.read(lambda reader: _refuse(reader, proof, matches))

    socket = Socket(server.hub, allow, proof.rights)
    server.sockets.add(socket)
    try:
        return await socket.serve(call.request)
    finally:
        server.sockets.discard(socket)


def _refuse(reader: Reader, proof: Proof, matches: list[Match]) -> None:
    """Refuse a filter that matches events of what the client may not see."""
    identity = proof.identity(reader)
    for kind, key in {(kind, key) for kind, _other, key in matches}:
        names = named(kind, key) if kind in KINDS and key else lambda _value, key=key: (key or ALL,)
        identity.refuse(reader, Need(kind or ALL, "get"), names, key or "")
