"""Which machine of the server a host of the inventory is: the one with its name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.objects.machine import Machine

#: How many machines are created at once, and how many an error names.
_AT_ONCE, _NAMED = 20, 5


async def matched(client: Client, hosts: Sequence[str], create: bool) -> list[Machine]:
    """The machines of hosts."""
    known = {one.name: one for one in await client.select(Machine, {"slim": "Params,Meta"})}
    missing = [name for name in hosts if name not in known]
    if missing and not create:
        more = ", ..." if len(missing) > _NAMED else ""
        raise InvalidInput(
            f"hosts that are no machines of the server: {', '.join(missing[:_NAMED])}{more}",
            hint="give --create, or leave them out by --limit",
        )
    limit = asyncio.Semaphore(_AT_ONCE)

    async def made(name: str) -> Machine:
        async with limit:
            return await client.create(Machine(name=name))

    known |= {one.name: one for one in await asyncio.gather(*map(made, missing))}
    return [known[name] for name in hosts]
