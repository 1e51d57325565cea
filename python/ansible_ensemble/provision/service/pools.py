"""Machines in pools: shown, and moved as many as a request wants, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.pool import DEFAULT_POOL, Pool, PoolActions, PoolResult
from ansible_ensemble.provision.rules.machine_edit import edited_machine
from ansible_ensemble.provision.rules.pools import MOVES, moved
from ansible_ensemble.provision.rules.query import parse_query
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.lookup import candidates, get_or_404
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.store.transaction import Reader, Transaction

_Count = Annotated[int, msgspec.Meta(ge=0)]


class _Asked(msgspec.Struct, frozen=True, kw_only=True, rename=lambda name: f"pool/{name.replace('_', '-')}"):
    """What a request says of the machines that it moves, by the names of params."""

    all_machines: bool = False
    count: _Count = 0
    minimum: _Count = 0
    machine_list: list[str] = []
    filter: list[str] = []
    wait_timeout: str = ""
    workflow: str = ""
    add_profiles: list[str] = []
    add_parameters: dict[str, Any] = {}
    remove_profiles: list[str] = []
    remove_parameters: list[str] = []


def active_pools(reader: Reader) -> list[str]:
    """The pools that have machines."""
    return sorted({machine.pool or DEFAULT_POOL for machine in reader.all(Machine)})


def pool_status(reader: Reader, name: str) -> dict[str, list[PoolResult]]:
    """The machines of a pool, by their status."""
    pool = get_or_404(reader, Pool, name)
    by_status: dict[str, list[PoolResult]] = {}
    for machine in reader.all(Machine):
        if machine.pool == pool.identifier:
            by_status.setdefault(machine.pool_status, []).append(_result(machine))
    return by_status


def move_machines(tx: Transaction, name: str, move: str, body: bytes, source: str = "") -> list[PoolResult]:
    """Move machines; also what the pool's rules of filling want afterwards.

    Args:
        tx: where.
        name: of the pool.
        move: one of `MOVES`.
        body: which machines, and what is to be done to them.
        source: the pool that they are added from; empty for the default one.

    Returns:
        The machines that were asked for.

    Raises:
        Refused: 400, the body says nothing of this; 404, there is no such pool; 409, there are too few machines; 422,
            a machine cannot be changed so.
    """
    pool = get_or_404(tx, Pool, name, "POST")
    asked = parsed_body(_Asked, body or b"{}", "POST", "pools", pool.key)
    if asked.wait_timeout not in ("", "0"):
        raise Refused(400, "pool/wait-timeout: watch the machines instead", type="POST", model="pools", key=pool.key)
    at = (source or DEFAULT_POOL) if move == "addMachines" else pool.identifier
    chosen = _chosen(pool, _fit(tx, at, move, asked), asked)
    actions = PoolActions(**{name: getattr(asked, name) for name in PoolActions.__struct_fields__})
    results = _move(tx, chosen, move, pool, actions)
    _fill(tx, pool)
    return results


def _fit(tx: Transaction, at: str, move: str, asked: _Asked) -> list[Machine]:
    """The machines that the move is for, in the order of their keys."""
    if asked.machine_list:
        named = [get_or_404(tx, Machine, name, "POST") for name in asked.machine_list]
        return [one for one in named if _may(one, at, move)]
    query = parse_query(Machine, [(key, value) for text in asked.filter for key, _is, value in [text.partition("=")]])
    return [one for one in query.page(query.found(candidates(tx, Machine, query))) if _may(one, at, move)]


def _may(machine: Machine, at: str, move: str) -> bool:
    free = move != "releaseMachines"
    return machine.pool == at and machine.pool_status == MOVES[move].status and machine.pool_allocated != free


def _chosen(pool: Pool, fit: Sequence[Machine], asked: _Asked) -> Sequence[Machine]:
    """As many as are asked for."""
    least = asked.minimum or asked.count or (0 if asked.all_machines else 1)
    if asked.machine_list:
        least = len(asked.machine_list)
    if len(fit) < least:
        message = f"Only {len(fit)} of {least} machines are available"
        raise Refused(409, message, type="Conflict", model="pools", key=pool.key)
    return fit if asked.all_machines or asked.machine_list else fit[: asked.count or least]


def _move(tx: Transaction, chosen: Iterable[Machine], move: str, pool: Pool, asked: PoolActions) -> list[PoolResult]:
    batch = Batch(tx)
    uuids = []
    for machine in chosen:
        kept = tx.locked(Machine, machine.uuid) or machine
        batch.put(edited_machine(kept, moved(kept, move, pool, asked), batch))
        uuids.append(kept.uuid)
    batch.write()
    return [_result(after) for uuid in uuids if (after := tx.get(Machine, uuid))]


def _fill(tx: Transaction, pool: Pool) -> None:
    """Have as many free machines in a pool as its rules say, as far as there are any."""
    rules = pool.auto_fill
    if not rules.use_auto_fill:
        return
    free = [one for one in tx.all(Machine) if _may(one, pool.identifier, "removeMachines")]
    if len(free) < rules.min_free:
        source = rules.acquire_pool or DEFAULT_POOL
        others = [one for one in tx.all(Machine) if _may(one, source, "addMachines")]
        _move(tx, others[: rules.min_free - len(free)], "addMachines", pool, PoolActions())
    elif 0 < rules.max_free < len(free):
        goal = pool.replaced(parent_pool=rules.return_pool or pool.parent_pool)
        _move(tx, free[rules.max_free :], "removeMachines", goal, PoolActions())


def _result(machine: Machine) -> PoolResult:
    return PoolResult(
        name=machine.name, uuid=machine.uuid, allocated=machine.pool_allocated, status=machine.pool_status
    )
