"""The process that executes modules and plays for a worker, warm from the first on (see `execution.kept_program`)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from msgspec import convert

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import ModuleCall, Play
from ansible_ensemble.lanes import outcomes
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from ansible_ensemble.lanes.processes import detach_stdio
from ansible_ensemble.lanes.session import standalone_session
from ansible_ensemble.lanes.surroundings import session_in
from ansible_ensemble.mesh.messages import moved
from ansible_ensemble.mesh.signing import unseal_data

_LONGEST = 1 << 28
#: Lines for people of one order.
_MOST_LINES = 1000


def main() -> None:
    """Serve until the other side is gone."""
    connection = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    detach_stdio()  # Ansible refuses a standard input that does not block
    asyncio.run(_serve(connection))


async def _serve(connection: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=connection, limit=_LONGEST)
    running: dict[int, asyncio.Task[None]] = {}
    lanes: AnsibleLanes | None = None

    async def answer(number: int, request: dict[str, Any]) -> None:
        nonlocal lanes
        told: list[str] = []

        async def tell(line: str) -> None:
            if len(told) < _MOST_LINES:
                told.append(line)

        try:
            lanes = lanes or _lanes(request)
            given = request["order"]
            order = convert(given, Play) if request["kind"] == "play" else convert(given, ModuleCall)
            outcome = await lanes.run(order, tell=tell, hosts=request.get("hosts"))
        except asyncio.CancelledError:
            outcome = outcomes.failure("it was cancelled")
            outcome.cancelled = True
        except (EnsembleError, OSError) as error:
            outcome = outcomes.failure(str(error))
        outcome.told = told
        writer.write(
            json.dumps({"number": number, "answer": outcomes.to_message(outcome)}, default=str).encode() + b"\n"
        )
        del running[number]

    while line := await reader.readline():
        asked = json.loads(line)
        number, request = asked["number"], asked.get("request")
        if request is None:
            if number in running:
                running[number].cancel()
            continue
        running[number] = asyncio.create_task(answer(number, request))
    if lanes is not None:
        await lanes.close()


def _lanes(request: dict[str, Any]) -> AnsibleLanes:
    """What carries out orders with the files of a tree, and with what is around them."""
    tree = Path(request["tree"])
    if "around" in request:
        data = unseal_data(request["key"], Path(request["around"]).read_bytes())
        session = session_in(data, tree, lambda text: str(moved(text, request["root"], request["tree"])))
    else:
        session = standalone_session(base=tree)
    session.add_plugins([tree])
    return AnsibleLanes(session, executors=request["executors"], on_display=_unheard, root=tree)


def _unheard(_method: str, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
    """What Ansible displays is in the outcome as far as it matters."""
