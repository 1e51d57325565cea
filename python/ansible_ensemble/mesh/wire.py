"""Messages over a stream of the mesh, with signs of life between them: Receptor tells late that an end is gone."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, Self

from ansible_ensemble.lanes import frames
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.exchange import SILENCE
from ansible_ensemble.mesh.signing import Seal

#: Seconds between two signs of life.
BEAT = 5.0
#: Bytes of a message; one that is sealed has a third more than it holds.
_LONGEST = 1 << 25


class Wire:
    """A stream on which both ends show that they are alive; an async context, at whose end it is closed."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._sealing: Seal | None = None
        self._unsealing: Seal | None = None

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._beating.cancel()
        self._stream.writer.close()

    def unseal_with(self, key: bytes) -> None:
        """Take only what is sealed with a key from now on, and in the order in which it was."""
        self._unsealing = Seal(key)

    async def send(self, message: dict[str, Any], *, seals: bytes | None = None) -> None:
        """Send a message; that the other end is gone is told by `receive`.

        Args:
            message: what is sent.
            seals: a key with which all that follows is sealed.
        """
        with contextlib.suppress(OSError):
            self._stream.writer.write(
                frames.encode(sealed_message(self._sealing, message) if self._sealing else message)
            )
            if seals is not None:
                self._sealing = Seal(seals)
            await self._stream.writer.drain()

    async def receive(self, longest: int = _LONGEST) -> dict[str, Any] | None:
        """The next message; None if the other end has hung up.

        Raises:
            BadFrame: what came is none, or one of more bytes.
            MeshError: it has shown no life for too long, or somebody else has changed what it sent.
        """
        while True:
            try:
                async with asyncio.timeout(SILENCE):
                    message = await frames.read(self._stream.reader, longest)
            except TimeoutError as error:
                raise MeshError(f"the other end has been silent for {SILENCE:g} s") from error
            if message is not None and self._unsealing is not None:
                message = unsealed_message(self._unsealing, message)
            if message != {"beat": True}:
                return message

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            await self.send({"beat": True})


def sealed_message(seal: Seal, message: dict[str, Any]) -> dict[str, Any]:
    """A message for who has the key."""
    return {"sealed": seal.seal(json.dumps(message, default=str))}


def unsealed_message(seal: Seal, message: dict[str, Any]) -> dict[str, Any]:
    """What a message holds that is the next one."""
    try:
        opened = json.loads(seal.unseal(str(message.get("sealed"))))
    except (ValueError, RecursionError) as error:
        raise MeshError("somebody else has changed what the other end sent") from error
    if not isinstance(opened, dict):
        raise MeshError("a message is no object")
    return opened
