"""Params of machines, profiles and stages; their names may contain slashes."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.identity import named
from ansible_ensemble.provision.server.object_routes import changed_paths
from ansible_ensemble.provision.service import params
from ansible_ensemble.provision.store.transaction import Reader


def _path(param: str) -> str:
    """The path of a param, as a patch of its object names it."""
    return "/Params/" + param.replace("~", "~0").replace("/", "~1")


def _asked(call: Call, reader: Reader) -> dict[str, bool]:
    """Which values are meant; those that are opened are for who may see them."""
    prefix, name = call.part("kind"), call.part("key")
    asked = {word: call.has(word) for word in ("aggregate", "compose", "decode")}
    if asked["decode"]:
        call.admitted(reader, Need(prefix, "getSecure"), named(prefix, name), name)
    return asked


async def show_all(call: Call) -> web.Response:
    """The params of an object."""
    prefix, name = call.part("kind"), call.part("key")
    found = await call.read(
        Need(prefix, "get"),
        lambda reader: params.show_params(reader, prefix, name, **_asked(call, reader)),
        named(prefix, name),
        name,
    )
    return answer(found)


async def show_one(call: Call) -> web.Response:
    """The value of a param; null where there is none."""
    prefix, name, param = call.part("kind"), call.part("key"), call.part("param")
    found = await call.read(
        Need(prefix, "get"),
        lambda reader: params.show_param(reader, prefix, name, param, **_asked(call, reader)),
        named(prefix, name),
        name,
    )
    return answer(found)


async def set_all(call: Call) -> web.Response:
    """Replace all params of an object."""
    prefix, name, body = call.part("kind"), call.part("key"), await call.body()
    need = Need(prefix, "update", ("/Params",))
    kept = await call.transact(need, lambda tx: params.set_params(tx, prefix, name, body), named(prefix, name), name)
    return answer(kept)


async def set_one(call: Call) -> web.Response:
    """Set a param of an object."""
    prefix, name, param, body = call.part("kind"), call.part("key"), call.part("param"), await call.body()
    need = Need(prefix, "update", (_path(param),))
    kept = await call.transact(
        need, lambda tx: params.set_param(tx, prefix, name, param, body), named(prefix, name), name
    )
    return answer(kept)


async def patch_all(call: Call) -> web.Response:
    """Change the params of an object by a patch of them."""
    prefix, name, body = call.part("kind"), call.part("key"), await call.body()
    need = Need(prefix, "update", changed_paths(body, "/Params"))
    kept = await call.transact(need, lambda tx: params.patch_params(tx, prefix, name, body), named(prefix, name), name)
    return answer(kept)


async def remove_one(call: Call) -> web.Response:
    """Remove a param of an object."""
    prefix, name, param = call.part("kind"), call.part("key"), call.part("param")
    need = Need(prefix, "update", (_path(param),))
    gone = await call.transact(need, lambda tx: params.remove_param(tx, prefix, name, param), named(prefix, name), name)
    return answer(gone)


async def show_public_key(call: Call) -> web.Response:
    """The key by which values for an object are sealed."""
    prefix, name = call.part("kind"), call.part("key")
    key = await call.transact(
        Need(prefix, "get"), lambda tx: params.public_key(tx, prefix, name), named(prefix, name), name
    )
    return answer(key)
