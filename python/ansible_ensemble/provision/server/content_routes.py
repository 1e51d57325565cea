"""Bundles of content: loaded, shown, replaced and removed as one."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.service import contents

_SCOPE = "contents"


async def show_list(call: Call) -> web.Response:
    """The bundles that are loaded."""
    return answer(await call.read(Need(_SCOPE, "list"), contents.list_contents))


async def show(call: Call) -> web.Response:
    """A bundle with all its objects."""
    return answer(await call.see("get", lambda reader: contents.show_content(reader, call.key)))


async def create(call: Call) -> web.Response:
    """Load a bundle."""
    body, strict = await call.body(), call.server.settings.strict_features
    made = await call.transact(Need(_SCOPE, "create"), lambda tx: contents.create_content(tx, body, strict=strict))
    return answer(made, 201)


async def put(call: Call) -> web.Response:
    """Load a bundle anew."""
    body, strict = await call.body(), call.server.settings.strict_features
    return answer(await call.change("update", lambda tx: contents.replace_content(tx, call.key, body, strict=strict)))


async def remove(call: Call) -> web.Response:
    """Remove a bundle and its objects."""
    return answer(await call.alter("delete", lambda tx: contents.remove_content(tx, call.key)))
