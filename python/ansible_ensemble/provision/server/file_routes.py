"""Files and images: uploaded, listed and removed by who may, and loaded by every machine."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from aiohttp import web

from ansible_ensemble.provision.rules.claims import Need
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.answers import BYTES, answer, nothing
from ansible_ensemble.provision.server.call import SERVER, Call, refuse_unless_bytes
from ansible_ensemble.provision.service.blobs import BlobInfo, Blobs

#: How much is read or written at once.
_PIECE = 256 * 2**10

#: How many seconds a piece may take.
_PIECE_SECONDS = 60


async def show_list(call: Call) -> web.Response:
    """What is in a folder."""
    blobs, folder = _blobs(call), call.request.query.get("path", "")
    await call.read(Need(blobs.kind, "list"), lambda _reader: None)
    return answer(await asyncio.to_thread(blobs.names, folder))


async def show(call: Call) -> web.StreamResponse:
    """A file, or of HEAD its checksum."""
    blobs, name = _blobs(call), call.part("path")
    await _admit(call, "get")
    path = await asyncio.to_thread(blobs.find, name)
    return await _sent(call.request, path, {"X-DRP-SHA256SUM": await asyncio.to_thread(blobs.checksum, path)})


async def serve(request: web.Request) -> web.StreamResponse:
    """A file, to anybody: machines load them before they know who they are."""
    blobs = Blobs(request.match_info["kind"], request.app[SERVER].settings.folder)
    return await _sent(request, await asyncio.to_thread(blobs.find, request.match_info["path"]), {})


async def upload(call: Call) -> web.Response:
    """Keep a file; it is there when all of it is, and then replaces one of its name."""
    blobs, name, request = _blobs(call), call.part("path"), call.request
    refuse_unless_bytes(request)
    if request.query.get("explode", "false") != "false":
        raise Refused(400, "Archives are not unpacked: upload their files", type="POST", model=blobs.kind)
    most = call.server.settings.file_limit * 2**20
    if (request.content_length or 0) > most:
        raise web.HTTPRequestEntityTooLarge(most, request.content_length or 0)
    await _admit(call, "post")
    try:
        size = await _taken(request, blobs, name, most)
    except OSError as error:
        raise Refused(507, f"it cannot be kept: {error.strerror}", type="POST", model=blobs.kind) from None
    return answer(BlobInfo(path=blobs.key(name), size=size), 201)


async def _taken(request: web.Request, blobs: Blobs, name: str, most: int) -> int:
    """Keep the body of a request as a file; its size is returned."""
    arrival = await asyncio.to_thread(blobs.begin, name)
    size = 0
    try:
        while piece := await _next(request):
            size += len(piece)
            if size > most:
                raise web.HTTPRequestEntityTooLarge(most, size)
            await asyncio.to_thread(arrival.file.write, piece)
        await asyncio.to_thread(arrival.complete)
    finally:
        await asyncio.to_thread(arrival.abandon)
    return size


async def remove(call: Call) -> web.Response:
    """Remove a file, or an empty folder."""
    blobs, name = _blobs(call), call.part("path")
    await _admit(call, "delete")
    await asyncio.to_thread(blobs.remove, name)
    return nothing()


def _blobs(call: Call) -> Blobs:
    return Blobs(call.part("kind"), call.server.settings.folder)


async def _admit(call: Call, action: str) -> None:
    blobs = _blobs(call)
    key = blobs.key(call.part("path"))
    await call.read(Need(blobs.kind, action), lambda _reader: None, lambda _reader: (key,), key)


async def _next(request: web.Request) -> bytes:
    """The next part of a body; empty at its end."""
    try:
        async with asyncio.timeout(_PIECE_SECONDS):
            return await request.content.read(_PIECE)
    except TimeoutError:
        raise Refused(408, "The request takes too long", type=request.method) from None


async def _sent(request: web.Request, path: Path, headers: dict[str, str]) -> web.StreamResponse:
    """A file, or the part of it that is asked for."""
    with await asyncio.to_thread(path.open, "rb") as file:
        at = os.fstat(file.fileno())
        tag = f'"{at.st_mtime_ns:x}-{at.st_size:x}-{at.st_ino:x}"'
        first, end, status = _part(request, at.st_size, tag)
        response = web.StreamResponse(
            status=status, headers={**headers, "ETag": tag, "Accept-Ranges": "bytes", "Content-Type": BYTES}
        )
        if status == 206:
            response.headers["Content-Range"] = f"bytes {first}-{end - 1}/{at.st_size}"
        response.content_length = end - first
        await response.prepare(request)
        file.seek(first)
        left = end - first if request.method != "HEAD" else 0
        while left and (piece := await asyncio.to_thread(file.read, min(_PIECE, left))):
            await response.write(piece)
            left -= len(piece)
    await response.write_eof()
    return response


def _part(request: web.Request, size: int, tag: str) -> tuple[int, int, int]:
    """Where the part begins and ends that a request asks for, and the status of its answer.

    Raises:
        HTTPRequestRangeNotSatisfiable: the file has no such part.
    """
    if "Range" not in request.headers or request.headers.get("If-Range", tag) != tag:
        return 0, size, 200
    try:
        wanted = request.http_range
    except ValueError:
        raise web.HTTPRequestRangeNotSatisfiable from None
    first, end, _step = wanted.indices(size)
    if first >= end:
        raise web.HTTPRequestRangeNotSatisfiable
    return first, end, 206
