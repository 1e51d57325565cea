"""Pools: which machines they have, and moves of machines."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.identity import named
from ansible_ensemble.provision.service import pools


async def show_active(call: Call) -> web.Response:
    """The pools that have machines."""
    return answer(await call.read(Need("pools", "list"), pools.active_pools))


async def show_status(call: Call) -> web.Response:
    """The machines of a pool, by their status."""
    name = call.part("key")
    need = Need("pools", "status")
    return answer(await call.read(need, lambda reader: pools.pool_status(reader, name), named("pools", name), name))


async def move(call: Call) -> web.Response:
    """Move machines; who may do that to a pool needs no claims on the machines."""
    name, kind, body = call.part("key"), call.part("move"), await call.body()
    source = call.request.query.get("source-pool", "")
    moved = await call.transact(
        Need("pools", kind),
        lambda tx: pools.move_machines(tx, name, kind, body, source),
        named("pools", name),
        name,
    )
    return answer(moved)
