"""Users and machines as those who log in: their tokens and passwords."""

from __future__ import annotations

from typing import Any

import msgspec
from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.durations import seconds
from ansible_ensemble.provision.server.server_info import info_of
from ansible_ensemble.provision.server.tokens import Token
from ansible_ensemble.provision.service import users
from ansible_ensemble.provision.service.lookup import get_or_404
from ansible_ensemble.provision.store.transaction import Reader

#: How many seconds a token lives for which no time was asked.
_LIFE = 3600.0

#: In which words of the query a token is limited.
_LIMITS = ("scope", "action", "specific")


class UserToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token, and what the server says of itself."""

    token: str = msgspec.field(name="Token")
    info: Any = msgspec.field(name="Info")


class _Wanted(Struct, frozen=True):
    """What is asked of a token: when it expires, and what limits it has."""

    expires: int
    limits: list[list[Claim]]


async def show_token(call: Call) -> web.Response:
    """A token for a user, or for a machine as its agent has it; who has that of a job gets no other."""
    wanted = _wanted(call)

    def make(reader: Reader) -> UserToken:
        identity = call.admitted_to(reader, "token")
        kind: type[User] | type[Machine] = User if call.kind == User.PREFIX else Machine
        owner = get_or_404(reader, kind, call.key)
        own = Token(user=owner.name) if isinstance(owner, User) else Token(machine=owner.uuid)
        token = replace(own, expires=wanted.expires, limits=wanted.limits)
        return UserToken(token=call.token(identity, token, owner.secret), info=info_of(reader, call))

    return answer(await call.server.store.read(make))


def _wanted(call: Call) -> _Wanted:
    query = call.request.query
    life = seconds(query["ttl"]) if query.get("ttl") else _LIFE
    if "roles" in query:
        raise Refused(400, "A token is limited by scope, action and specific, not by roles", type=call.request.method)
    limits = {word: query[word] for word in _LIMITS if query.get(word)}
    claim = Claim(**dict.fromkeys(_LIMITS, "*") | limits)
    return _Wanted(int(call.server.clock() + life), [[claim]] if limits else [])


async def set_password(call: Call) -> web.Response:
    """Change the password of a user."""
    body = await call.body()
    return answer(await call.alter("password", lambda tx: users.set_password(tx, call.key, body)))
