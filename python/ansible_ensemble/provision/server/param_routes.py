"""Params of machines, profiles and stages; their names may contain slashes."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.objects.codec import pointer
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.object_routes import changed_paths, is_looking
from ansible_ensemble.provision.service import params
from ansible_ensemble.provision.store.transaction import Reader


def _asked(call: Call, reader: Reader) -> dict[str, bool]:
    """Which values are meant; those that are opened are for who may see them."""
    asked = {word: call.has(word) for word in ("aggregate", "compose", "decode")}
    if asked["decode"]:
        call.admitted_to(reader, "getSecure")
    return asked


async def show_all(call: Call) -> web.Response:
    """The params of an object."""
    return answer(
        await call.see("get", lambda reader: params.show_params(reader, call.kind, call.key, **_asked(call, reader)))
    )


async def show_one(call: Call) -> web.Response:
    """The value of a param; null where there is none."""
    param = call.part("param")
    return answer(
        await call.see(
            "get", lambda reader: params.show_param(reader, call.kind, call.key, param, **_asked(call, reader))
        )
    )


async def set_all(call: Call) -> web.Response:
    """Replace all params of an object."""
    body = await call.body()
    return answer(await call.alter("update", lambda tx: params.set_params(tx, call.kind, call.key, body), ("/Params",)))


async def set_one(call: Call) -> web.Response:
    """Set a param of an object."""
    param, body = call.part("param"), await call.body()
    return answer(
        await call.alter(
            "update", lambda tx: params.set_param(tx, call.kind, call.key, param, body), (pointer("Params", param),)
        )
    )


async def patch_all(call: Call) -> web.Response:
    """Change the params of an object by a patch of them."""
    body = await call.body()
    paths = changed_paths(body, "/Params")
    return answer(
        await call.alter(
            "update", lambda tx: params.patch_params(tx, call.kind, call.key, body), paths, looks=is_looking(body)
        )
    )


async def remove_one(call: Call) -> web.Response:
    """Remove a param of an object."""
    param = call.part("param")
    return answer(
        await call.alter(
            "update", lambda tx: params.remove_param(tx, call.kind, call.key, param), (pointer("Params", param),)
        )
    )


async def show_public_key(call: Call) -> web.Response:
    """The key by which values for an object are sealed."""
    return answer(await call.change("get", lambda tx: params.public_key(tx, call.kind, call.key)))
