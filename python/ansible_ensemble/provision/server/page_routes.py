"""The pages of machines in a browser, which log in as every client does, and two documents for them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from aiohttp import web

from ansible_ensemble.core.page_files import PAGE_HEADERS
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.objects.content import Param
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.catalog import Kept
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.parameters import origins
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import SERVER, Call
from ansible_ensemble.provision.server.identity import Identity, named
from ansible_ensemble.provision.service.lookup import get_or_404
from ansible_ensemble.provision.store.transaction import Reader

#: What the pages change of a machine.
_CHANGED = ("Workflow", "Runnable")


async def redirect(_request: web.Request) -> web.Response:
    """Send browsers to the pages."""
    return web.Response(status=302, headers={"Location": "/ui/"})


async def show(request: web.Request) -> web.Response:
    """A file of the pages, to anybody: they hold nothing of the server."""
    file = request.app[SERVER].pages.get(request.match_info["name"] or "index.html")
    if file is None:
        raise web.HTTPNotFound
    return web.Response(body=file.body, content_type=file.content_type, charset="utf-8")


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Have browsers show nothing of the server but the pages, and run no script but theirs."""
    response.headers.update(PAGE_HEADERS)


async def show_machines(call: Call) -> web.Response:
    """Where the machines stand that may be seen, by their names."""

    def find(reader: Reader) -> list[dict[str, Any]]:
        seen = _listed(reader, call.proof.identity(reader), Machine)
        return [_place(reader, one) for one in sorted(seen, key=lambda one: one.name)]

    return answer(await call.server.store.read(find))


async def show_machine(call: Call) -> web.Response:
    """Where a machine stands, its tasks, its params with where each comes from, and what of it may be changed."""
    names = named(call.kind, call.key)

    def find(reader: Reader) -> dict[str, Any]:
        machine, identity = get_or_404(reader, Machine, call.key), call.proof.identity(reader)
        defined: Iterable[Param] = ()
        with suppress(Refused):  # defaults are for who may see what defines them
            defined = _listed(reader, identity, Param)
        return {
            **_place(reader, machine),
            "Description": machine.description,
            "Locked": machine.locked,
            "Tasks": machine.tasks,
            "CurrentTask": machine.current_task,
            "Profiles": machine.profiles,
            "MayChange": [field for field in _CHANGED if identity.may(reader, _update_of(field), names)],
            "Params": origins(machine, reader, defined),
        }

    return answer(await call.see("get", find))


def _update_of(field: str) -> Need:
    return Need(Machine.PREFIX, "update", (f"/{field}",))


def _listed(reader: Reader, identity: Identity, kind: type[Kept]) -> list[Kept]:
    """The objects of a kind that somebody may list.

    Raises:
        Refused: 403, it is none.
    """
    allowed = identity.specifics(Need(kind.PREFIX, "list"))
    return [one for one in reader.all(kind) if allowed is None or one.key in allowed]


def _place(reader: Reader, machine: Machine) -> dict[str, Any]:
    status = MachineStatus(machine, reader.get(Job, machine.current_job) if machine.current_job else None)
    return {**status.document(), "Reason": status.reason, "Address": machine.address}
