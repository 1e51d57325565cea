"""Jobs: the next one of a machine, what it consists of, its log; and actions that objects offer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aiohttp import web

from ansible_ensemble.provision.objects.codec import Undecodable, decode, encode
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.query import parse_query
from ansible_ensemble.provision.server.answers import BYTES, answer, nothing
from ansible_ensemble.provision.server.call import BODY_BYTES, Call, in_time, refuse_unless_bytes
from ansible_ensemble.provision.server.identity import Names, anything
from ansible_ensemble.provision.server.removal import remove_jobs
from ansible_ensemble.provision.server.tokens import Token
from ansible_ensemble.provision.service import actions, jobs
from ansible_ensemble.provision.service.actions import ActionFailed, Invocation
from ansible_ensemble.provision.store.transaction import Reader, Transaction

#: How much of a log is read or written at once.
_PIECE = 256 * 2**10
#: A range whose end is open; no other is served.
_REST = re.compile(r"bytes=(?:(\d{1,15})-|-(\d{1,15}))")

#: A token of a job ends with its job; this is for jobs that never end.
_TOKEN_LIFE = 30 * 86400


async def create(call: Call) -> web.Response:
    """The next job of a machine; what the server has to do for it itself is done first."""
    body, server = await call.body(), call.server

    def run(tx: Transaction) -> jobs.NextJob:
        return jobs.next_job(tx, body, server.actions)

    found = await call.transact(Need("jobs", "create"), run, _machine_of(body))
    if found.job and found.invocation:
        job, result = found.job, await _carried_out(found.invocation)
        found = await server.store.transact(lambda tx: jobs.action_done(tx, job, result), call.proof.principal)
    if found.job is None or found.status == 204:
        return nothing()
    job = await _with_token(call, found.job) if found.job.extra_claims else found.job
    return answer(job, found.status)


def _machine_of(body: bytes) -> Names:
    def find(_reader: Reader) -> Iterable[str]:
        try:
            return (decode(Job, body).machine,)
        except Undecodable:
            return ()

    return find


async def _carried_out(invocation: Invocation) -> bytes | ActionFailed:
    try:
        return encode(await invocation.run())
    except ActionFailed as failed:
        return failed


async def _with_token(call: Call, job: Job) -> Job:
    expires = int(call.server.clock() + _TOKEN_LIFE)
    wanted = Token(machine=job.machine, job=job.uuid, expires=expires, grants=job.extra_claims)

    def made(reader: Reader) -> Job:
        machine = reader.get(Machine, job.machine)
        return job.replaced(token=call.token(call.proof.identity(reader), wanted, machine.secret)) if machine else job

    return await call.server.store.read(made)


async def show_log(call: Call) -> web.StreamResponse:
    """The log of a job, or what follows in it after what one has of it, or its end."""
    name = call.key
    if rest := _REST.fullmatch(call.request.headers.get("Range", "")):
        return await _rest_of_log(call, int(rest[1] or 0), int(rest[2]) if rest[2] else None)
    piece = await call.see("log", lambda reader: jobs.read_log(reader, name, 0, _PIECE))
    if len(piece) < _PIECE or call.request.method == "HEAD":
        return web.Response(body=piece, content_type=BYTES)
    response, offset = web.StreamResponse(headers={"Content-Type": BYTES}), 0
    await response.prepare(call.request)
    while piece:
        await response.write(piece)
        offset += len(piece)
        piece = await call.server.store.read(lambda reader, at=offset: jobs.read_log(reader, name, at, _PIECE))  # type: ignore[misc] # mypy's lambdas
    await response.write_eof()
    return response


async def _rest_of_log(call: Call, offset: int, last: int | None) -> web.Response:
    """What follows in a log after an offset, or so many bytes at its end."""
    rest = await call.see("log", lambda reader: jobs.read_log(reader, call.key, offset))
    if last is not None:
        offset = max(0, len(rest) - last)
        rest = rest[offset:]
    if not rest:
        raise web.HTTPRequestRangeNotSatisfiable
    headers = {"Content-Range": f"bytes {offset}-{offset + len(rest) - 1}/*"}
    return web.Response(status=206, body=rest, headers=headers, content_type=BYTES)


async def append_log(call: Call) -> web.Response:
    """Append to the log of a job."""
    request = call.request
    refuse_unless_bytes(request)
    await call.refuse_burden()

    async def append(piece: bytes) -> None:
        await call.change("log", lambda tx: jobs.append_log(tx, call.key, piece))

    held, size = bytearray(), 0
    async with in_time(request):
        async for part in request.content.iter_any():
            held += part
            size += len(part)
            if size > BODY_BYTES:
                raise web.HTTPRequestEntityTooLarge(BODY_BYTES, size)
            if len(held) >= _PIECE:
                await append(bytes(held))
                held.clear()
    await append(bytes(held))
    return nothing()


async def purge(call: Call) -> web.Response:
    """Remove the jobs that a query finds and that are over."""
    query, need = parse_query(Job, call.request.query.items()), Need("jobs", "delete")
    is_seen = await call.server.store.read(
        lambda reader: call.proof.identity(reader).may(reader, Need("jobs", "get"), anything)
    )
    gone = await remove_jobs(
        call.server.store,
        lambda reader: jobs.over(reader, query),
        call.proof.principal,
        admit=lambda reader: call.admitted(reader, need),
    )
    return answer([job.public() if is_seen else {"Uuid": job.uuid} for job in gone])


async def list_actions(call: Call) -> web.Response:
    """The actions that an object offers."""
    provider, offered = call.request.query.get("plugin", ""), call.server.actions
    return answer(
        await call.see("get", lambda reader: actions.list_actions(reader, offered, call.kind, call.key, provider))
    )


async def show_action(call: Call) -> web.Response:
    """An action that an object offers."""
    command, offered = call.part("command"), call.server.actions
    return answer(
        await call.see("get", lambda reader: actions.show_action(reader, offered, call.kind, call.key, command))
    )


async def invoke_action(call: Call) -> web.Response:
    """Carry out an action on an object."""
    command, body, offered = call.part("command"), await call.body(), call.server.actions
    ready = await call.see(
        "action", lambda reader: actions.prepare(reader, offered, call.kind, call.key, command, body=body)
    )
    try:
        return answer(await ready.run())
    except ActionFailed as failed:
        raise actions.refused_action(failed, call.kind, call.key) from None
