"""Messages over a stream of the mesh, with signs of life between them: Receptor tells late that an end is gone."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Self

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.exchange import SILENCE

#: Seconds between two signs of life.
BEAT = 5.0
#: Bytes of a message.
_LONGEST = 1 << 24


class Wire:
    """A stream on which both ends show that they are alive; an async context, at whose end it is closed."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._beating.cancel()
        self._stream.writer.close()

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message; that the other end is gone is told by `receive`."""
        with contextlib.suppress(OSError):
            self._stream.writer.write(frames.encode(message))
            await self._stream.writer.drain()

    async def receive(self, longest: int = _LONGEST) -> dict[str, Any] | None:
        """The next message; None if the other end has hung up.

        Raises:
            BadFrame: what came is none, or one of more bytes.
            MeshError: it has shown no life for too long.
        """
        while True:
            try:
                async with asyncio.timeout(SILENCE):
                    message = await frames.read(self._stream.reader, longest)
            except TimeoutError as error:
                raise MeshError(f"the other end has been silent for {SILENCE:g} s") from error
            if message != {"beat": True}:
                return message

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            await self.send({"beat": True})
