"""Pools: which machines they have, and moves of machines."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.objects.pool import DEFAULT_POOL, Pool, PoolResult
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.service import pools
from ansible_ensemble.provision.store.transaction import Transaction


async def show_active(call: Call) -> web.Response:
    """The pools that have machines."""
    return answer(await call.read(Need("pools", "list"), pools.active_pools))


async def show_status(call: Call) -> web.Response:
    """The machines of a pool, by their status."""
    return answer(await call.see("status", lambda reader: pools.pool_status(reader, call.key)))


async def move(call: Call) -> web.Response:
    """Move machines; who may do that to a pool needs no claims on the machines, but on another pool that they leave."""
    kind, body, source = call.part("move"), await call.body(), call.request.query.get("source-pool", "")

    def run(tx: Transaction) -> list[PoolResult]:
        if source not in ("", DEFAULT_POOL, call.key):
            call.admitted(tx, Need(Pool.PREFIX, "removeMachines"), lambda _reader: (source,), source)
        return pools.move_machines(tx, call.key, kind, body, source)

    return answer(await call.change(kind, run))
