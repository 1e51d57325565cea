"""What the server is: information, settings, indexes, kinds of objects, metrics, health; and events of users."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from aiohttp import web

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Record
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import SERVER, Call
from ansible_ensemble.provision.server.identity import anything
from ansible_ensemble.provision.server.server_info import info_of
from ansible_ensemble.provision.service import indexes, preferences
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.store.transaction import Transaction


class _Said(Record, frozen=True, kw_only=True):
    """An event as a user says it; who and when is the server's to say."""

    time: str = ""
    type: str = ""
    action: str = ""
    key: str = ""
    object: Any = None


async def show_info(call: Call) -> web.Response:
    """What the server says of itself."""
    return answer(await call.read(Need("info", "get"), lambda reader: info_of(reader, call)))


async def show_preferences(call: Call) -> web.Response:
    """The settings that are kept with the objects."""
    return answer(await call.read(Need("prefs", "list"), preferences.preferences))


async def set_preferences(call: Call) -> web.Response:
    """Change settings that are kept with the objects, and answer all to who may see them."""
    body = await call.body()

    def change(tx: Transaction) -> tuple[dict[str, str], bool]:
        is_seen = call.proof.identity(tx).may(tx, Need("prefs", "list"), anything)
        return preferences.set_preferences(tx, body), is_seen

    kept, is_seen = await call.transact(Need("prefs", "post"), change)
    call.server.log.follow(kept)
    return answer(kept if is_seen else None)


async def show_logs(call: Call) -> web.Response:
    """The latest lines of the server's log."""
    return answer(await call.read(Need("logs", "get"), lambda _reader: call.server.log.lines))


async def show_kinds(call: Call) -> web.Response:
    """The kinds of objects."""
    return answer(await call.read(Need("objects", "list"), lambda _value: sorted(KINDS)))


async def show_indexes(call: Call) -> web.Response:
    """By what objects can be filtered: of all kinds, of one, or one field."""
    kind, field = call.request.match_info.get("kind"), call.request.match_info.get("field")
    await call.read(Need("indexes", "list"), lambda _value: None)
    if kind is None:
        return answer(indexes.indexes())
    return answer(indexes.indexes_of(kind) if field is None else {field: indexes.index_of(kind, field)})


async def post_event(call: Call) -> web.Response:
    """Tell an event of a user to all who want to hear of it."""
    body = await call.body()

    def tell(tx: Transaction) -> Event:
        event = posted_event(body, call.proof.principal)
        tx.tell(event)
        return event

    return answer(await call.transact(Need("events", "post"), tell))


def posted_event(body: bytes, principal: str) -> Event:
    """An event as somebody says it.

    Raises:
        Refused: 400, it is none; 422, it lacks something, or is of what only the server tells.
    """
    said = parsed_body(_Said, body, "POST", "events")
    if missing := [name for name in ("type", "action", "key") if not getattr(said, name)]:
        raise invalid(f"{missing[0].capitalize()} is missing", model="events", key=said.key)
    if said.type in KINDS or said.type == "websocket":
        raise invalid(f"Events of {said.type} are the server's own", model="events", key=said.key)
    time = _time(said.time)
    return Event(time=time, type=said.type, action=said.action, key=said.key, principal=principal, object=said.object)


def _time(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return iso_time(now())
    return text


async def show_metrics(call: Call) -> web.Response:
    """What the server counts."""
    kept = await call.read(
        Need("metrics", "get"), lambda reader: {prefix: reader.count(kind) for prefix, kind in KINDS.items()}
    )
    return web.Response(
        text=call.server.metrics.text(len(call.server.sockets), kept),
        headers={"Content-Type": "text/plain; version=0.0.4"},
    )


async def show_health(request: web.Request) -> web.Response:
    """Whether the server can serve; anybody may ask."""
    server = request.app[SERVER]
    if server.is_stopping.is_set():
        raise Refused(503, "The server stops", type=request.method)
    await server.store.read(lambda reader: reader.preferences())
    return answer({"status": "ok"})
