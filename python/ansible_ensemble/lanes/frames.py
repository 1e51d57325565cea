"""Messages between the job, its executors and the zygote: a length of four bytes, then a JSON object.

JSON carries undecodable bytes as lone surrogates, so text survives in both directions whatever a module prints.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

from ansible_ensemble.core.errors import EnsembleError

_LENGTH = struct.Struct("!I")
#: Bytes of a message, at most.
LONGEST = 1 << 28


class BadFrame(EnsembleError):
    """What came is no message, or one that is too long; nothing more can be read there."""


def encode(message: dict[str, Any]) -> bytes:
    """Return the message as a frame; a value that JSON does not know becomes its text.

    Raises:
        BadFrame: it is too long.
    """
    body = json.dumps(message, default=str).encode()
    _check_length(len(body), LONGEST)
    return _LENGTH.pack(len(body)) + body


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Write a frame to a blocking socket.

    Raises:
        BadFrame: the message is too long.
        OSError: the other side is gone.
    """
    connection.sendall(encode(message))


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Read a frame from a blocking socket; None if the other side closed it, at whatever point.

    Raises:
        BadFrame: what came is none.
    """
    head = _exactly(connection, _LENGTH.size)
    if head is None:
        return None
    body = _exactly(connection, _length(head, LONGEST))
    return None if body is None else _decode(body)


async def read(reader: asyncio.StreamReader, longest: int = LONGEST) -> dict[str, Any] | None:
    """Read a frame from a stream; None if the other side closed it, at whatever point.

    Raises:
        BadFrame: what came is none, or longer than so many bytes.
    """
    try:
        head = await reader.readexactly(_LENGTH.size)
        return _decode(await reader.readexactly(_length(head, longest)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _length(head: bytes, longest: int) -> int:
    length: int = _LENGTH.unpack(head)[0]
    _check_length(length, longest)
    return length


def _check_length(length: int, longest: int) -> None:
    if length > longest:
        raise BadFrame(f"a message of {length} bytes is too long: {longest} are the most")


def _decode(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a message is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadFrame("a message is no object")
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
