"""Carries out orders in a process of its own and prints what came of them: `driver.py < orders.json > outcomes.json`.

Ansible keeps much in its process (collections, options), so tests that need their own do not share one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from ansible_ensemble.core.orders import Host, ModuleCall, Outcome, Play
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from ansible_ensemble.lanes.session import standalone_session


def order_of(data: dict[str, Any]) -> ModuleCall | Play:
    """An order from its plain data."""
    host = Host(**data.pop("host", {}))
    return Play(host=host, **data) if "kind" in data else ModuleCall(host=host, **data)


async def carry_out(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out the request's orders, one after the other or all at once."""
    displays: list[Any] = []
    session = standalone_session(**request.get("session", {}))
    session.groups = request.get("groups", {})
    lanes = AnsibleLanes(
        session,
        executors=request.get("executors", 1),
        on_display=lambda *call: displays.append(call),
        **request.get("lanes", {}),
    )
    orders = [order_of(data) for data in request["orders"]]
    try:
        outcomes: list[Outcome] = []
        if request.get("together"):
            outcomes = list(await asyncio.gather(*(lanes.run(order) for order in orders)))
        else:
            for order in orders:
                outcomes.append(await lanes.run(order))
    finally:
        await lanes.close()
    return {"outcomes": [reveal(as_map(outcome)) for outcome in outcomes], "displays": displays}


if __name__ == "__main__":
    json.dump(asyncio.run(carry_out(json.load(sys.stdin))), sys.stdout)
