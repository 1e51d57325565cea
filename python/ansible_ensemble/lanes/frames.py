"""Messages between the job, its executors and the zygote: a length of four bytes, then JSON.

JSON carries undecodable bytes as lone surrogates, so text survives in both directions whatever a module prints.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("!I")


def encode(message: dict[str, Any]) -> bytes:
    """Return the message as a frame; a value that JSON does not know becomes its text."""
    body = json.dumps(message, default=str).encode()
    return _LENGTH.pack(len(body)) + body


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Write a frame to a blocking socket.

    Raises:
        OSError: the other side is gone.
    """
    connection.sendall(encode(message))


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Read a frame from a blocking socket; None if the other side closed it, at whatever point."""
    head = _exactly(connection, _LENGTH.size)
    if head is None:
        return None
    body = _exactly(connection, _LENGTH.unpack(head)[0])
    return None if body is None else _decode(body)


async def read(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Read a frame from a stream; None if the other side closed it, at whatever point."""
    try:
        head = await reader.readexactly(_LENGTH.size)
        return _decode(await reader.readexactly(_LENGTH.unpack(head)[0]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _decode(body: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(body)
    return message


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    chunks = bytearray()
    while len(chunks) < size:
        try:
            chunk = connection.recv(min(size - len(chunks), 1 << 20))
        except ConnectionError:
            return None
        if not chunk:
            return None
        chunks += chunk
    return bytes(chunks)
