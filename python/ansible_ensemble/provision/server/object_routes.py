"""What every kind of objects has: lists, counts, and objects to see, create, change and remove."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web
from msgspec.structs import replace

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import Undecodable, decode_json
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.query import Shape, parse_query, parse_shape
from ansible_ensemble.provision.server.answers import JSON, answer, body_of, tag_of
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.durations import seconds
from ansible_ensemble.provision.server.identity import anything, named
from ansible_ensemble.provision.server.listing import Listing, listing
from ansible_ensemble.provision.service import crud
from ansible_ensemble.provision.service.lookup import kind_of
from ansible_ensemble.provision.service.secure_params import revealed
from ansible_ensemble.provision.store.transaction import Reader, Transaction

#: Nobody waits longer for a change, in seconds.
_LONGEST_WAIT = 600.0


async def show_list(call: Call) -> web.StreamResponse:
    """The objects of a kind that a query finds; of HEAD how many there are."""
    prefix, counted = call.kind, call.request.method == "HEAD"
    kind = kind_of(prefix, call.request.method)
    query = parse_query(kind, call.request.query.items())

    def find(reader: Reader) -> Listing:
        identity = call.proof.identity(reader)
        if query.shape.decode:
            identity.refuse(reader, Need(prefix, "getSecure"), anything)
        allowed = identity.specifics(Need(prefix, "list"))
        shape = replace(query.shape, proofs=identity.may(reader, Need(prefix, "get"), anything))
        return listing(reader, kind, replace(query, shape=shape), allowed, counted=counted)

    found = await call.server.store.read(find)
    return await _sent(call.request, found, counted)


async def _sent(request: web.Request, found: Listing, counted: bool) -> web.StreamResponse:
    counts = {"COUNT": found.count, "TOTAL-COUNT": found.total, "FILTER-COUNT": found.found}
    headers = {f"X-DRP-LIST-{name}": str(count) for name, count in counts.items()}
    pieces = [] if counted else found.pieces()
    if len(pieces) <= 1:
        return web.Response(body=b"".join(pieces), headers=headers, content_type=JSON)
    response = web.StreamResponse(headers={**headers, "Content-Type": JSON})
    response.content_length = sum(map(len, pieces))
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
    await response.write_eof()
    return response


async def show(call: Call) -> web.Response:
    """An object; who has it already may wait until it is another one."""
    seen = await _look(call)
    held = call.request.headers.get("If-None-Match", "")
    if held and (wait := _wait(call.request.headers.get("Prefer", ""))) and _is_held(held, seen):
        seen = await _changed(call, seen, wait)
    if held and _is_held(held, seen):
        return web.Response(status=304, headers={"ETag": tag_of(seen[1])})
    return web.Response(body=seen[1], headers={"ETag": tag_of(seen[1])}, content_type=JSON)


async def _look(call: Call) -> tuple[str, bytes]:
    """The key of the object, and its JSON."""
    shape = parse_shape({word: call.request.query.getall(word) for word in call.request.query})

    def find(reader: Reader) -> tuple[str, bytes]:
        if shape.decode:
            call.admitted_to(reader, "getSecure")
        one = crud.show(reader, call.kind, call.key).public()
        return one.key, body_of(shape.shown(revealed(reader, one, reader) if shape.decode else one))

    return await call.see("get", find)


def _is_held(held: str, seen: tuple[str, bytes]) -> bool:
    return tag_of(seen[1]) in held or held.strip() == "*"


def _wait(preferences: str) -> float:
    """The seconds that a request prefers to wait."""
    for preference in preferences.replace(";", ",").split(","):
        name, _separator, value = preference.partition("=")
        if name.strip().lower() == "wait":
            return min(seconds(value.strip().strip('"')), _LONGEST_WAIT)
    return 0.0


class _Change:
    """Hears that an object changed."""

    def __init__(self) -> None:
        self.heard = asyncio.Event()

    def hear(self, message: bytes) -> None:  # noqa: ARG002 - what it says is looked up
        self.heard.set()


async def _changed(call: Call, seen: tuple[str, bytes], wait: float) -> tuple[str, bytes]:
    """The object when it is another one, or the time is over, or the server stops."""
    change, matches = _Change(), [(call.kind, None, seen[0])]
    call.server.hub.add(change, matches)
    try:
        async with asyncio.timeout(wait):
            while (now := await _look(call)) == seen and not call.server.is_stopping.is_set():
                await call.server.until_stopping(change.heard.wait())
                change.heard.clear()
            return now
    except TimeoutError:
        return seen
    finally:
        call.server.hub.remove(change, matches)


async def create(call: Call) -> web.Response:
    """Create an object."""
    prefix, body, force = call.kind, await call.body(), call.has("force")

    def make(tx: Transaction) -> Object:
        made = crud.create(tx, prefix, body, force=force).public()
        may_get = call.proof.identity(tx).may(tx, Need(prefix, "get"), named(prefix, made.key))
        return Shape(proofs=may_get).shown(made)

    return answer(await call.transact(Need(prefix, "create"), make), 201)


async def patch(call: Call) -> web.Response:
    """Change an object by a patch."""
    body, force = await call.body(), call.has("force")
    return answer(
        await call.alter(
            "update",
            lambda tx: crud.patch(tx, call.kind, call.key, body, force=force),
            changed_paths(body),
            looks=is_looking(body),
        )
    )


async def put(call: Call) -> web.Response:
    """Replace an object."""
    body, force = await call.body(), call.has("force")
    return answer(await call.alter("update", lambda tx: crud.put(tx, call.kind, call.key, body, force=force)))


async def remove(call: Call) -> web.Response:
    """Remove an object."""
    return answer(await call.alter("delete", lambda tx: crud.remove(tx, call.kind, call.key)))


def changed_paths(body: bytes, under: str = "") -> tuple[str, ...]:
    """What a patch changes; nothing of what is no patch, which is then allowed only to who may change everything.

    Args:
        body: the patch.
        under: the path of what it changes.
    """
    try:
        return tuple(f"{under}{path}" for one in _operations(body) for path in _paths(one))
    except (TypeError, KeyError):
        return ()


def is_looking(body: bytes) -> bool:
    """Whether a patch tells what is there: by a test, or by taking it to another place."""
    return any(isinstance(one, dict) and one.get("op") in ("test", "copy", "move") for one in _operations(body))


def _operations(body: bytes) -> list[Any]:
    """What a patch consists of; nothing of what is no patch."""
    try:
        operations = decode_json(body)
    except Undecodable:
        return []
    return operations if isinstance(operations, list) else []


def _paths(operation: dict[str, Any]) -> list[str]:
    if operation["op"] == "test":
        return []
    return [operation["path"], *([operation["from"]] if operation["op"] == "move" else [])]


async def show_meta(call: Call) -> web.Response:
    """The Meta of an object."""
    return answer(await call.see("get", lambda reader: crud.show_meta(reader, call.kind, call.key)))


async def patch_meta(call: Call) -> web.Response:
    """Change the Meta of an object by a patch of it."""
    body = await call.body()
    paths = changed_paths(body, "/Meta")
    return answer(
        await call.alter(
            "update", lambda tx: crud.patch_meta(tx, call.kind, call.key, body), paths, looks=is_looking(body)
        )
    )
