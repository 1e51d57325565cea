"""What a server knows, for those who only want to know it; secrets are left out unless they are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.desired.change import shown
from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.content import Profile, Stage
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.parameters import aggregated, is_sealed
from ansible_ensemble.provision.service.snapshot import Snapshot

Plain = dict[str, Any]

#: How many logs are read at once.
_AT_ONCE = 8


def filters(given: Mapping[str, Any]) -> dict[str, str]:
    """Filters as a query has them."""
    return {name: _text(value) for name, value in given.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"In({','.join(map(str, value))})" if isinstance(value, list) else str(value)


def query(kind: type[Object], given: Mapping[str, Any]) -> dict[str, str]:
    """The query of a list of objects of a kind, by name if no other order is asked for."""
    shape = {name: given[name] for name in ("sort", "reverse", "limit", "offset") if given.get(name)}
    key = (*kind.UNIQUE, kind.key_field())[0]
    named = {key: f"Eq({given['name']})"} if "name" in given else {}
    return filters({"sort": key, **given.get("filters", {}), **named, **shape})


async def objects(client: Client, kind: type[Object], asked: Mapping[str, str], aggregate: bool) -> list[Plain]:
    """Objects of a kind, without their secrets."""
    found = await client.select(kind, asked)
    if not aggregate or kind not in WITH_PARAMS:
        return [shown(one) for one in found]
    catalog = await _catalog(client, {})
    return [shown(_with_all_params(one, catalog)) for one in found]


async def machines(client: Client, asked: Mapping[str, str], *, aggregate: bool, secure: bool) -> list[Plain]:
    """Machines by name, if nothing else is asked for, and their params apart from them.

    Args:
        client: of the server.
        asked: filters.
        aggregate: whether params from profiles and stages are among them.
        secure: whether secure params are, open; else they are left out.
    """
    decode = {"decode": "true"} if secure else {}
    found = await client.select(Machine, {"sort": "Name", **asked, **decode})
    if aggregate:
        catalog = await _catalog(client, decode)
        found = [_with_all_params(one, catalog) for one in found]
    return [_host(one) for one in found]


def _host(machine: Machine) -> Plain:
    params = {name: value for name, value in machine.params.items() if not is_sealed(value)}
    return {"machine": shown(machine.replaced(params={})), "params": params}


async def _catalog(client: Client, asked: Mapping[str, str]) -> Snapshot:
    profiles, stages = await asyncio.gather(client.select(Profile, asked), client.select(Stage, asked))
    return Snapshot([*profiles, *stages], {})


def _with_all_params(one: Any, catalog: Snapshot) -> Any:
    return one.replaced(params=aggregated(one, catalog))


async def params(client: Client, machine: str, names: list[str], *, aggregate: bool, secure: bool) -> dict[str, Any]:
    """The values of params of a machine, those that there are."""
    owner = await client.get(Machine, f"Name:{machine}")
    values = {name: await client.param(owner, name, aggregate, decode=secure) for name in names}
    if hidden := [name for name, value in values.items() if is_sealed(value)]:
        raise EnsembleError(f"param {hidden[0]} of machine {machine} is secure", hint="ask for it with secure=true")
    return {name: value for name, value in values.items() if value is not None}


async def jobs(client: Client, given: Mapping[str, Any]) -> list[Plain]:
    """Jobs, the latest first, with the ends of their logs if these are asked for."""
    asked = {field: given[name] for name, field in _JOB.items() if name in given}
    if "machine" in given:
        asked["Machine"] = (await client.get(Machine, f"Name:{given['machine']}")).uuid
    found = await client.select(Job, filters({**asked, "sort": "StartTime", "reverse": True, "limit": given["limit"]}))
    if not given["log"]:
        return [shown(one) for one in found]
    turn = asyncio.Semaphore(_AT_ONCE)
    logs = await asyncio.gather(*(_log(client, one, given["log_lines"], turn) for one in found))
    return [{**shown(one), "Log": log} for one, log in zip(found, logs, strict=True)]


_JOB = {"state": "State", "task": "Task", "uuid": "Uuid", "current": "Current"}


async def _log(client: Client, job: Job, lines: int, turn: asyncio.Semaphore) -> list[str]:
    async with turn:
        text = b"".join([part async for part in client.log(job.uuid)]).decode(errors="replace")
    return text.splitlines()[-lines:] if lines else text.splitlines()
