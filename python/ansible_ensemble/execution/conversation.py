"""A command that asks while it runs, and is answered: how user's Python code reaches its job.

The command gets the path of a Unix socket in its environment. It connects once, and then each line it sends is a
question in JSON, and each line it gets the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.orders import CHANNEL, Command, Outcome

#: Answers a question; both are plain data.
Answer = Callable[[Any], Awaitable[Any]]
#: Runs a command to its end.
Run = Callable[[Command], Awaitable[Outcome]]

#: Bytes of one question.
_LONGEST = 64 * 1024 * 1024
#: Characters that a socket's path may have, everywhere.
_LONGEST_PATH = 90


async def converse(command: Command, answer: Answer, run: Run) -> Outcome:
    """Run a command by `run`, which ends it when it is cancelled, and answer what it asks.

    Raises:
        asyncio.CancelledError: the awaiting task was cancelled; the command has ended by then.
        Exception: what `answer` raised, after the command has ended.
    """
    folder = Path(tempfile.mkdtemp(prefix="ensemble-"))
    if len(str(folder)) > _LONGEST_PATH:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="ensemble-", dir="/tmp"))
    path = str(folder / "channel")
    talks: list[asyncio.Task[None]] = []

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.append(asyncio.create_task(_talk(reader, writer, answer)))

    server = await asyncio.start_unix_server(connected, path, limit=_LONGEST)
    try:
        outcome = await run(replace(command, environment={**command.environment, CHANNEL: path}))
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        ends = await asyncio.gather(*talks, return_exceptions=True)
        shutil.rmtree(folder, ignore_errors=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    return outcome


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
    """Answer until the other side has no more questions or is gone, or an answer cannot be given, which hangs up."""
    try:
        while line := await _question(reader):
            reply = await answer(json.loads(line))
            writer.write(json.dumps(reply, default=str).encode() + b"\n")
            with contextlib.suppress(ConnectionError):
                await writer.drain()
    finally:
        writer.close()


async def _question(reader: asyncio.StreamReader) -> bytes:
    """The next question; none if a command that was ended left an answer unread, which resets the connection."""
    try:
        return await reader.readline()
    except ConnectionError:
        return b""
